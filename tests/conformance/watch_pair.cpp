// hw/watch in the conformance suite: a child process that sleeps until it is killed.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <memory>

#include "hw/monotonic_clock.hpp"
#include "hw/watch/watch_fabric.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

class WatchPair final : public FabricPair {
 public:
  WatchPair() : child_(::fork()) {
    if (child_ != 0) {
      opened_ = hw::WatchFabric::open(8, a_).is_ok() && hw::WatchFabric::open(8, b_).is_ok();
      return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  ~WatchPair() override { end_b(); }
  bool opened() const { return child_ > 0 && opened_; }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override {
    const timespec nap{0, 1'000'000};
    ::nanosleep(&nap, nullptr);
  }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  Address watched_address() override { return hw::to_address(hw::identify(child_).value()); }

 private:
  std::unique_ptr<hw::WatchFabric> a_, b_;
  bool opened_ = false;
  pid_t child_;
};

std::unique_ptr<FabricPair> make() {
  auto pair = std::make_unique<WatchPair>();
  if (!pair->opened()) return nullptr;
  return pair;
}

const RegisteredFabric registered({.name = "watch", .watch = true, .make = make});

}  // namespace
}  // namespace holdfast::conformance
