// What rounds come to, and what is promised of them.
#include "experiments/netpipe/measurements.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/netpipe/comparison.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;
const Compared kCompared{"with", "without", "raw", "mpi"};
const Network kUdp{"udp", "udp"};

Measurements of(std::size_t bytes, std::vector<std::pair<std::string, std::vector<double>>> rates) {
  Measurements measurements;
  for (const auto& [contender, of_rounds] : rates) {
    for (const double rate : of_rounds) measurements.add(Pattern::stream, bytes, contender, rate);
  }
  return measurements;
}

const bench::ShowRow* find(const std::vector<bench::ShowRow>& shows, const std::string& show) {
  const auto found = std::find_if(shows.begin(), shows.end(),
                                  [&](const bench::ShowRow& row) { return row.show == show; });
  return found == shows.end() ? nullptr : &*found;
}

// The second round was disturbed, all of it: the ratio is 0.5 in each, but that of the medians is
// not.
TEST(Promises, AreRatiosOfTheSameRound) {
  const auto shows =
      promised(kUdp, kCompared, of(kMebibyte, {{"with", {50, 5, 60}}, {"raw", {100, 10, 110}}}));
  const bench::ShowRow* const row = find(shows, "udp stream: checksum / raw");
  ASSERT_NE(row, nullptr);
  EXPECT_DOUBLE_EQ(row->ratio, 0.5);
  EXPECT_DOUBLE_EQ(row->least, 0.4);
  EXPECT_DOUBLE_EQ(row->bytes_per_second, 50);
  EXPECT_DOUBLE_EQ(row->limit_bytes_per_second, 100);
  EXPECT_TRUE(row->kept());
}

TEST(Promises, OfWhatWasNotMeasuredThereAreNone) {
  EXPECT_TRUE(
      promised({"shm", "shm"}, kCompared, of(kMebibyte, {{"with", {1}}, {"raw", {2}}})).empty());
  EXPECT_TRUE(promised(kUdp, kCompared, of(4096, {{"with", {1}}, {"raw", {2}}})).empty());
}

// From the issue: beside plain UDP, and beside Open MPI over TCP and shared memory, by length.
TEST(Promises, AreThoseOfEachTarget) {
  constexpr std::size_t kLengths[] = {8, 65536, kMebibyte};
  const auto find_least = [&](const char* target, const std::string& show, std::size_t bytes) {
    Measurements measurements;
    for (const Pattern pattern : {Pattern::ping_pong, Pattern::stream}) {
      for (const char* const contender : {"with", "without", "raw", "mpi"}) {
        for (const std::size_t length : kLengths) measurements.add(pattern, length, contender, 1);
      }
    }
    for (const bench::ShowRow& row : promised({target, target}, kCompared, measurements))
      if (row.show == target + (" " + show) && row.message_bytes == bytes) return row.least;
    return 0.0;
  };
  EXPECT_NEAR(find_least("udp", "ping_pong: checksum / raw", 8), 1 / 1.35, 1e-3);
  EXPECT_EQ(find_least("udp", "stream: checksum / raw", kMebibyte), 0.4);
  EXPECT_NEAR(find_least("shm", "ping_pong: checksum / ob1", 8), 1 / 1.5, 1e-3);
  for (const std::string pattern : {"ping_pong: ", "stream: "}) {
    EXPECT_EQ(find_least("shm", pattern + "checksum / ob1", kMebibyte), 0.75) << pattern;
    EXPECT_EQ(find_least("tcp", pattern + "checksum / ob1", kMebibyte), 0.85) << pattern;
    EXPECT_EQ(find_least("tcp", pattern + "no checksum / ob1", kMebibyte), 1) << pattern;
  }
  for (const std::size_t bytes : kLengths)
    EXPECT_EQ(find_least("tcp", "ping_pong: no checksum / ob1", bytes), 1) << bytes;
}

