// Frames that are read into slots without a copy: each in a slot of its own, whatever slots there
// are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/tcp/tcp_fabric.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrameBytesMax = 20'000;
constexpr std::size_t kSlots = 8;

std::unique_ptr<TcpFabric> open() {
  TcpOptions options;
  options.frame_bytes_max = kFrameBytesMax;
  options.receive_depth = kSlots;
  std::unique_ptr<TcpFabric> fabric;
  const Status status = TcpFabric::open(options, fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// A sender of frames whose bytes all say their number, and a receiver with slots of `slot_bytes`.
class LongFrames {
 public:
  explicit LongFrames(std::uint32_t slot_bytes) : slot_bytes_(slot_bytes) {
    to_ = sender_->attach(receiver_->local_address(), Service::datagram);
    for (std::size_t i = 0; i < kSlots; ++i) {
      memory_[i].assign(slot_bytes + 1, kBehind);
      give(i);
    }
  }

  void send(std::uint32_t bytes) { send_in_pieces(bytes, bytes); }
  // The first piece of so many bytes.
  void send_in_pieces(std::uint32_t first, std::uint32_t bytes) {
    std::vector<std::byte> frame(bytes, static_cast<std::byte>(sent_++));
    Operation operation;
    operation.inline_data = true;
    operation.peer = to_;
    operation.data = frame.data();
    operation.size = first;
    operation.more_size = bytes - first;
    if (first < bytes) operation.more = frame.data() + first;
    EXPECT_EQ(sender_->post({&operation, 1}), 1u);
  }

  struct Received {
    std::uint32_t bytes;
    std::byte number;
    friend bool operator==(const Received&, const Received&) = default;
  };
  // What comes until there are so many, in polls of `room` events.
  std::vector<Received> receive(std::size_t count, std::size_t room) {
    std::vector<Received> all;
    std::vector<Event> events(room);
    for (int attempt = 0; attempt < 20'000 && all.size() < count; ++attempt) {
      const std::size_t some = receiver_->poll(events);
      for (const Event& event : std::span(events).first(some)) {
        const std::vector<std::byte>& slot = memory_[event.cookie];
        EXPECT_EQ(slot.back(), kBehind);
        for (std::size_t i = 1; i < event.size; ++i) EXPECT_EQ(slot[i], slot[0]);
        all.push_back({event.size, slot[0]});
        give(event.cookie);
      }
      static_cast<void>(sender_->poll(events));
      if (some == 0) ::usleep(100);
    }
    return all;
  }
  const TcpCounters& counters() const { return receiver_->counters(); }
  const TcpCounters& counters_of_sender() const { return sender_->counters(); }

 private:
  static constexpr std::byte kBehind{0xee};

  void give(std::size_t i) {
    const ReceiveSlot slot{{}, memory_[i].data(), slot_bytes_, i};
    EXPECT_EQ(receiver_->offer({&slot, 1}), 1u);
  }

  std::uint32_t slot_bytes_;
  std::unique_ptr<TcpFabric> sender_ = open(), receiver_ = open();
  Peer to_;
  unsigned sent_ = 0;
  std::array<std::vector<std::byte>, kSlots> memory_;
};

TEST(TcpFabric, LongFramesFillSlotsOfTheirOwn) {
  for (const std::size_t room : {1u, 3u, 64u}) {
    LongFrames frames(kFrameBytesMax);
    std::vector<LongFrames::Received> sent;
    for (unsigned i = 0; i < 40; ++i) {
      const std::uint32_t bytes = i % 7 == 3 ? 48 : i % 11 == 5 ? kFrameBytesMax : 16'000;
      frames.send(bytes);
      sent.push_back({bytes, static_cast<std::byte>(i)});
    }
    EXPECT_EQ(frames.receive(sent.size(), room), sent) << room;
  }
}

TEST(TcpFabric, LongFramesAreNotWrittenBeyondSlotsThatAreShorterThanTheyMayBe) {
  LongFrames frames(16'000);
  for (int i = 0; i < 4; ++i) frames.send(16'000);
  frames.send(16'001);
  frames.send(kFrameBytesMax);
  frames.send(16'000);
  EXPECT_EQ(frames.receive(5, 64).size(), 5u);
  EXPECT_EQ(frames.counters().truncated, 2u);
}

// Until nobody takes any more: of one of them the kernel has taken a part, and the rest waited.
TEST(TcpFabric, FramesInTwoPiecesThatWaitAreWhole) {
  LongFrames frames(kFrameBytesMax);
  std::vector<LongFrames::Received> sent;
  while (frames.counters_of_sender().lost == 0 && sent.size() < 10'000) {
    const auto number = static_cast<std::byte>(sent.size());
    sent.push_back({16'001, number});
    frames.send_in_pieces(sent.size() % 2 == 0 ? 48 : 9'000, 16'001);
  }
  ASSERT_EQ(frames.counters_of_sender().lost, 1u);
  sent.pop_back();
  EXPECT_EQ(frames.receive(sent.size(), 64), sent);
}

}  // namespace
}  // namespace holdfast::hw
