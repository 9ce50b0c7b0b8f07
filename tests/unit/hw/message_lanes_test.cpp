// Which rings messages over shared memory have.
#include <gtest/gtest.h>

#include "hw/launch/message_lanes.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

bool are_long(std::uint32_t processes, std::size_t rails, std::uint64_t file_system_bytes) {
  const ShmGeometry lanes = lanes_for_messages(processes, rails, file_system_bytes);
  if (lanes == ShmGeometry{}) return false;
  const std::uint32_t window = reliable::limits_for("shm").window_bytes;
  EXPECT_GE(lanes.frames * lanes.frame_bytes, window) << "no loss for want of room";
  EXPECT_GE(lanes.frames, ShmGeometry{}.frames) << "as many short messages may wait as in others";
  return true;
}

// A lane from each process to each other one, of a mebibyte and a little more.
TEST(MessageLanes, AreLongIfAllOfThemTakeAQuarterOfWhatThereIs) {
  EXPECT_TRUE(are_long(2, 1, 9 * kMebibyte));
  EXPECT_FALSE(are_long(2, 1, 8 * kMebibyte));
  EXPECT_FALSE(are_long(2, 2, 9 * kMebibyte)) << "each rail has its own";
  EXPECT_TRUE(are_long(64, 1, 16'500 * kMebibyte));
  EXPECT_FALSE(are_long(65, 1, 16'500 * kMebibyte));
  EXPECT_TRUE(are_long(1, 1, 0)) << "none";
}

TEST(MessageLanes, AreShortWhereNobodyKnowsHowMuchThereIs) {
  EXPECT_EQ(file_system_bytes_at("/proc/no/such/directory"), 0u);
  EXPECT_GT(file_system_bytes_at("/dev/shm"), kMebibyte);
  EXPECT_FALSE(are_long(2, 1, file_system_bytes_at("/proc/no/such/directory")));
}

}  // namespace
}  // namespace holdfast::hw
