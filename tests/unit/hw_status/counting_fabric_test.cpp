// What passes a rail is counted, and nothing else.
#include "hw/status/counting_fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::hw {
namespace {

// Gives out what it is told to and takes two operations at most.
class ScriptedFabric final : public Fabric {
 public:
  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return {}; }
  Peer attach(const Address&, Service) override { return kNoPeer; }
  void detach(Peer) override {}
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return {}; }
  std::size_t post(std::span<const Operation> operations) override {
    return std::min<std::size_t>(operations.size(), 2);
  }
  void prepare(Peer peer) override { prepared = peer; }
  std::size_t offer(std::span<const ReceiveSlot>) override { return 0; }
  std::size_t poll(std::span<Event> events) override {
    events[0] = event;
    return 1;
  }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {}; }
  std::size_t losses(std::span<LostFrames> to) const override {
    to[0] = {"full", 3};
    return 1;
  }

  Event event;
  Peer prepared = kNoPeer;

 private:
  Caps caps_;
};

TEST(CountingFabric, CountsWhatWasAcceptedAndWhatArrived) {
  ScriptedFabric inner;
  CountingFabric counting(inner);
  std::array<Operation, 3> operations;
  operations[0].size = 64;
  operations[1].size = 100;
  operations[2].size = 512;  // refused
  EXPECT_EQ(counting.post(operations), 2u);
  std::array<Event, 4> events;
  inner.event.size = 80;
  inner.event.kind = EventKind::sent;
  EXPECT_EQ(counting.poll(events), 1u);
  inner.event.kind = EventKind::received;
  EXPECT_EQ(counting.poll(events), 1u);
  EXPECT_EQ(counting.counts().frames_sent, 2u);
  EXPECT_EQ(counting.counts().bytes_sent, 164u);
  EXPECT_EQ(counting.counts().frames_received, 1u);
  EXPECT_EQ(counting.counts().bytes_received, 80u);
  std::array<LostFrames, Fabric::kLossReasonsMax> losses;
  EXPECT_EQ(counting.losses(losses), 1u);
  EXPECT_EQ(losses[0].frames, 3u);
  counting.prepare(Peer{5});
  EXPECT_EQ(inner.prepared, Peer{5});
}

TEST(CountingFabric, SaysWhetherItsPortIsUp) {
  ScriptedFabric inner;
  CountingFabric counting(inner);
  std::array<Event, 4> events;
  EXPECT_TRUE(counting.up());
  for (const auto& [kind, up] :
       {std::pair{EventKind::port_down, false}, std::pair{EventKind::received, false},
        std::pair{EventKind::port_up, true}}) {
    inner.event.kind = kind;
    EXPECT_EQ(counting.poll(events), 1u);
    EXPECT_EQ(counting.up(), up);
  }
}

}  // namespace
}  // namespace holdfast::hw
