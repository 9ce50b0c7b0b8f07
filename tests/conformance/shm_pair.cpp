// hw/shm in the conformance suite: two segments in shared memory.
#include <unistd.h>

#include <atomic>
#include <string>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/shm_fabric.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

class ShmPair final : public FabricPair {
 public:
  ShmPair() : opened_(open("a", a_) && open("b", b_)) {}
  bool opened() const { return opened_; }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override {}  // what is posted has arrived
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

 private:
  static bool open(const char* end, std::unique_ptr<hw::ShmFabric>& fabric) {
    static std::atomic<int> pairs{0};
    hw::ShmOptions options;
    options.name =
        "holdfast-test-" + std::to_string(::getpid()) + "-" + std::to_string(++pairs) + end;
    options.send_depth = 40;
    options.receive_depth = 40;
    return hw::ShmFabric::open(options, fabric).is_ok();
  }

  std::unique_ptr<hw::ShmFabric> a_;
  std::unique_ptr<hw::ShmFabric> b_;
  bool opened_;
};

std::unique_ptr<FabricPair> make() {
  auto pair = std::make_unique<ShmPair>();
  if (!pair->opened()) return nullptr;
  return pair;
}

const RegisteredFabric registered({.name = "shm", .datagram = true, .make = make});

}  // namespace
}  // namespace holdfast::conformance
