// Processes of a node that hear of each other's ends.
#include <gtest/gtest.h>

#include "sim/fabric/message_network.hpp"
#include "sim/fabric/sim_event.hpp"

namespace holdfast::sim {
namespace {

// It has ended before anybody watched it: nothing else may ever wake the one that asks.
TEST(Watch, WhoWatchesADeadProcessIsWokenToHearOfIt) {
  Pgft tree;
  ASSERT_TRUE(Pgft::create({{2}, {1}, {1}}, tree).is_ok());
  const PathTimes paths(tree, LinkSpec{100'000'000'000, nanoseconds(150)}, nanoseconds(90));
  constexpr SimTime kLocal{50'000};
  EventQueue queue;
  MessageNetwork network({.nodes = 2, .per_node = 2, .local_latency = kLocal}, paths, queue);
  network.stop({3});
  ASSERT_TRUE(queue.empty());
  Fabric& watcher = network.fabric({2});
  const Peer watched = watcher.attach(MessageNetwork::address({3}), Service::watch);
  ASSERT_NE(watched, kNoPeer);
  ASSERT_EQ(queue.size(), 1u);
  const QueuedEvent event = queue.pop();
  EXPECT_EQ(event.time, kLocal.value);
  EXPECT_EQ(event.target, 2u);
  EXPECT_EQ(sim_event_kind(event.payload), SimEventKind::ended);
  EXPECT_TRUE(network.tell_ended({2}, {event.payload & kSimEventNumberMask}));
  Event told;
  ASSERT_EQ(watcher.poll({&told, 1}), 1u);
  EXPECT_EQ(told.kind, EventKind::peer_down);
  EXPECT_EQ(told.peer, watched);
}

}  // namespace
}  // namespace holdfast::sim
