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
#include "hw/tcp/tcp_fabric.hpp"
#include "stack/reliable/message_frame.hpp"

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

  static std::vector<Outgoing::Frame> frames_of(const std::vector<std::size_t>& sizes) {
    static const std::vector<std::byte> kMemory(20'000, std::byte{7});
    std::vector<Outgoing::Frame> frames;
    for (const std::size_t size : sizes) {
      const std::span<const std::byte> all = std::span(kMemory).first(size);
      frames.push_back({all.first(kBeginning), all.subspan(kBeginning)});
    }
    return frames;
  }

  // That the stream is these frames, each from a multiple of a line on, and zeros behind it.
  void expect(const std::vector<std::size_t>& sizes) {
    std::vector<std::byte> stream(100'000);
    const ssize_t got = ::recv(reader_.get(), stream.data(), stream.size(), 0);
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
      std::uint32_t found = 0;
      ASSERT_EQ(at % kCacheLineBytes, 0u);
      ASSERT_TRUE(take_prefix(&stream[at], found));
      ASSERT_EQ(found, size);
      at += kFramePrefixBytes;
      for (const std::size_t end = at + size; at < end; ++at) ASSERT_EQ(stream[at], std::byte{7});
      for (; at % kCacheLineBytes != 0; ++at) ASSERT_EQ(stream[at], std::byte{0});
    }
    EXPECT_EQ(static_cast<std::size_t>(got), at);
  }

  int writer() const { return writer_.get(); }
  Outgoing& outgoing() { return outgoing_; }

 private:
  Descriptor writer_, reader_;
  Outgoing outgoing_{1 << 20};
};

const std::vector<std::size_t> kSizes{48, 49, 57, 5'000, 111, 112, 6'001, 60};

TEST_F(OutgoingFrames, BeginWithALineWhereTheyLeaveAtOnce) {
  ASSERT_EQ(outgoing().send(writer(), frames_of(kSizes)), kSizes.size());
  expect(kSizes);
}

// The second time where others have waited before.
TEST_F(OutgoingFrames, BeginWithALineWhereTheyHaveWaited) {
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{20'000}, kSizes}) {
    for (const Outgoing::Frame& frame : frames_of(sizes)) ASSERT_TRUE(outgoing().take(frame));
    ASSERT_TRUE(outgoing().flush(writer()));
    expect(sizes);
  }
}

// Then each fragment of a long message begins with a line of the program's memory, too.
TEST(TcpOptions, FullFramesNeedNoPadding) {
  const TcpOptions options;
  EXPECT_EQ(padding_bytes(options.frame_bytes_max), 0u);
  EXPECT_EQ((options.frame_bytes_max - reliable::kMessageHeaderBytes) % kCacheLineBytes, 0u);
}

}  // namespace
}  // namespace holdfast::hw
