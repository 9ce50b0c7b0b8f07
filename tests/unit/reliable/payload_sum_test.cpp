// Parts of messages in one piece and in segments: what is packed in two passes is what is packed in
// one, and so is its checksum.
#include "stack/reliable/payload_sum.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "stack/base/random.hpp"

namespace holdfast::reliable {
namespace {

constexpr std::size_t kBytes = 60'000;

std::vector<std::byte> random_bytes() {
  Random random(1, 2, 3);
  std::vector<std::byte> drawn(kBytes);
  for (std::byte& byte : drawn) byte = static_cast<std::byte>(random.next() >> 56);
  return drawn;
}

TEST(PayloadSum, IsTheSameInTwoPasses) {
  std::vector<std::byte> memory = random_bytes();
  const std::array<Segment, 2> halves{
      {{memory.data() + 30'000, 30'000, {}}, {memory.data(), 30'000, {}}}};
  SegmentList list;
  ASSERT_EQ(list.describe(halves, MemoryUse::sending), SegmentFault::none);
  for (const char* const checksum : {"", "crc32c", "fnv1a"}) {
    const PayloadSum sum(checksum);
    for (const MessageMemory& message :
         {MessageMemory{memory.data(), nullptr}, MessageMemory{nullptr, &list}}) {
      for (const std::uint64_t at : {0u, 4096u, 29'000u}) {
        for (const std::uint32_t bytes : {0u, 100u, 16'384u, 30'000u}) {
          std::vector<std::byte> here(bytes), in_two(bytes);
          EXPECT_EQ(sum.pack_in_two_passes(in_two.data(), message, at, bytes, 7),
                    sum.pack(here.data(), message, at, bytes, 7));
          EXPECT_EQ(in_two, here) << checksum << " " << at << " " << bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::reliable
