// Slots of frames that a fabric takes late, not at all, or with an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stack/reliable/message_frame.hpp"
#include "stack/reliable/port.hpp"

namespace holdfast::reliable {
namespace {

// Takes so many operations, and says what it is told to.
class ShortFabric final : public Fabric {
 public:
  explicit ShortFabric(std::uint32_t inline_bytes_max = 64, std::uint32_t frame_bytes_max = 1024) {
    caps_.kind = "short";
    caps_.frame_bytes_max = frame_bytes_max;
    caps_.inline_bytes_max = inline_bytes_max;
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
  std::size_t poll(std::span<Event> to) override {
    ++polls;
    if (events.empty()) return 0;
    to[0] = events.front();
    events.erase(events.begin());
    return 1;
  }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {true, -1}; }
  Caps& abilities() { return caps_; }

  std::size_t room = 32;
  std::vector<Operation> taken;
  std::vector<Event> events;  // one for each poll
  unsigned polls = 0;

 private:
  Caps caps_;
};

class PortOfAShortFabric : public ::testing::Test {
 protected:
  void put(std::uint32_t bytes, Peer peer) { port_.put(slots_.take(), bytes, peer, now_); }

  // One that says `what`, or an acknowledgement that does.
  void put_filled(std::uint32_t bytes, Peer peer, std::byte what) {
    port_.put(filled(bytes, what), bytes, peer, now_);
  }
  void acknowledge(Peer peer, std::byte what) { acknowledge_on(port_, peer, what); }
  std::vector<std::byte> bytes_of(std::size_t taken) const {
    const Operation& operation = fabric_.taken.at(taken);
    return {operation.data, operation.data + operation.size};
  }

