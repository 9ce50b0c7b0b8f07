// Who leaves while acknowledgements are lost: over a loopback interface of the test's own, which
// drops some of what passes (nftables); skipped where the system does not allow or know that.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "hw/descriptor.hpp"
#include "hw/inject/run_tool.hpp"
#include "tests/unit/library/launched_job.hpp"

namespace holdfast::hw {
namespace {

// Of four datagrams that begin with an acknowledgement of messages (PROTOCOL.md, 13.2) the first
// three are lost.
constexpr const char* kLoseAcknowledgements = R"(
table inet test {
  chain sent {
    type filter hook output priority 0;
    meta l4proto udp @th,64,32 0x484d0305 numgen inc mod 4 < 3 drop
  }
}
)";

// This thread, and what it starts, into a network of its own.
Status enter_lossy_network() {
  if (::unshare(CLONE_NEWNET) != 0) return Status::error("expected root");
  const Descriptor here(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  Status up = run_tool({"ip", "iproute2"}, {"link", "set", "lo", "up"}, here.get(), "");
  if (!up.is_ok()) return up;
  return run_tool({"nft", "nftables"}, {"-f", "-"}, here.get(), kLoseAcknowledgements);
}

// The right, a package, or the kernel's part of a rule.
bool not_possible_here(const Status& status) {
  return std::ranges::any_of(
      std::array{"expected root", "install the Debian package", "process rule: No such file"},
      [&](const char* lack) { return status.message().find(lack) != std::string::npos; });
}

TEST(LeavingAJob, AcknowledgesWhatComesOnceMore) {
  Status entered = Status::ok();
  Done done;
  std::thread([&] {
    entered = enter_lossy_network();
    if (entered.is_ok()) done = run(plan_of("last_word", 2, 1));
  }).join();
  if (not_possible_here(entered)) GTEST_SKIP() << entered.message();
  ASSERT_TRUE(entered.is_ok()) << entered.message();
  EXPECT_TRUE(done.status.is_ok()) << done.status.message();
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 0));
}

}  // namespace
}  // namespace holdfast::hw
