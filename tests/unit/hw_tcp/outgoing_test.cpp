// Where frames begin on the stream that calls write.
#include "hw/tcp/outgoing.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/tcp/framing.hpp"

namespace holdfast::hw {
namespace {

constexpr std::size_t kBeginning = 48;  // of a frame, before its payload

class OutgoingFrames : public ::testing::Test {
 protected:
  OutgoingFrames() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    writer_ = Descriptor(ends[0]);
    reader_ = Descriptor(ends[1]);
  }

  // In one call.
  void send(const std::vector<std::size_t>& sizes) {
    const std::vector<std::byte> memory(20'000, std::byte{7});
    std::vector<Outgoing::Frame> frames;
    for (const std::size_t size : sizes) {
      const std::span<const std::byte> all = std::span(memory).first(size);
      frames.push_back({all.first(kBeginning), all.subspan(kBeginning)});
    }
    ASSERT_EQ(outgoing_.send(writer_.get(), frames), frames.size());
    ASSERT_TRUE(outgoing_.is_empty());
  }

  // The padding behind each frame that was sent, and where each begins in `begins`.
  std::vector<std::uint32_t> read(std::vector<std::size_t>& begins) {
    std::vector<std::byte> stream(100'000);
    const ssize_t got = ::recv(reader_.get(), stream.data(), stream.size(), 0);
    EXPECT_GT(got, 0);
    std::vector<std::uint32_t> paddings;
    std::size_t at = 0;
    while (at + kFramePrefixBytes <= static_cast<std::size_t>(got)) {
      FramePrefix prefix;
      EXPECT_TRUE(take_prefix(&stream[at], prefix));
      begins.push_back(at);
      paddings.push_back(prefix.padding);
      at += prefix.all();
    }
    EXPECT_EQ(at, static_cast<std::size_t>(got));
    return paddings;
  }

 private:
  Descriptor writer_, reader_;
  Outgoing outgoing_{1 << 20};
};

TEST_F(OutgoingFrames, EveryCallWritesWholeLines) {
  for (const std::size_t size : {48u, 49u, 56u, 4'100u, 16'000u}) {
    send({size});
    std::vector<std::size_t> begins;
    const auto paddings = read(begins);
    ASSERT_EQ(paddings.size(), 1u);
    EXPECT_EQ((kFramePrefixBytes + size + paddings[0]) % kLineBytes, 0u) << size;
  }
}

TEST_F(OutgoingFrames, LongPayloadsBeginWithALineAndShortFramesHaveNoneOfTheirOwn) {
  send({56, 57, 5'000, 58, 59, 6'001, 7'000, 60});
  std::vector<std::size_t> begins;
  const auto paddings = read(begins);
  ASSERT_EQ(paddings.size(), 8u);
  for (const std::size_t i : {2u, 5u, 6u})
    EXPECT_EQ((begins[i] + kFramePrefixBytes + kBeginning) % kLineBytes, 0u) << i;
  for (const std::size_t i : {0u, 2u, 3u, 6u}) EXPECT_EQ(paddings[i], 0u) << i;
}

}  // namespace
}  // namespace holdfast::hw
