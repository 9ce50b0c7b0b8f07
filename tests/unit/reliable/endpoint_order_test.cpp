// In which order a turn looks at its rails and sends what the program has asked for.
#include <gtest/gtest.h>

#include <string>

#include "stack/address_book.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::reliable {
namespace {

// A rail on which nothing comes, and which remembers what it was asked.
class QuietRail final : public Fabric {
 public:
  QuietRail() {
    caps_.kind = "quiet";
    caps_.frame_bytes_max = caps_.inline_bytes_max = 1472;
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
    asked += operations.empty() ? "" : "post ";
    frames += operations.size();
    return operations.size();
  }
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return slots.size(); }
  std::size_t poll(std::span<Event>) override {
    asked += "poll ";
    return 0;
  }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {true, -1}; }

  std::string asked;
  std::size_t frames = 0;

 private:
  Caps caps_;
};

class Nowhere final : public AddressBook {
 public:
  Address address(std::size_t, ProcessId) const override { return {}; }
};

class EndpointOrder : public ::testing::Test {
 protected:
  EndpointOrder() : endpoint_(options(), std::span(&rails_, 1), addresses_) {
    EXPECT_TRUE(endpoint_.connect({1}, {}, at_));
    static_cast<void>(endpoint_.turn(at_));
  }
  static EndpointOptions options() {
    EndpointOptions options;
    options.self = ProcessId{0};
    options.limits.peers = 1;
    options.limits.send_slots = options.limits.receive_slots = 32;
    return options;
  }
  // What a turn after so long does with a message.
  std::string turn_after(Duration pause) {
    rail_.asked.clear();
    at_ = at_ + pause;
    EXPECT_NE(endpoint_.send({1}, 0, 0, message_, 0, at_), kNoRequest);
    static_cast<void>(endpoint_.turn(at_));
    return rail_.asked;
  }

  Time at_{1'000'000'000};
  std::array<std::byte, 8> message_{};
  QuietRail rail_;
  Fabric* rails_ = &rail_;
  Nowhere addresses_;
  Endpoint endpoint_;
};

TEST_F(EndpointOrder, WhoHasJustLookedSendsFirst) {
  EXPECT_EQ(turn_after(microseconds(5)), "post poll ");
  EXPECT_EQ(turn_after(microseconds(100)), "post poll ");
}

// What it says has been heard must be true of all that waits for it.
TEST_F(EndpointOrder, WhoSleptLooksFirst) {
  EXPECT_EQ(turn_after(microseconds(101)), "poll post ");
  EXPECT_EQ(turn_after(seconds(1)).substr(0, 5), "poll ");
}

// The first messages go as they are sent; what follows while they are under way is a stream, which
// goes together, and before the rails are looked at.
TEST_F(EndpointOrder, AFewMessagesGoAtOnceAndAStreamGoesTogether) {
  rail_.asked.clear();
  for (int i = 0; i < 9; ++i) {
    EXPECT_NE(endpoint_.send({1}, 0, 0, message_, 0, at_), kNoRequest);
  }
  EXPECT_EQ(rail_.asked, "post post post post ");
  static_cast<void>(endpoint_.turn(at_));
  EXPECT_EQ(rail_.asked, "post post post post post poll ");
}

// Frames that are taken inline give their slots back without a word.
TEST_F(EndpointOrder, WhatFindsRoomWhenItsForerunnersHaveLeftWaitsForNoEvent) {
  QuietRail first, second;
  const std::array<Fabric*, 2> both{&first, &second};
  Endpoint endpoint(options(), both, addresses_);
  ASSERT_TRUE(endpoint.connect({1}, {}, at_));
  for (int i = 0; i < 100; ++i) {
    ASSERT_NE(endpoint.send({1}, 0, 0, message_, 0, at_), kNoRequest);
  }
  for (int i = 0; i < 20; ++i) static_cast<void>(endpoint.turn(at_));
  EXPECT_EQ(first.frames + second.frames, 100u);
}

}  // namespace
}  // namespace holdfast::reliable
