// The assignment on its way from the launcher, who may be anybody.
#include "hw/launch/assignment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "hw/descriptor.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/bytes.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {
namespace {

struct Ends {
  Ends() {
    std::array<int, 2> sockets{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    launcher = Descriptor(sockets[0]);
    process = Descriptor(sockets[1]);
  }
  Descriptor launcher, process;
};

// Runs it in a child, which ends with what it returns, 0 … 255.
pid_t in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

int result_of(pid_t child) {
  int ended = 0;
  EXPECT_EQ(::waitpid(child, &ended, 0), child);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

// Most memory that this process has had so far.
std::int64_t memory_max_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Larger than what a socket holds, and than what memory is taken for at first.
TEST(Assignment, ALongOneArrivesWhole) {
  Assignment sent;
  sent.self = {1};
  sent.addresses = {
      {to_address(UdpEndpoint{kLoopback, 4000}), to_address(UdpEndpoint{kLoopback, 4001})}};
  for (int i = 0; i < 300'000; ++i) sent.configuration += static_cast<char>('a' + i % 23);
  const Ends ends;
  const pid_t launcher =
      in_child([&] { return send_assignment(ends.launcher.get(), sent).is_ok() ? 0 : 1; });
  Assignment received;
  const HandOver given =
      receive_assignment(ends.process.get(), received, monotonic_now() + seconds(60));
  EXPECT_TRUE(given.is_ok()) << given.message;
  EXPECT_EQ(received.configuration, sent.configuration);
  EXPECT_EQ(received.addresses, sent.addresses);
  EXPECT_EQ(result_of(launcher), 0);
}

// 64 MB are claimed, a thousand bytes come.
TEST(Assignment, ALengthAloneTakesNoMemory) {
  std::array<std::byte, kHandOverOpeningBytes + 4 + 1000> bytes{};
  store_le(&bytes[0], kHandOverMagic);
  store_le(&bytes[4], kHandOverVersion);
  store_le(&bytes[6], kFrameVersion);
  store_le(&bytes[kHandOverOpeningBytes], kAssignmentBytesMax);
  Ends ends;
  ASSERT_TRUE(send_bytes(ends.launcher.get(), bytes).is_ok());
  ends.launcher = Descriptor();
  const pid_t process = in_child([&] {
    const std::int64_t before = memory_max_kib();
    Assignment received;
    const HandOver given = receive_assignment(ends.process.get(), received);
    if (given.fault != HandOverFault::gone) return 1;
    return memory_max_kib() - before < 16 * 1024 ? 0 : 2;
  });
  EXPECT_EQ(result_of(process), 0) << "1: it is not said that the launcher is gone, 2: memory";
}

}  // namespace
}  // namespace holdfast::hw
