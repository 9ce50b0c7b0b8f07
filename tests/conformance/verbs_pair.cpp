// hw/verbs in the conformance suite, on a machine with adapters: the first two ports, or the only
// one twice.
#include <time.h>

#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/verbs.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

class VerbsPair final : public FabricPair {
 public:
  VerbsPair() {
    std::vector<hw::VerbsPort> ports;
    if (!hw::find_verbs_ports(ports).is_ok()) return;
    opened_ = open(ports.front(), a_) && open(ports[ports.size() > 1 ? 1 : 0], b_);
  }
  bool opened() const { return opened_; }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override {
    const timespec nap{0, 1'000'000};
    ::nanosleep(&nap, nullptr);
  }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

 private:
  static bool open(const hw::VerbsPort& port, std::unique_ptr<Fabric>& fabric) {
    return hw::open_verbs(
               {.port = port, .queue_key = 0x1234, .send_depth = 40, .receive_depth = 40}, fabric)
        .is_ok();
  }

  std::unique_ptr<Fabric> a_;
  std::unique_ptr<Fabric> b_;
  bool opened_ = false;
};

std::unique_ptr<FabricPair> make() {
  auto pair = std::make_unique<VerbsPair>();
  if (!pair->opened()) return nullptr;
  return pair;
}

const bool registered = [] {
  std::vector<hw::VerbsPort> ports;
  if (!hw::find_verbs_ports(ports).is_ok()) return false;
  RegisteredFabric({.name = "verbs", .datagram = true, .make = make});
  return true;
}();

}  // namespace
}  // namespace holdfast::conformance
