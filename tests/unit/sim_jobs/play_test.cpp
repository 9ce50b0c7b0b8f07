// How long programs take whose time can be worked out by hand. A byte at 8 Gb/s takes a nanosecond.
#include "sim/jobs/play.hpp"

#include <gtest/gtest.h>

#include "sim/workload/counts.hpp"
#include "stack/reliable/message_frame.hpp"
#include "tests/unit/sim_jobs/steps.hpp"

namespace holdfast::sim {
namespace {

constexpr std::int64_t kHeader = reliable::kMessageHeaderBytes;
constexpr std::int64_t kRawHeader = 32;
constexpr std::int64_t kFragment = 16384;
constexpr std::int64_t kLatency = 5000;

PlayOptions by(Transport transport) {
  PlayOptions options;
  options.transport = transport;
  options.bits_per_second = 8'000'000'000;
  options.latency = nanoseconds(kLatency);
  options.fragment_bytes = kFragment;
  return options;
}

// Each to the next one, and from the one before.
Played ring(const PlayOptions& options, std::uint32_t processes, std::uint64_t bytes,
            int rounds = 1) {
  return play(options, processes, [&](ProcessId self) {
    const std::uint32_t next = (self.value + 1) % processes;
    const std::uint32_t before = (self.value + processes - 1) % processes;
    std::vector<Step> steps;
    for (int i = 0; i < rounds; ++i) {
      steps.insert(steps.end(), {post_receive(before, bytes), send(next, bytes), wait_all()});
    }
    return std::make_unique<Steps>(steps);
  });
}

std::int64_t ns(const Played& played) {
  EXPECT_EQ(played.failure, "");
  EXPECT_EQ(played.resent, 0u);
  return played.timed.ns;
}

TEST(Play, AShortRawMessageTakesTheLatencyAndItsBytes) {
  EXPECT_EQ(ns(ring(by(Transport::raw), 4, 10'000)), kLatency + 10'000 + kRawHeader);
}

// The receiver's adapter asks for it (header there, header back), and the sender goes on when it
// has been told that all has come. Its data follow one another without a pause.
TEST(Play, ALongRawMessageIsGotByTheReceiversAdapter) {
  constexpr std::int64_t kBytes = 8 * kFragment;
  EXPECT_EQ(ns(ring(by(Transport::raw), 4, kBytes)), 4 * kLatency + kBytes + (8 + 3) * kRawHeader);
}

TEST(Play, AShortReliableMessageTakesTheLatencyAndItsBytes) {
  EXPECT_EQ(ns(ring(by(Transport::reliable), 4, 10'000)), kLatency + 10'000 + kHeader);
}

// Asked for and granted, then the bytes in frames with their headers, and the acknowledgement that
// lets the sender go on: four ways, and a header for each frame, once the window of the rail has
// opened.
TEST(Play, ALongReliableMessageTakesItsBytesAndAHeaderForEachFrame) {
  constexpr std::int64_t kBytes = 4 * kFragment;
  const PlayOptions options = by(Transport::reliable);
  EXPECT_EQ(ns(ring(options, 4, kBytes, 4)) - ns(ring(options, 4, kBytes, 3)),
            4 * kLatency + kBytes + (4 + 3) * kHeader);
}

TEST(Play, HandlingFramesOfOneMessageOverlapsWithTheWire) {
  PlayOptions options = by(Transport::reliable);
  options.player.buffered_bytes_max = 8 * kFragment;
  const std::int64_t without = ns(ring(options, 2, 4 * kFragment));
  options.work = {nanoseconds(0), 4'000'000'000};
  const std::int64_t with = ns(ring(options, 2, 4 * kFragment));
  // Of the first fragment before it leaves; of the last one, and of what the processor has to do
  // for the other direction meanwhile, after it has come.
  constexpr std::int64_t kOne = (kFragment + kHeader) / 4;
  EXPECT_GE(with - without, 2 * kOne);
  EXPECT_LE(with - without, 2 * kOne + 4 * kOne);
}

// A sum over the whole message overlaps with nothing.
TEST(Play, SummingUpTheWholeMessageComesBeforeAndAfterTheWire) {
  PlayOptions options = by(Transport::raw);
  const std::int64_t without = ns(ring(options, 4, 10'000));
  options.player.sum_bytes_per_second = 2'000'000'000;
  EXPECT_EQ(ns(ring(options, 4, 10'000)), without + 2 * 5'000);
}

TEST(Play, ComputingTakesItsTimeAndNothingIsHandledMeanwhile) {
  for (const Transport transport : {Transport::raw, Transport::reliable}) {
    const Played played = play(by(transport), 2, [&](ProcessId self) {
      return std::make_unique<Steps>(
          self.value == 0
              ? std::vector<Step>{send(1, 1000), compute(milliseconds(3)), receive(1, 8)}
              : std::vector<Step>{compute(milliseconds(1)), receive(0, 1000), send(0, 8)});
    });
    EXPECT_EQ(ns(played), 3'000'000);
  }
}

// A long message to a process that computes waits for it; a short one does not make its sender
// wait.
TEST(Play, OnlyALongMessageWaitsForItsReceiver) {
  for (const Transport transport : {Transport::raw, Transport::reliable}) {
    for (const std::uint64_t bytes : {std::uint64_t{1000}, std::uint64_t{100'000}}) {
      const PlayOptions options = by(transport);
      const Played played = play(options, 2, [&](ProcessId self) {
        std::vector<Step> steps = {compute(milliseconds(9)), receive(0, bytes)};
        if (self.value == 0) steps = {send(1, bytes), compute(milliseconds(9))};
        return std::make_unique<Steps>(steps);
      });
      const bool waited = played.timed > milliseconds(10);
      EXPECT_EQ(waited, bytes > options.player.buffered_bytes_max);
      EXPECT_EQ(played.failure, "");
    }
  }
}

// Else the sender of a long message, which waits for it, would wait for what the receiver computes.
TEST(Play, WhatIsOwedIsPaidBeforeComputing) {
  for (const Transport transport : {Transport::raw, Transport::reliable}) {
    const Played played = play(by(transport), 2, [&](ProcessId self) {
      std::vector<Step> steps = {receive(0, 100'000), compute(milliseconds(9))};
      if (self.value == 0) steps = {send(1, 100'000), compute(milliseconds(9))};
      return std::make_unique<Steps>(steps);
    });
    EXPECT_LE(ns(played), 9'000'000 + 200'000);
  }
}

// Frames of two long messages share the cable: the shorter one takes twice its length, and not that
// of the longer one, which was asked for first, besides.
TEST(Play, LongRawMessagesOfOneSenderTakeTurns) {
  constexpr std::int64_t kLonger = 64 * kFragment, kShorter = 4 * kFragment;
  constexpr Duration kWork = milliseconds(9);
  const Played played = play(by(Transport::raw), 3, [&](ProcessId self) {
    std::vector<Step> steps = {receive(0, kLonger)};
    if (self.value == 0) steps = {post_send(1, kLonger), post_send(2, kShorter), wait_all()};
    if (self.value == 2) steps = {receive(0, kShorter), compute(kWork)};
    return std::make_unique<Steps>(steps);
  });
  EXPECT_GE(ns(played), 3 * kLatency + 2 * kShorter + kWork.ns);
  EXPECT_LE(ns(played),
            3 * kLatency + 2 * kShorter + kWork.ns + 2 * kFragment + (2 * 4 + 2 + 3) * kRawHeader);
}

// What is never given up has a deadline beyond the end of simulated time.
TEST(Play, WhoeverComputesLongIsWaitedFor) {
  for (const std::int64_t ms : {1, 10, 30}) {
    const Played played = play(by(Transport::reliable), 2, [&](ProcessId self) {
      std::vector<Step> steps;
      for (int i = 0; i < 20; ++i) {
        if (self.value == 0) steps.insert(steps.end(), {send(1, 1000), receive(1, 8)});
        if (self.value == 1) {
          steps.insert(steps.end(), {compute(milliseconds(ms)), receive(0, 1000), send(0, 8)});
        }
      }
      return std::make_unique<Steps>(steps);
    });
    EXPECT_EQ(played.failure, "");
    EXPECT_GE(played.timed, milliseconds(20 * ms));
    EXPECT_LE(played.timed, milliseconds(20 * ms + 1));
  }
}

TEST(Play, WhatIsComputedIsScaled) {
  PlayOptions options = by(Transport::raw);
  options.player.compute_scale = 0.5;
  const Played played = play(options, 2, [](ProcessId) {
    return std::make_unique<Steps>(std::vector<Step>{compute(milliseconds(4))});
  });
  EXPECT_EQ(ns(played), 2'000'000);
}

TEST(Play, WhoWaitsForNobodysMessageIsFound) {
  for (const Transport transport : {Transport::raw, Transport::reliable}) {
    const Played played = play(by(transport), 2, [](ProcessId self) {
      return std::make_unique<Steps>(self.value == 0 ? std::vector<Step>{receive(1, 8)}
                                                     : std::vector<Step>{});
    });
    EXPECT_EQ(played.failure, "the processes wait for ever");
  }
}

constexpr std::array kSmallJobs = {
    Job{Benchmark::bt, ProblemClass::s, 4, 2},  Job{Benchmark::sp, ProblemClass::s, 9, 2},
    Job{Benchmark::lu, ProblemClass::s, 8, 2},  Job{Benchmark::cg, ProblemClass::s, 8, 2},
    Job{Benchmark::mg, ProblemClass::s, 8, 2},  Job{Benchmark::ft, ProblemClass::s, 8, 2},
    Job{Benchmark::is, ProblemClass::s, 16, 2},
};

// All that the skeleton sends is sent, and the timed part lies within the whole of what computes.
TEST(Play, EveryBenchmarkComesToItsEndWithAllItsMessages) {
  for (const Job& job : kSmallJobs) {
    SCOPED_TRACE(name_of(job));
    const JobCounts counts = count_job(job);
    for (const Transport transport : {Transport::raw, Transport::reliable}) {
      const Played played = play(by(transport), job);
      EXPECT_EQ(played.failure, "");
      EXPECT_EQ(played.messages, counts.messages.sum);
      EXPECT_EQ(played.bytes, counts.bytes.sum);
      EXPECT_GT(played.timed, Duration{0});
    }
  }
}

TEST(Play, IsAFunctionOfItsArguments) {
  PlayOptions options = by(Transport::reliable);
  options.work = {nanoseconds(300), 6'000'000'000};
  for (const Job& job : kSmallJobs) {
    SCOPED_TRACE(name_of(job));
    const Played once = play(options, job), again = play(options, job);
    EXPECT_EQ(once.timed, again.timed);
    EXPECT_EQ(once.frames, again.frames);
  }
}

TEST(Play, AProtocolIsNeverFasterThanTheWire) {
  for (const Job& job : kSmallJobs) {
    SCOPED_TRACE(name_of(job));
    PlayOptions options = by(Transport::raw);
    const Duration raw = play(options, job).timed;
    options.player.sum_bytes_per_second = 2'000'000'000;
    EXPECT_GT(play(options, job).timed, raw);
  }
}

}  // namespace
}  // namespace holdfast::sim
