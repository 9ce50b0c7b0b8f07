// Slots of frames that a fabric takes late, not at all, or with an error.
#include <gtest/gtest.h>

#include <vector>

#include "stack/reliable/port.hpp"

namespace holdfast::reliable {
namespace {

// Takes so many operations, and says what it is told to.
class ShortFabric final : public Fabric {
 public:
  ShortFabric() {
    caps_.kind = "short";
    caps_.frame_bytes_max = 1024;
    caps_.inline_bytes_max = 64;
    caps_.send_depth = caps_.receive_depth = 32;
    caps_.datagram = true;
  }
  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return {}; }
  Peer attach(const Address&, Service) override { return Peer{0}; }
  void detach(Peer) override {}
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return Region{0}; }
  std::size_t post(std::span<const Operation> operations) override {
    const std::size_t accepted = std::min(operations.size(), room);
    room -= accepted;
    taken.insert(taken.end(), operations.begin(),
                 operations.begin() + static_cast<std::ptrdiff_t>(accepted));
    return accepted;
  }
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return slots.size(); }
  std::size_t poll(std::span<Event>) override { return 0; }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {true, -1}; }

  std::size_t room = 32;
  std::vector<Operation> taken;

 private:
  Caps caps_;
};

class PortOfAShortFabric : public ::testing::Test {
 protected:
  void put(std::uint32_t bytes, Peer peer) { port_.put(slots_.take(), bytes, peer, now_); }

  static constexpr std::uint32_t kSlots = 8;
  Time now_{1'000};
  ShortFabric fabric_;
  SendSlots slots_{kSlots, 1024};
  Port port_{fabric_, slots_, 8};
};

// Who has been detached is not a peer any more, and what is posted to it would fail.
TEST_F(PortOfAShortFabric, DropsWhatWaitsForAPeerThatGoes) {
  fabric_.room = 1;
  for (const std::uint32_t bytes : {48u, 48u, 1000u}) {
    put(bytes, Peer{1});
    put(bytes, Peer{2});
  }
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 1u);
  port_.drop(Peer{1});
  EXPECT_EQ(port_.slots_in_use(), 3u);
  EXPECT_EQ(slots_.left(), kSlots - 3);
  fabric_.room = 32;
  port_.set_writable(now_);
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(fabric_.taken[i].peer, Peer{2});
  EXPECT_EQ(port_.slots_in_use(), 1u) << "the long one completes";
}

// Its slot may already be that of another frame.
TEST_F(PortOfAShortFabric, AnErrorOfWhatWasTakenInlineFreesNoSlot) {
  put(48, Peer{1});
  port_.flush(now_);
  EXPECT_EQ(slots_.left(), kSlots);
  put(1000, Peer{1});
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 2u);
  EXPECT_EQ(Port::slot_of(fabric_.taken[0].cookie), kNone);
  const std::uint32_t slot = Port::slot_of(fabric_.taken[1].cookie);
  ASSERT_EQ(slot, port_.oldest_posted());
  port_.sent(slot, now_);
  EXPECT_EQ(port_.slots_in_use(), 0u);
  EXPECT_EQ(slots_.left(), kSlots);
}

}  // namespace
}  // namespace holdfast::reliable
