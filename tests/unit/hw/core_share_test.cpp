// Additions in a cycle, of this machine.
#include "hw/tune/core_share.hpp"

#include <gtest/gtest.h>

namespace holdfast::hw {
namespace {

// No more than four are offered, and any processor does one in two cycles; an interruption of all
// attempts may make it more or less.
TEST(CoreShare, IsOfTheMagnitudeOfACore) {
  const double additions = additions_per_cycle();
  EXPECT_GT(additions, 0.4);
  EXPECT_LT(additions, 8.0);
}

}  // namespace
}  // namespace holdfast::hw
