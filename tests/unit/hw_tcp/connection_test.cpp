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

#include "hw/tcp/framing.hpp"
#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrameBytesMax = 200'000;  // more than a connection's buffer at first
constexpr std::uint32_t kLong = 16'000;
constexpr std::uint32_t kBeginning = 48;
constexpr std::size_t kReadAhead = 1'000;
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
  }

  Connection& connection() { return *connection_; }
  void write(std::span<const std::byte> bytes) {
    EXPECT_EQ(::send(writer_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  static std::vector<std::byte> on_the_wire(const Frame& frame) {
    const auto size = static_cast<std::uint32_t>(frame.size());
    std::vector<std::byte> bytes(kFramePrefixBytes);
    put_prefix(size, bytes.data());
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    bytes.resize(stream_bytes(size), std::byte{0xa5});
    return bytes;
  }

  // How the rest of a long frame is read.
  enum class Way : std::uint8_t { here, whole, placed };

  // All that has come; what went straight to its memory is counted.
  void take_into(std::vector<Frame>& frames, Way way) {
    for (;;) {
      std::span<const std::byte> frame;
      const Connection::Next next = connection_->next(frame);
      ASSERT_NE(next, Connection::Next::impossible);
      if (next == Connection::Next::frame) {
        frames.emplace_back(frame.begin(), frame.end());
        connection_->drop();
      } else if (read(frames, way) != Connection::Read::some) {
        return;
      }
    }
  }
  std::size_t straight() const { return straight_; }

 private:
  // What has begun to be placed goes on to be.
  Connection::Read read(std::vector<Frame>& frames, Way way) {
    if (connection_->rest() != nullptr) way = Way::placed;
    if (way == Way::placed && connection_->has_begun(kBeginning)) return read_placed(frames);
    if (way != Way::whole || !connection_->has_begun(0)) return connection_->read(kReadAhead);
    const std::uint32_t bytes = connection_->begun_bytes();
    bool is_whole = false;
    const Connection::Read read = connection_->read_whole(memory_.data(), is_whole);
    if (is_whole) add(frames, bytes);
    return read;
  }

  Connection::Read read_placed(std::vector<Frame>& frames) {
    const Connection::Read read = connection_->read_rest(kBeginning, memory_.data() + kBeginning);
    if (!connection_->has_rest()) return read;
    std::ranges::copy(connection_->beginning(kBeginning), memory_.begin());
    add(frames, connection_->begun_bytes());
    connection_->drop_placed();
    return read;
  }

  void add(std::vector<Frame>& frames, std::uint32_t bytes) {
    frames.emplace_back(memory_.begin(), memory_.begin() + bytes);
    ++straight_;
  }

  Descriptor writer_;
  std::unique_ptr<Connection> connection_;
  Frame memory_ = Frame(kFrameBytesMax);
  std::size_t straight_ = 0;
};

using Way = Stream::Way;

TEST(Connection, OfLongFramesWhatWasNotReadAheadIsReadToWhereTheyBelong) {
  for (const Way way : {Way::here, Way::whole, Way::placed}) {
    Random random(1, 0, 0);
    Stream stream;
    std::vector<Frame> sent, received;
    for (int i = 0; i < 5; ++i) {
      sent.push_back(frame_of(kLong, random));
      stream.write(Stream::on_the_wire(sent.back()));
      stream.take_into(received, way);
    }
    EXPECT_EQ(received, sent);
    EXPECT_EQ(stream.straight(), way == Way::here ? 0u : 5u);
  }
}

TEST(Connection, ShortFramesAreNot) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> received;
  const auto short_one = Stream::on_the_wire(frame_of(4'095, random));
  stream.write(std::span(short_one).first(1'000));
  stream.take_into(received, Way::here);
  EXPECT_FALSE(stream.connection().has_begun(0));
  stream.write(std::span(short_one).subspan(1'000));
  const auto long_one = Stream::on_the_wire(frame_of(4'096, random));
  stream.write(std::span(long_one).first(kFramePrefixBytes + 47));
  stream.take_into(received, Way::here);
  EXPECT_EQ(received.size(), 1u);
  EXPECT_TRUE(stream.connection().has_begun(0));
  EXPECT_TRUE(stream.connection().has_begun(47));
  EXPECT_FALSE(stream.connection().has_begun(48)) << "that is not here yet";
}

// Whoever wanted it does not any more: what is still to come of it is not taken for the next frame.
TEST(Connection, OfAFrameThatIsGivenUpNothingIsLeft) {
  for (const std::size_t first :
       std::array<std::size_t, 3>{1000u, 10000u, kFramePrefixBytes + kLong}) {
    Random random(1, 0, 0);
    Stream stream;
    std::vector<Frame> received;
    const Frame next = frame_of(kLong, random);
    const auto given_up = Stream::on_the_wire(frame_of(kLong, random));
    stream.write(std::span(given_up).first(std::min<std::size_t>(first, kLong)));
    std::span<const std::byte> frame;
    Frame memory(kFrameBytesMax);
    ASSERT_EQ(stream.connection().next(frame), Connection::Next::incomplete);
    ASSERT_EQ(stream.connection().read(100), Connection::Read::some);
    ASSERT_EQ(stream.connection().next(frame), Connection::Next::incomplete);
    ASSERT_EQ(stream.connection().read_rest(48, memory.data()), Connection::Read::some);
    EXPECT_FALSE(stream.connection().has_rest());
    EXPECT_EQ(stream.connection().rest(), memory.data());
    stream.connection().give_up_rest();
    EXPECT_EQ(stream.connection().rest(), nullptr);
    stream.write(std::span(given_up).subspan(std::min<std::size_t>(first, kLong)));
    stream.write(Stream::on_the_wire(next));
    for (int i = 0; i < 4; ++i) stream.take_into(received, Way::whole);
    EXPECT_EQ(received, std::vector<Frame>{next}) << first;
  }
}

TEST(Connection, ALengthBeyondTheLimitIsFoundBehindAFrameThatIsPlaced) {
  Random random(1, 0, 0);
  Stream stream;
  std::vector<Frame> received;
  const auto first = Stream::on_the_wire(frame_of(kLong, random));
  stream.write(std::span(first).first(5'000));
  stream.take_into(received, Way::placed);
  stream.write(std::span(first).subspan(5'000));
  stream.write(Stream::on_the_wire(frame_of(kFrameBytesMax + 1, random)));
  Frame memory(kFrameBytesMax);
  std::span<const std::byte> frame;
  EXPECT_EQ(stream.connection().next(frame), Connection::Next::incomplete);
  auto* const place = const_cast<std::byte*>(stream.connection().rest());
  EXPECT_EQ(stream.connection().read_rest(kBeginning, place), Connection::Read::some);
  EXPECT_TRUE(stream.connection().has_rest());
  stream.connection().drop_placed();
  EXPECT_EQ(stream.connection().next(frame), Connection::Next::impossible);
}

// The kernel may take a part of it only.
TEST(Connection, PaddingThatComesLaterIsNoFrame) {
  constexpr std::uint32_t kPadding = padding_bytes(kLong);
  for (const Way way : {Way::here, Way::whole, Way::placed}) {
    for (const std::uint32_t late : {1u, 17u, kPadding}) {
      Random random(late, 0, 0);
      Stream stream;
      std::vector<Frame> received;
      const std::vector<Frame> sent{frame_of(kLong, random), frame_of(60, random)};
      const auto first = Stream::on_the_wire(sent[0]);
      const std::span<const std::byte> all(first);
      stream.write(all.first(kFramePrefixBytes + 100));
      stream.take_into(received, way);
      stream.write(all.subspan(kFramePrefixBytes + 100, kLong - 100 + kPadding - late));
      for (int i = 0; i < 3; ++i) stream.take_into(received, way);
      EXPECT_EQ(received.size(), 1u) << "whatever of its padding is there";
      stream.write(all.last(late));
      stream.write(Stream::on_the_wire(sent[1]));
      for (int i = 0; i < 3; ++i) stream.take_into(received, way);
      EXPECT_EQ(received, sent) << late;
    }
  }
}

// Runs of one length, short ones between them, and pieces of any size.
TEST(Connection, FramesAreWholeAndInOrderHoweverTheyCome) {
  constexpr std::array<std::uint32_t, 7> kSizes{0, 1, 48, 4'095, 4'096, kLong, kFrameBytesMax};
  std::size_t straight = 0;
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
      stream.take_into(received, static_cast<Way>(random.below(3)));
    }
    ASSERT_EQ(received, sent) << "seed " << seed;
    straight += stream.straight();
  }
  EXPECT_GT(straight, 250u);
}

}  // namespace
}  // namespace holdfast::hw
