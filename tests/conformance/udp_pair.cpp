// hw/udp in the conformance suite: two sockets on loopback, of IPv4 and of IPv6, and those of
// IPv4 under a recorder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "hw/record/recorder.hpp"
#include "hw/record/recording_writer.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "tests/conformance/real_pair.hpp"

namespace holdfast::conformance {
namespace {

std::unique_ptr<FabricPair> make() {
  return make_real_pair(hw::UdpFabric::open, hw::UdpOptions{}, hw::UdpOptions{});
}

std::unique_ptr<FabricPair> make_v6() {
  hw::UdpOptions options;
  options.local.ip = hw::kLoopbackV6;
  return make_real_pair(hw::UdpFabric::open, options, options);
}

// The same with one end recorded: a recorder must not be noticed.
class RecordedUdpPair final : public FabricPair {
 public:
  RecordedUdpPair(std::unique_ptr<hw::RecordingWriter> writer, std::string path)
      : path_(std::move(path)), writer_(std::move(writer)) {
    if (udp_) {
      a_ = std::make_unique<hw::Recorder>(udp_->a(), *writer_, 0);
      b_ = std::make_unique<hw::Recorder>(udp_->b(), *writer_, 1);
    }
  }
  ~RecordedUdpPair() override { std::remove(path_.c_str()); }
  bool opened() const { return udp_ != nullptr; }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override { udp_->settle(); }
  Time now() override { return udp_->now(); }
  void end_b() override { udp_->end_b(); }

 private:
  std::string path_;
  std::unique_ptr<FabricPair> udp_ = make();
  std::unique_ptr<hw::RecordingWriter> writer_;
  std::unique_ptr<hw::Recorder> a_;
  std::unique_ptr<hw::Recorder> b_;
};

std::unique_ptr<FabricPair> make_recorded() {
  std::string path = ::testing::TempDir() + "conformance." + std::to_string(::getpid());
  std::unique_ptr<hw::RecordingWriter> writer;
  if (!hw::RecordingWriter::create(path, {}, writer).is_ok()) return nullptr;
  auto pair = std::make_unique<RecordedUdpPair>(std::move(writer), std::move(path));
  if (!pair->opened()) return nullptr;
  return pair;
}

const RegisteredFabric registered({.name = "udp", .datagram = true, .make = make});
const RegisteredFabric registered_v6(
    {.name = "udp6", .datagram = true, .make = make_v6, .variant = true});
const RegisteredFabric registered_recorded(
    {.name = "recorded_udp", .datagram = true, .make = make_recorded, .variant = true});

}  // namespace
}  // namespace holdfast::conformance
