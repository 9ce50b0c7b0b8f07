// Frames that are read to where they belong, whatever lengths they have and however they come.
#include "hw/tcp/connection.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrameBytesMax = 20'000;
constexpr std::uint32_t kLong = 16'000;
using Frame = std::vector<std::byte>;

Frame frame_of(std::uint32_t size, Random& random) {
  Frame frame(size);
  const std::uint64_t first = random.next();
  for (std::size_t i = 0; i < size; ++i)
    frame[i] = static_cast<std::byte>(mix64(first + i / 8) >> i % 8 * 8);
  return frame;
}

// What one end writes, and the connection that reads it.
class Stream {
 public:
  Stream() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    writer_ = Descriptor(ends[0]);
    connection_ = std::make_unique<Connection>(Descriptor(ends[1]), UdpEndpoint{},
                                               Connection::Stage::made, kFrameBytesMax);
    for (auto& place : memory_) place.resize(kFrameBytesMax);
  }

  Connection& connection() { return *connection_; }
  void write(std::span<const std::byte> bytes) {
    EXPECT_EQ(::send(writer_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  static std::vector<std::byte> on_the_wire(const Frame& frame) {
    std::vector<std::byte> bytes(kFramePrefixBytes);
    store_le(bytes.data(), static_cast<std::uint32_t>(frame.size()));
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    return bytes;
  }

  // All that has come, with so many places; what went straight into them is counted.
  void take_into(std::vector<Frame>& frames, std::size_t places) {
    for (;;) {
      std::span<const std::byte> frame;
      const Connection::Next next = connection_->next(frame);
      ASSERT_NE(next, Connection::Next::impossible);
      if (next == Connection::Next::frame) {
        frames.emplace_back(frame.begin(), frame.end());
        connection_->drop();
      } else if (read(frames, places) != Connection::Read::some) {
        return;
      }
    }
  }
  std::size_t placed() const { return placed_; }

 private:
  Connection::Read read(std::vector<Frame>& frames, std::size_t places) {
    if (!connection_->expects_long()) return connection_->read();
    std::array<std::byte*, ExpectedFrames::kMax> starts{};
    for (std::size_t i = 0; i < places; ++i) starts[i] = memory_[i].data();
    std::array<std::uint32_t, ExpectedFrames::kMax> sizes{};
    std::size_t placed = 0;
    const auto read = connection_->read(std::span(starts).first(places), sizes, placed);
    for (std::size_t i = 0; i < placed; ++i) {
      frames.emplace_back(starts[i], starts[i] + sizes[i]);
    }
    placed_ += placed;
    return read;
  }

  Descriptor writer_;
  std::unique_ptr<Connection> connection_;
  std::array<Frame, ExpectedFrames::kMax> memory_;
  std::size_t placed_ = 0;
};

TEST(Connection, LongFramesAreReadIntoTheirPlacesOnceOneHasCome) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> sent, received;
  for (int i = 0; i < 5; ++i) {
    sent.push_back(frame_of(kLong, random));
    stream.write(Stream::on_the_wire(sent.back()));
    stream.take_into(received, 4);
  }
  EXPECT_EQ(received, sent);
  EXPECT_EQ(stream.placed(), 4u);
}

TEST(Connection, ShortFramesAreReadTogether) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> received;
  stream.write(Stream::on_the_wire(frame_of(kLong, random)));
  stream.write(Stream::on_the_wire(frame_of(48, random)));
  stream.take_into(received, 4);
  EXPECT_FALSE(stream.connection().expects_long());
}

TEST(Connection, OfARunThatIsReadOverTheLatestLengthCounts) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> received;
  // The second is begun when the first has been read, and placed; its length is expected then.
  const auto second = Stream::on_the_wire(frame_of(kLong + 1, random));
  stream.write(Stream::on_the_wire(frame_of(kLong, random)));
  stream.write(std::span(second).first(100));
  stream.take_into(received, 4);
  stream.write(std::span(second).subspan(100));
  stream.take_into(received, 4);
  EXPECT_EQ(stream.placed(), 1u);
  stream.write(Stream::on_the_wire(frame_of(kLong + 1, random)));
  stream.take_into(received, 4);
  EXPECT_EQ(stream.placed(), 2u);
}

TEST(Connection, WhatFollowsALengthThatWasNotExpectedIsKeptThoughItIsMoreThanTheBuffer) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> sent, received;
  sent.push_back(frame_of(kLong, random));
  stream.write(Stream::on_the_wire(sent.back()));
  stream.take_into(received, ExpectedFrames::kMax);
  for (int i = 0; i < 8; ++i) {
    sent.push_back(frame_of(i == 0 ? 7 : kLong, random));
    stream.write(Stream::on_the_wire(sent.back()));
  }
  stream.take_into(received, ExpectedFrames::kMax);
  EXPECT_EQ(received, sent);
}

TEST(Connection, ALengthBeyondTheLimitIsFoundAmongThoseThatWereExpected) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> received;
  stream.write(Stream::on_the_wire(frame_of(kLong, random)));
  stream.take_into(received, 4);
  stream.write(Stream::on_the_wire(frame_of(kFrameBytesMax + 1, random)));
  std::array<Frame, 2> memory{Frame(kFrameBytesMax), Frame(kFrameBytesMax)};
  const std::array<std::byte*, 2> places{memory[0].data(), memory[1].data()};
  std::array<std::uint32_t, ExpectedFrames::kMax> sizes{};
  std::size_t placed = 0;
  std::span<const std::byte> frame;
  EXPECT_EQ(stream.connection().next(frame), Connection::Next::incomplete);
  EXPECT_EQ(stream.connection().read(places, sizes, placed), Connection::Read::some);
  EXPECT_EQ(placed, 0u);
  EXPECT_EQ(stream.connection().next(frame), Connection::Next::impossible);
}

// Runs of one length, short ones between them, and pieces of any size.
TEST(Connection, FramesAreWholeAndInOrderHoweverTheyCome) {
  constexpr std::array<std::uint32_t, 7> kSizes{0, 1, 48, 4'095, 4'096, kLong, kFrameBytesMax};
  std::size_t placed = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed, 0, 0);
    Stream stream;
    std::vector<Frame> sent, received;
    std::vector<std::byte> bytes;
    while (sent.size() < 60) {
      const std::uint32_t size = kSizes[random.below(kSizes.size())];
      for (std::uint64_t left = 1 + random.below(6); left > 0; --left) {
        sent.push_back(frame_of(size, random));
        const auto frame = Stream::on_the_wire(sent.back());
        bytes.insert(bytes.end(), frame.begin(), frame.end());
      }
    }
    const std::uint64_t piece_max = seed % 3 == 0 ? 700 : seed % 3 == 1 ? 30'000 : 100'000;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece =
          std::min<std::size_t>(1 + random.below(piece_max), bytes.size() - at);
      stream.write(std::span(bytes).subspan(at, piece));
      at += piece;
      stream.take_into(received, 1 + random.below(ExpectedFrames::kMax));
    }
    ASSERT_EQ(received, sent) << "seed " << seed;
    placed += stream.placed();
  }
  EXPECT_GT(placed, 250u);
}

}  // namespace
}  // namespace holdfast::hw
