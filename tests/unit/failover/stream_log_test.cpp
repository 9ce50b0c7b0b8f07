// Two processes' view of one log, here by two mappings of it.
#include "experiments/failover/stream_log.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace holdfast::failover {
namespace {

TEST(SharedLog, IsTheSameForWhoOpensItByItsPath) {
  SharedLog mine;
  ASSERT_TRUE(SharedLog::create(mine).is_ok());
  const SharedLog theirs = SharedLog::open(mine.path());
  theirs->deliver(Time{5}, true);
  theirs->deliver(Time{9}, false);
  theirs->ends[1].add({Time{7}, 1, false});
  theirs->ends[0].fail("a reason");
  EXPECT_EQ(mine->deliveries.load(), 2u);
  EXPECT_EQ(mine->delivery[1], Time{9});
  EXPECT_EQ(mine->wrong.load(), 1u);
  EXPECT_EQ(mine->ends[1].changes.load(), 1u);
  EXPECT_EQ(mine->ends[1].change[0].rail, 1);
  EXPECT_EQ(mine->ends[0].has_failed.load(), 1u);
  EXPECT_STREQ(mine->ends[0].why.data(), "a reason");
  EXPECT_EQ(mine->ends[1].has_failed.load(), 0u);
}

TEST(SharedLog, OfAPathThatIsNoneSaysSo) {
  EXPECT_THROW(SharedLog::open("/nowhere"), std::runtime_error);
}

TEST(StreamLog, LeavesOutWhatDoesNotFit) {
  SharedLog log;
  ASSERT_TRUE(SharedLog::create(log).is_ok());
  for (std::uint32_t i = 0; i < StreamLog::kChangesMax + 3; ++i)
    log->ends[0].add({Time{i}, 0, true});
  EXPECT_EQ(log->ends[0].changes.load(), StreamLog::kChangesMax);
  EXPECT_EQ(log->ends[0].change.back().at, Time{StreamLog::kChangesMax - 1});
}

}  // namespace
}  // namespace holdfast::failover
