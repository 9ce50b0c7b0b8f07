// In which steps of a benchmark somebody else computed on the core.
#include "experiments/netpipe/shared_core.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::netpipe {
namespace {

TEST(SharedCore, CountsTheStepsWithLessThanTheBest) {
  const SharedCore found = shared_core({3.70, 2.90, 3.69, 3.40, 3.71});
  EXPECT_EQ(found.best, 3.71);
  EXPECT_EQ(found.median, 3.69);
  EXPECT_EQ(found.steps, 5u);
  EXPECT_EQ(found.shared_steps, 2u);
}

// With 8.11 as the best, all others would have been shared.
TEST(SharedCore, OneThatIsFarTooHighIsNotTheBest) {
  std::vector<double> steps(300, 3.70);
  steps[150] = 8.11;
  steps[200] = 2.90;
  const SharedCore found = shared_core(steps);
  EXPECT_EQ(found.best, 3.70);
  EXPECT_EQ(found.shared_steps, 1u);
}

TEST(SharedCore, NoneWithoutSteps) {
  EXPECT_EQ(shared_core({}).steps, 0u);
}

TEST(SharedCore, NoneIfAllAreAlike) {
  EXPECT_EQ(shared_core({3.2, 3.2, 3.2}).shared_steps, 0u);
}

}  // namespace
}  // namespace holdfast::netpipe
