// How often work is called so that it can be timed.
#include "hw/tune/repeated_work.hpp"

#include <gtest/gtest.h>

#include "hw/tune/thread_time.hpp"

namespace holdfast::hw {
namespace {

constexpr double kSlice_s = 2e-3;

void compute_for(double seconds) {
  const double until = thread_seconds() + seconds;
  while (thread_seconds() < until) {
  }
}

TEST(RepeatedWork, IsCalledNoOftenerThanFits) {
  EXPECT_LE(calls_that_take([] { compute_for(kSlice_s / 40); }, kSlice_s), 40u);
}

TEST(RepeatedWork, WhatTakesLongIsCalledOnce) {
  EXPECT_EQ(calls_that_take([] { compute_for(3 * kSlice_s); }, kSlice_s), 1u);
}

// As when a machine that is shared takes the processor away in the middle of a call: the processor
// time of that call is long, and that of no other one. Then once was all that fits.
TEST(RepeatedWork, OneCallThatIsDisturbedMakesNoFewer) {
  for (const int disturbed : {0, 1, 5, 20}) {
    int calls = 0;
    const auto work = [&] { compute_for(calls++ == disturbed ? 40 * kSlice_s : kSlice_s / 40); };
    EXPECT_GE(calls_that_take(work, kSlice_s), 4u) << disturbed;
  }
}

}  // namespace
}  // namespace holdfast::hw
