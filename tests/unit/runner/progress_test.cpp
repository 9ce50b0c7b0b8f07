// The words of the progress line.
#include "experiments/runner/progress.hpp"

#include <gtest/gtest.h>

namespace holdfast::runner {
namespace {

TEST(Progress, TellsRateTimeLeftAndMemory) {
  ProgressState state;
  state.total = 10;
  state.finished = 2;
  state.running = 0.5;
  state.events = 25'000'000;
  // 2.5 replicates in 10 s: 7.5 take 30 s.
  EXPECT_EQ(progress_text(state, std::chrono::seconds(10), std::size_t{300} << 20),
            "2 of 10 replicates, 2.5 M events/s, 0:30 left, 300 MiB");
}

TEST(Progress, WhatEarlierRunsDidTookNoneOfOurTime) {
  ProgressState state;
  state.total = 1010;
  state.finished = 1001;
  state.before = 1000;
  EXPECT_EQ(progress_text(state, std::chrono::seconds(1000), 0),
            "1001 of 1010 replicates, 2:30:00 left, 0 MiB");
}

TEST(Progress, TellsHowFarRealProcessesAre) {
  ProgressState state;
  state.total = 2;
  state.running = 0.25;
  state.real = {seconds(15), seconds(60)};
  EXPECT_EQ(progress_text(state, std::chrono::seconds(15), 0),
            "0 of 2 replicates, 0:15 of 1:00 of this one, 1:45 left, 0 MiB");
}

TEST(Progress, TellsHowWellTheMediansAreKnown) {
  ProgressState state;
  state.total = 320;
  state.total_is_guessed = true;
  state.finished = 40;
  state.precision = "point 2: known_median_s to 4.1 % (2 % wanted)";
  EXPECT_EQ(progress_text(state, std::chrono::seconds(40), 0),
            "40 of about 320 replicates, 4:40 left, 0 MiB; point 2: known_median_s to 4.1 % (2 % "
            "wanted)");
}

TEST(Progress, SaysNothingOfTimeBeforeThereIsAny) {
  ProgressState state;
  state.total = 1;
  EXPECT_EQ(progress_text(state, std::chrono::seconds(0), 0), "0 of 1 replicate, 0 MiB");
}

}  // namespace
}  // namespace holdfast::runner