  static constexpr std::uint32_t kSlots = 8;
  Time now_{1'000};
  ShortFabric fabric_;
  SendSlots slots_{kSlots, 1024};
  Port port_{fabric_, slots_, 8};

  void acknowledge_on(Port& port, Peer peer, std::byte what) {
    if (std::byte* const at = port.join_last(peer); at != nullptr) {
      std::fill_n(at, kMessageHeaderBytes, what);
    } else {
      port.put_acknowledgement(filled(kMessageHeaderBytes, what), peer, now_);
    }
  }
  std::uint32_t filled(std::size_t bytes, std::byte what) {
    const std::uint32_t slot = slots_.take();
    std::fill_n(slots_.memory(slot, bytes), bytes, what);
    return slot;
  }
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

// That one poll has told of less than it might does not mean that there is no more where it says
// so.
TEST_F(PortOfAShortFabric, IsPolledUntilNoEventSaysThatThereIsMore) {
  fabric_.events.resize(3);
  for (Event& event : fabric_.events) event.kind = EventKind::writable;
  fabric_.events[0].more = true;
  port_.begin_turn();
  for (int i = 0; i < 2; ++i) {
    ASSERT_NE(port_.oldest(), nullptr) << i;
    port_.next();
  }
  EXPECT_EQ(port_.oldest(), nullptr) << "the second was the last of its poll";
  EXPECT_EQ(fabric_.polls, 2u);
}

// The rest of a frame that was placed is not in its slot.
TEST_F(PortOfAShortFabric, OfAPlacedFrameOnlyTheHeaderIsInItsSlot) {
  std::array<std::byte, 100> place{};
  Event event;
  event.kind = EventKind::received;
  event.size = kMessageHeaderBytes + 100;
  EXPECT_EQ(port_.frame(event).size(), event.size);
  event.placed = place.data();
  EXPECT_EQ(port_.frame(event).size(), kMessageHeaderBytes);
}

TEST_F(PortOfAShortFabric, ALentFrameIsWhereTheFabricHasIt) {
  const std::array<std::byte, 100> lent{};
  Event event;
  event.kind = EventKind::received;
  event.size = 100;
  event.lent = lent.data();
  EXPECT_EQ(port_.frame(event).data(), lent.data());
  EXPECT_EQ(port_.frame(event).size(), 100u);
}

TEST_F(PortOfAShortFabric, WhatWasTakenInlineSaysWhoseItWas) {
  constexpr std::uint32_t kConnection = 70'000, kLife = 7;
  const std::uint32_t slot = slots_.take();
  slots_.states()[slot].connection = kConnection;
  slots_.states()[slot].life = kLife;
  port_.put(slot, 48, Peer{1}, now_);
  port_.flush(now_);
  const std::uint64_t cookie = fabric_.taken.at(0).cookie;
  EXPECT_EQ(Port::slot_of(cookie), kNone);
  EXPECT_EQ(Port::connection_of(cookie), kConnection);
  EXPECT_TRUE(Port::is_of(cookie, kConnection, kLife));
  EXPECT_FALSE(Port::is_of(cookie, kConnection, kLife + 1));
  EXPECT_FALSE(Port::is_of(cookie, kConnection + 1, kLife));
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

// So a fabric can hand over a run of them as one piece.
TEST(PortOfFramesAsLongAsSlots, FramesThatArePutOneAfterTheOtherLieSideBySide) {
  constexpr std::uint32_t kFrame = 1452;  // over IPv6
  ShortFabric fabric(kFrame, kFrame);
  SendSlots slots(8, kFrame);
  Port port(fabric, slots, 8);
  for (const std::size_t frames : {3u, 5u, 8u}) {
    fabric.taken.clear();
    for (std::size_t i = 0; i < frames; ++i) port.put(slots.take(), kFrame, Peer{1}, Time{});
    port.flush(Time{});
    ASSERT_EQ(fabric.taken.size(), frames);
    for (std::size_t i = 1; i < frames; ++i)
      EXPECT_EQ(fabric.taken[i].data, fabric.taken[i - 1].data + kFrame) << frames << " " << i;
  }
}

// Of 64 bytes that the fabric takes inline 48 are the acknowledgement's.
TEST_F(PortOfAShortFabric, AnAcknowledgementSharesTheDatagramOfAShortFrame) {
  put_filled(16, Peer{1}, std::byte{7});
  acknowledge(Peer{1}, std::byte{8});
  EXPECT_EQ(slots_.left(), kSlots - 1) << "one datagram, one slot";
  EXPECT_EQ(port_.slots_in_use(), 1u);
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 1u);
  std::vector<std::byte> both(48, std::byte{8});
  both.resize(64, std::byte{7});
  EXPECT_EQ(bytes_of(0), both);
  EXPECT_EQ(slots_.left(), kSlots);
  EXPECT_EQ(port_.slots_in_use(), 0u);
  EXPECT_EQ(port_.counts().frames_sent, 1u);
  EXPECT_EQ(port_.counts().bytes_sent, 64u);
}

TEST_F(PortOfAShortFabric, AnAcknowledgementGoesAloneWhereItCannotShare) {
  acknowledge(Peer{1}, std::byte{1});  // nothing waits
  put_filled(16, Peer{1}, std::byte{2});
  acknowledge(Peer{2}, std::byte{3});  // somebody else's
  put_filled(17, Peer{2}, std::byte{4});
  acknowledge(Peer{2}, std::byte{5});  // too long together
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(bytes_of(i).front(), std::byte(i + 1));
  acknowledge(Peer{2}, std::byte{6});  // the one before is gone
  port_.flush(now_);
  EXPECT_EQ(fabric_.taken.size(), 6u);
  EXPECT_EQ(slots_.left(), kSlots);
}

TEST_F(PortOfAShortFabric, AnAcknowledgementSharesWhatIsLeftWhenAPeerHasGone) {
  put_filled(16, Peer{2}, std::byte{1});
  acknowledge(Peer{1}, std::byte{2});
  port_.drop(Peer{1});
  acknowledge(Peer{2}, std::byte{3});
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 1u);
  std::vector<std::byte> both(48, std::byte{3});
  both.resize(64, std::byte{1});
  EXPECT_EQ(bytes_of(0), both);
}

// It has no room for another one before it, and nobody knows how many it begins with.
TEST_F(PortOfAShortFabric, AnAcknowledgementLeavesWhatHasOneWhenAPeerHasGone) {
  for (const bool one_goes : {false, true}) {
    ShortFabric wide(160);
    Port port(wide, slots_, 8);
    const std::uint32_t neighbour = filled(1024, std::byte{9});
    port.put(filled(10, std::byte{1}), 10, Peer{2}, now_);
    acknowledge_on(port, Peer{2}, std::byte{2});
    if (one_goes) port.put(filled(20, std::byte{3}), 20, Peer{1}, now_);
    port.drop(Peer{1});
    acknowledge_on(port, Peer{2}, std::byte{4});
    port.flush(now_);
    ASSERT_EQ(wide.taken.size(), 2u);
    EXPECT_EQ(wide.taken[0].size, 58u);
    EXPECT_EQ(wide.taken[0].data[0], std::byte{2});
    EXPECT_EQ(wide.taken[0].data[48], std::byte{1});
    EXPECT_EQ(wide.taken[1].data[0], std::byte{4});
    const std::byte* const beside = slots_.memory(neighbour, 1024);
    EXPECT_TRUE(std::all_of(beside, beside + 1024, [](std::byte b) { return b == std::byte{9}; }));
    slots_.give(neighbour);
  }
}

// Over UDP three go as one buffer if the last one is no longer than the first two.
TEST_F(PortOfAShortFabric, AnAcknowledgementLeavesARunAsItIs) {
  put_filled(16, Peer{1}, std::byte{1});
  put_filled(16, Peer{1}, std::byte{2});
  acknowledge(Peer{1}, std::byte{3});
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 3u);
  EXPECT_EQ(fabric_.taken[1].size, 16u);
}

// Who hears several hears them in the order in which they were said.
TEST_F(PortOfAShortFabric, AcknowledgementsThatShareADatagramKeepTheirOrder) {
  ShortFabric wide(160);
  Port port(wide, slots_, 8);
  const auto acknowledge = [&](std::byte what) { acknowledge_on(port, Peer{1}, what); };
  acknowledge(std::byte{1});
  acknowledge(std::byte{2});
  EXPECT_EQ(slots_.left(), kSlots - 1);
  port.put(filled(10, std::byte{3}), 10, Peer{1}, now_);
  acknowledge(std::byte{4});
  acknowledge(std::byte{5});
  port.flush(now_);
  ASSERT_EQ(wide.taken.size(), 2u);
  const auto firsts = [&](std::size_t i, std::size_t step) {
    std::vector<int> values;
    for (std::size_t at = 0; at < wide.taken[i].size; at += step) {
      values.push_back(static_cast<int>(wide.taken[i].data[at]));
    }
    return values;
  };
  EXPECT_EQ(firsts(0, 48), (std::vector{1, 2}));
  EXPECT_EQ(firsts(1, 48), (std::vector{4, 5, 3}));
  EXPECT_EQ(wide.taken[1].size, 106u);
}

// What makes up for the loss of one must not be lost with it.
TEST_F(PortOfAShortFabric, AcknowledgementsBeginADatagramWhereTheOthersEnd) {
  ShortFabric wide(160);
  Port port(wide, slots_, 8);
  const auto acknowledge = [&] { acknowledge_on(port, Peer{1}, std::byte{1}); };
  acknowledge();
  port.end_acknowledgements(Peer{2});
  acknowledge();
  port.end_acknowledgements(Peer{1});
  for (int i = 0; i < 3; ++i) acknowledge();
  port.flush(now_);
  ASSERT_EQ(wide.taken.size(), 2u);
  EXPECT_EQ(wide.taken[0].size, 96u);
  EXPECT_EQ(wide.taken[1].size, 144u) << "though it was as long as the one before";
}

TEST_F(PortOfAShortFabric, AcknowledgementsBeginNoneWhereNothingIsTaken) {
  ShortFabric wide(160);
  Port port(wide, slots_, 8);
  const auto acknowledge = [&] { acknowledge_on(port, Peer{1}, std::byte{1}); };
  acknowledge();
  wide.room = 0;
  port.flush(now_);
  port.end_acknowledgements(Peer{1});
  acknowledge();
  EXPECT_EQ(slots_.left(), kSlots - 1);
}

// It is the fabric's, wherever it lies, until it has been sent.
TEST_F(PortOfAShortFabric, AnAcknowledgementDoesNotJoinWhatIsNotTakenInline) {
  put_filled(500, Peer{1}, std::byte{1});
  acknowledge(Peer{1}, std::byte{2});
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 2u);
  EXPECT_EQ(slots_.left(), kSlots - 1);
  port_.sent(port_.oldest_posted(), now_);
  EXPECT_EQ(slots_.left(), kSlots);
}

TEST_F(PortOfAShortFabric, WhatAFullFabricHasNotTakenIsShared) {
  fabric_.room = 0;
  put_filled(16, Peer{1}, std::byte{1});
  port_.flush(now_);
  EXPECT_TRUE(port_.is_full());
  acknowledge(Peer{1}, std::byte{2});
  fabric_.room = 8;
  port_.set_writable(now_);
  port_.flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 1u);
  EXPECT_EQ(fabric_.taken[0].size, 64u);
}

