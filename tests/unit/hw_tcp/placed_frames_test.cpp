// Long frames whose rest is read to where a placer says, and what becomes of them when it changes
// its mind.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "hw/tcp/framing.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrameBytesMax = 200'000;
constexpr std::uint32_t kBeginning = 48;
constexpr std::size_t kSlots = 8;

std::unique_ptr<TcpFabric> open() {
  TcpOptions options;
  options.frame_bytes_max = kFrameBytesMax;
  options.receive_depth = kSlots;
  options.send_buffer_bytes = 8 << 20;
  std::unique_ptr<TcpFabric> fabric;
  const Status status = TcpFabric::open(options, fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// Frames that begin with their number, and of which each byte is a function of it and its place.
std::byte byte_of(std::uint32_t number, std::size_t at) {
  return static_cast<std::byte>(number * 31u + at * 7u + at / 251u);
}

std::vector<std::byte> frame_of(std::uint32_t number, std::uint32_t bytes) {
  std::vector<std::byte> frame(bytes);
  for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = byte_of(number, i);
  store_le(frame.data(), number);
  return frame;
}

std::vector<std::byte> on_the_wire(std::uint32_t number, std::uint32_t bytes) {
  std::vector<std::byte> all = frame_of(number, bytes);
  std::array<std::byte, kFramePrefixBytes> prefix{};
  put_prefix(bytes, prefix.data());
  all.insert(all.begin(), prefix.begin(), prefix.end());
  all.resize(stream_bytes(bytes));
  return all;
}

// Who writes what it likes to a fabric.
class Stranger {
 public:
  explicit Stranger(const UdpEndpoint& to) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const SocketName there{to};
    EXPECT_EQ(::connect(socket_.get(), &there.any, there.size), 0);
  }
  void write(std::span<const std::byte> bytes) const {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

 private:
  Descriptor socket_;
};

class PlacedFrames : public ::testing::Test, public FramePlacer {
 protected:
  PlacedFrames() {
    receiver_->set_placer(this, kBeginning);
    for (std::size_t s = 0; s < senders_.size(); ++s) {
      senders_[s] = open();
      to_[s] = senders_[s]->attach(receiver_->local_address(), Service::datagram);
    }
    for (std::size_t i = 0; i < kSlots; ++i) {
      slots_[i].resize(kFrameBytesMax);
      give(i);
    }
  }
  ~PlacedFrames() override { receiver_->set_placer(nullptr, 0); }

  std::byte* place(std::span<const std::byte> beginning, std::uint32_t frame_bytes) override {
    EXPECT_EQ(beginning.size(), kBeginning);
    const auto number = load_le<std::uint32_t>(beginning.data());
    for (std::size_t i = 4; i < beginning.size(); ++i)
      EXPECT_EQ(beginning[i], byte_of(number, i)) << "of frame " << number;
    asked_.push_back(number);
    return place_ ? place_(number, frame_bytes) : nullptr;
  }

  void send(std::size_t sender, std::uint32_t number, std::uint32_t bytes) {
    const std::vector<std::byte> frame = frame_of(number, bytes);
    Operation operation;
    operation.inline_data = true;
    operation.peer = to_[sender];
    operation.data = const_cast<std::byte*>(frame.data());
    operation.size = bytes;
    EXPECT_EQ(senders_[sender]->post({&operation, 1}), 1u);
  }

  struct Received {
    std::uint32_t number = 0;
    std::uint32_t bytes = 0;
    bool is_placed = false;
    friend bool operator==(const Received&, const Received&) = default;
  };
  // One poll.
  std::size_t poll(std::vector<Received>& all) {
    std::array<Event, 64> events;
    const std::size_t count = receiver_->poll(events);
    for (std::size_t e = 0; e < count; ++e) {
      const Event& event = events[e];
      EXPECT_EQ(event.kind, EventKind::received);
      EXPECT_EQ(event.more && e + 1 < count, false) << "only the last one says so";
      EXPECT_TRUE(event.placed == nullptr || (count == 1 && event.more));
      const std::vector<std::byte>& slot = slots_[event.cookie];
      const std::byte* const rest =
          event.placed != nullptr ? event.placed : slot.data() + kBeginning;
      const auto number = load_le<std::uint32_t>(slot.data());
      for (std::size_t i = 4; i < event.size; ++i) {
        const std::byte there = i < kBeginning ? slot[i] : rest[i - kBeginning];
        if (there == byte_of(number, i)) continue;
        ADD_FAILURE() << "byte " << i << " of frame " << number;
        break;
      }
      all.push_back({number, event.size, event.placed != nullptr});
      give(event.cookie);
    }
    for (const auto& sender : senders_) EXPECT_EQ(sender->poll(events), 0u);
    return count;
  }
  std::vector<Received> receive(std::size_t count) {
    std::vector<Received> all;
    for (int attempt = 0; attempt < 20'000 && all.size() < count; ++attempt) {
      if (poll(all) == 0) ::usleep(50);
    }
    return all;
  }
  void poll_until_asked(std::vector<Received>& all) {
    for (int attempt = 0; attempt < 20'000 && asked_.empty(); ++attempt) {
      if (poll(all) == 0) ::usleep(50);
    }
    ASSERT_FALSE(asked_.empty());
  }
  void give(std::size_t i) {
    const ReceiveSlot slot{{}, slots_[i].data(), kFrameBytesMax, i};
    EXPECT_EQ(receiver_->offer({&slot, 1}), 1u);
  }

  std::unique_ptr<TcpFabric> receiver_ = open();
  std::array<std::unique_ptr<TcpFabric>, 2> senders_;
  std::array<Peer, 2> to_;
  std::array<std::vector<std::byte>, kSlots> slots_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kFrameBytesMax);
  std::function<std::byte*(std::uint32_t number, std::uint32_t bytes)> place_;
  std::vector<std::uint32_t> asked_;
};

// Short ones are in their slots, whole ones that were read together with what came before, too.
TEST_F(PlacedFrames, LieWhereTheyBelongAndInOrder) {
  place_ = [this](std::uint32_t number, std::uint32_t) {
    return number % 5 == 3 ? nullptr : memory_.data() + number;
  };
  std::vector<Received> all, sent;
  std::size_t placed = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const std::uint32_t bytes = i % 4 == 1 ? 48 : i % 7 == 2 ? 5'000 : 30'000 + i * 2'500;
    send(0, i, bytes);
    sent.push_back({i, bytes, false});
    if (i % 3 == 0) continue;
    for (const Received& one : receive(sent.size() - all.size())) all.push_back(one);
  }
  for (const Received& one : receive(sent.size() - all.size())) all.push_back(one);
  ASSERT_EQ(all.size(), sent.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_placed) ++placed;
    EXPECT_FALSE(all[i].is_placed && (all[i].bytes < 4'096 || i % 5 == 3)) << i;
    all[i].is_placed = false;
  }
  EXPECT_EQ(all, sent);
  EXPECT_GT(placed, 20u);
}

// A placer that is asked has been told of all that came before.
TEST_F(PlacedFrames, AreAskedAboutInPollsThatTellOfNothingBefore) {
  std::vector<Received> all;
  place_ = [&](std::uint32_t, std::uint32_t) {
    EXPECT_EQ(all.size(), 3u);
    return memory_.data();
  };
  for (std::uint32_t i = 0; i < 3; ++i) send(0, i, 100);
  send(0, 3, kFrameBytesMax);
  ::usleep(2'000);  // until all of that has come
  EXPECT_EQ(poll(all), 3u);
  for (const Received& one : receive(1)) all.push_back(one);
  EXPECT_EQ(all.back(), (Received{3, kFrameBytesMax, true}));
}

// A poll tells of one of them alone, and has not read all that there is.
TEST_F(PlacedFrames, OfWhomNeverHasNoMoreKeepNobodyElseWaiting) {
  place_ = [this](std::uint32_t, std::uint32_t) { return memory_.data(); };
  send(1, 0, 100);  // it has a connection
  EXPECT_EQ(receive(1).size(), 1u);
  constexpr int kMuch = 60, kBefore = 20;
  for (std::uint32_t i = 0; i < kMuch; ++i) send(0, i, kFrameBytesMax);
  std::vector<Received> all = receive(kBefore);
  ASSERT_EQ(all.size(), kBefore);
  send(1, 1, 100);
  ::usleep(2'000);  // until it has come
  all.clear();
  for (int polls = 0; polls < 12; ++polls) poll(all);
  EXPECT_TRUE(std::ranges::any_of(all, [](const Received& one) { return one.bytes == 100; }));
  EXPECT_GT(all.size(), 8u) << "the others went on coming";
}

// What has come of it may be anywhere by then; nobody is told, and what follows is whole. Of all of
// a frame nothing but its last byte may be missing.
TEST_F(PlacedFrames, WhosePlaceIsTakenBackAreLost) {
  std::vector<std::byte> other(kFrameBytesMax);
  for (const std::size_t first :
       std::initializer_list<std::size_t>{60'000, 10'000, kFramePrefixBytes + kFrameBytesMax - 1}) {
    for (std::byte* const then : {static_cast<std::byte*>(nullptr), other.data()}) {
      place_ = [&](std::uint32_t, std::uint32_t) { return memory_.data(); };
      const Stranger stranger(receiver_->endpoint());
      const std::uint64_t displaced = receiver_->counters().displaced;
      const std::vector<std::byte> lost = on_the_wire(1, kFrameBytesMax);
      std::vector<Received> all;
      asked_.clear();
      stranger.write(std::span(lost).first(first));
      poll_until_asked(all);
      EXPECT_TRUE(all.empty());
      place_ = [&](std::uint32_t number, std::uint32_t) {
        return number == 1 ? then : memory_.data();
      };
      stranger.write(std::span(lost).subspan(first));
      stranger.write(on_the_wire(2, 5'000));
      all = receive(1);
      ASSERT_EQ(all.size(), 1u);
      EXPECT_EQ(all[0].number, 2u);
      EXPECT_EQ(receiver_->counters().displaced, displaced + 1);
    }
  }
  const auto untouched = [](std::byte byte) { return byte == std::byte{0}; };
  EXPECT_TRUE(std::ranges::all_of(other, untouched)) << "it is not written elsewhere";
}

TEST_F(PlacedFrames, WithoutAPlacerAnyMoreAreLostOrInTheirSlots) {
  place_ = [this](std::uint32_t, std::uint32_t) { return memory_.data(); };
  std::vector<Received> all;
  for (std::uint32_t i = 0; i < 20; ++i) send(0, i, kFrameBytesMax);
  poll_until_asked(all);
  receiver_->set_placer(nullptr, 0);
  const std::size_t asked = asked_.size();
  for (int attempt = 0; attempt < 20'000 && all.size() < 19; ++attempt) {
    if (poll(all) == 0) ::usleep(50);
  }
  ::usleep(1'000);
  poll(all);
  EXPECT_EQ(all.size() + receiver_->counters().displaced, 20u);
  EXPECT_EQ(asked_.size(), asked);
  EXPECT_EQ(all.back(), (Received{19, kFrameBytesMax, false}));
}

}  // namespace
}  // namespace holdfast::hw
