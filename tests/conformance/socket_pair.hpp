// Two fabrics on loopback, by sockets.
#pragma once

#include <time.h>

#include <memory>

#include "hw/monotonic_clock.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {

template <class SocketFabric, class Options>
class SocketPair final : public FabricPair {
 public:
  explicit SocketPair(Options options) {
    options.send_depth = 40;
    options.receive_depth = 40;
    if (!SocketFabric::open(options, a_).is_ok()) a_.reset();
    if (!SocketFabric::open(options, b_).is_ok()) b_.reset();
  }
  bool opened() const { return a_ != nullptr && b_ != nullptr; }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override {
    const timespec nap{0, 1'000'000};
    ::nanosleep(&nap, nullptr);
  }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

 private:
  std::unique_ptr<SocketFabric> a_;
  std::unique_ptr<SocketFabric> b_;
};

// Null if a socket cannot be opened.
template <class SocketFabric, class Options>
std::unique_ptr<FabricPair> make_socket_pair(const Options& options) {
  auto pair = std::make_unique<SocketPair<SocketFabric, Options>>(options);
  if (!pair->opened()) return nullptr;
  return pair;
}

}  // namespace holdfast::conformance