// Payloads that lie elsewhere: what they are when they are read is their first byte.
class PortOfLongFrames : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::uint32_t kFrame = 8192, kPayload = 5000, kHeader = 48;

  class Writer final : public FrameWriter {
   public:
    void write(const Operation& operation, std::byte* to, Passes) override {
      std::fill_n(to, operation.more_size, payload);
      ++written;
    }
    std::byte payload{1};
    int written = 0;
  };

  PortOfLongFrames() {
    fabric_.abilities().gathers = !is_written();
    fabric_.abilities().is_written_in_place = is_written();
    port_.emplace(fabric_, slots_, 8, &writer_);
  }
  static bool is_written() { return GetParam(); }

  void put() {
    port_->put_beginning(slots_.take(), kHeader, kPayload, is_written() ? nullptr : memory_.data(),
                         Peer{1}, now_);
  }
  void change_payload() {
    writer_.payload = std::byte{0xee};
    std::ranges::fill(memory_, std::byte{0xee});
  }

  Time now_{1'000};
  ShortFabric fabric_{kFrame, kFrame};
  SendSlots slots_{8, kFrame};
  Writer writer_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kPayload, std::byte{1});
  std::optional<Port> port_;
};

TEST_P(PortOfLongFrames, APayloadIsTheFabricsToRead) {
  EXPECT_EQ(port_->writes(kPayload), is_written());
  EXPECT_EQ(port_->gathers(kPayload), !is_written());
  EXPECT_FALSE(port_->writes(100) || port_->gathers(100)) << "copying is cheaper";
  put();
  port_->flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 1u);
  const Operation& taken = fabric_.taken[0];
  EXPECT_TRUE(taken.inline_data);
  EXPECT_EQ(std::pair(taken.size, taken.more_size), std::pair(kHeader, kPayload));
  EXPECT_EQ(writer_.written, 0) << "that is the fabric's to ask for";
  if (!is_written()) {
    EXPECT_EQ(taken.more, memory_.data());
  }
  EXPECT_EQ(port_->counts().bytes_sent, kHeader + kPayload);
  EXPECT_EQ(slots_.left(), 8u);
}

// The message may be over when the fabric has room again, and its memory somebody else's.
TEST_P(PortOfLongFrames, APayloadIsNotReadAfterTheFlush) {
  fabric_.room = 1;
  put();
  put();
  port_->flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 1u);
  change_payload();
  fabric_.room = 8;
  port_->set_writable(now_);
  port_->flush(now_);
  ASSERT_EQ(fabric_.taken.size(), 2u);
  const Operation& late = fabric_.taken[1];
  ASSERT_EQ(std::pair(late.size, late.more_size), std::pair(kHeader + kPayload, 0u));
  EXPECT_TRUE(std::all_of(late.data + kHeader, late.data + late.size,
                          [](std::byte byte) { return byte == std::byte{1}; }));
}

TEST_P(PortOfLongFrames, NothingJoinsAFrameWhosePayloadLiesElsewhere) {
  put();
  EXPECT_EQ(port_->join_last(Peer{1}), nullptr);
  port_->put_acknowledgement(slots_.take(), Peer{1}, now_);
  port_->flush(now_);
  EXPECT_EQ(fabric_.taken.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Ways, PortOfLongFrames, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "Written" : "Gathered"; });

}  // namespace
}  // namespace holdfast::reliable