// From the issue: at most 8 % on UDP and 12 % in shared memory, from 64 KiB on.
TEST(Promises, TheChecksumsPriceIsThatOfTheTarget) {
  for (const auto& [target, least] : {std::pair{"udp", 0.92}, {"shm", 0.88}}) {
    const auto shows = promised({target, target}, kCompared,
                                of(65536, {{"with", {90}}, {"without", {100}}, {"raw", {200}}}));
    const bench::ShowRow* const row = find(shows, std::string(target) + " stream: checksum / none");
    ASSERT_NE(row, nullptr);
    EXPECT_DOUBLE_EQ(row->least, least);
    EXPECT_EQ(row->kept(), std::string(target) == "shm");
  }
}

// And at most 3 % behind a wire that is slower than the processors; of nothing else is anything
// promised there.
TEST(Promises, BehindASlowWireAChecksumCostsNearlyNothing) {
  const Network wire{"udp", "udp at 2400 Mbit/s", 300'000};
  const auto shows =
      promised(wire, kCompared, of(65536, {{"with", {98}}, {"without", {100}}, {"raw", {500}}}));
  ASSERT_EQ(shows.size(), 1u);
  EXPECT_EQ(shows[0].show, "udp at 2400 Mbit/s stream: checksum / none");
  EXPECT_DOUBLE_EQ(shows[0].least, 0.97);
}

TEST(Promises, OfAPingPongThatFitsTheBurstsOfAWireThereAreNone) {
  Measurements measurements;
  for (const std::size_t bytes : {std::size_t{262'144}, kMebibyte}) {
    for (const char* const contender : {"with", "without", "raw"})
      measurements.add(Pattern::ping_pong, bytes, contender, 100);
  }
  EXPECT_EQ(promised({"udp", "udp", 131'072}, kCompared, measurements).size(), 1u);
  EXPECT_EQ(promised({"udp", "udp", 131'071}, kCompared, measurements).size(), 2u);
}

TEST(Defaults, AreTheFragmentsOfAJobOverTcp) {
  EXPECT_EQ(default_fragment_bytes("tcp") + reliable::kMessageHeaderBytes,
            hw::TcpOptions{}.frame_bytes_max);
}

TEST(Rows, AreMediansInTheOrderOfTheContenders) {
  const auto rows =
      of(8, {{"raw", {3, 1, 2}}, {"with", {7, 9, 8}}}).rows("tcp", {"with", "raw", "absent"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].measurement, "tcp stream");
  EXPECT_EQ(rows[0].contender, "with");
  EXPECT_DOUBLE_EQ(rows[0].median_bytes_per_second, 8);
  EXPECT_DOUBLE_EQ(rows[1].median_bytes_per_second, 2);
  EXPECT_EQ(rows[1].samples, 3u);
}

// The later rounds were disturbed, all of them: a tenth is lost in each.
TEST(Overheads, AreSharesOfTheSameRound) {
  const auto rows = of(64, {{"with", {90, 9, 18}}, {"none", {100, 10, 20}}})
                        .overheads("shm", {{"absent", "none"}, {"with", "none"}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].measurement, "shm stream");
  EXPECT_EQ(rows[0].contender, "with");
  EXPECT_EQ(rows[0].message_bytes, 64u);
  EXPECT_EQ(rows[0].samples, 3u);
  EXPECT_DOUBLE_EQ(rows[0].median_share, 0.1);
  EXPECT_FALSE(rows[0].share);
}

TEST(Overheads, HaveAnIntervalFromSixRoundsOn) {
  const auto rows =
      of(64, {{"with", {90, 80, 70, 60, 50, 40}}, {"none", {100, 100, 100, 100, 100, 100}}})
          .overheads("shm", {{"with", "none"}});
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].share);
  EXPECT_DOUBLE_EQ(rows[0].share->low, 0.1);
  EXPECT_DOUBLE_EQ(rows[0].share->high, 0.6);
}

}  // namespace
}  // namespace holdfast::netpipe
