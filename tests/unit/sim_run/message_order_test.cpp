// What one process sends to another in one go arrives in the order in which it was sent.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sim/fabric/message_network.hpp"
#include "sim/fabric/sim_event.hpp"

namespace holdfast::sim {
namespace {

TEST(MessageOrder, AShortFrameDoesNotOvertakeALongOne) {
  Pgft tree;
  ASSERT_TRUE(Pgft::create({{2}, {1}, {1}}, tree).is_ok());
  const PathTimes paths(tree, LinkSpec{100'000'000'000, nanoseconds(150)}, nanoseconds(90));
  EventQueue queue;
  MessageNetwork network({.nodes = 2}, paths, queue);
  Fabric& sender = network.fabric({0});
  const Peer to = sender.attach(MessageNetwork::address({1}), Service::datagram);
  std::array<std::byte, 512> bytes{};
  std::vector<Operation> operations(2);
  for (Operation& operation : operations) {
    operation.inline_data = true;
    operation.peer = to;
    operation.data = bytes.data();
  }
  operations[0].size = 512;
  operations[1].size = 64;
  ASSERT_EQ(sender.post(operations), 2u);
  const QueuedEvent first = queue.pop();
  const QueuedEvent second = queue.pop();
  EXPECT_EQ(first.time, paths.one_way({0}, {1}, 512).value);
  EXPECT_EQ(second.time, first.time);
  EXPECT_LT(paths.one_way({0}, {1}, 64), paths.one_way({0}, {1}, 512));
  // The queue holds them in the order of their posts: the longer one is first.
  std::array<std::byte, 512> memory{};
  const ReceiveSlot slot{{}, memory.data(), 512, 0};
  for (const auto& [event, size] : {std::pair{first, 512u}, std::pair{second, 64u}}) {
    ASSERT_EQ(network.fabric({1}).offer({&slot, 1}), 1u);
    ASSERT_TRUE(network.deliver({1}, event.payload & kSimEventNumberMask));
    Event received;
    ASSERT_EQ(network.fabric({1}).poll({&received, 1}), 1u);
    EXPECT_EQ(received.size, size);
  }
}

}  // namespace
}  // namespace holdfast::sim
