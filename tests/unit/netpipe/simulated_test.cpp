// Ping-pongs and streams over the networks of two papers, against what follows from the networks'
// rates.
#include "experiments/netpipe/simulated.hpp"

#include <gtest/gtest.h>

#include "sim/jobs/raw_end.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::size_t kLarge = 4 << 20;

class Simulated : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    plan_.network = find_simulated_network(GetParam());
    ASSERT_NE(plan_.network, nullptr);
    plan_.sizes = {1, kLarge};
    plan_.before_each = [](const std::string&) {};
    ASSERT_TRUE(measure_simulated(plan_, findings_).is_ok());
  }
  // Bytes a second.
  double rate(const char* pattern, const std::string& contender, std::size_t bytes) const {
    for (const bench::BandwidthRow& row : findings_.rows) {
      if (row.measurement.ends_with(pattern) && row.contender == contender &&
          row.message_bytes == bytes)
        return row.median_bytes_per_second;
    }
    ADD_FAILURE() << "there is no " << pattern << " of " << contender;
    return 0;
  }
  const bench::Cluster& cluster() const { return plan_.network->cluster; }
  double wire() const { return static_cast<double>(cluster().bits_per_second) / 8; }
  std::string raw() const { return std::string("raw ") + GetParam(); }
  // Bytes of payload in a second if one processor handles a full frame after the other.
  double handled(const sim::FrameWork& work) const {
    const double frame = cluster().fragment_bytes + double{reliable::kMessageHeaderBytes};
    const double seconds = 1e-9 * static_cast<double>(work.each.ns) +
                           frame / static_cast<double>(work.bytes_per_second);
    return cluster().fragment_bytes / seconds;
  }

  SimulatedPlan plan_;
  SimulatedFindings findings_;
};

TEST_P(Simulated, AByteThatNothingProtectsTakesTheLatencyAndItsFrame) {
  const double seconds =
      1e-9 * static_cast<double>(cluster().latency.ns) + (sim::RawEnd::kHeaderBytes + 1.0) / wire();
  EXPECT_NEAR(1 / rate("ping_pong", raw(), 1), seconds, 0.5e-9);
}

// From the first one to the answer: both have their way to go. On the sender's cable is one more
// frame, the last of those before, which has just been handed over.
TEST_P(Simulated, AStreamOfBytesThatNothingProtectsEndsWithItsAnswer) {
  constexpr double kMessages = 200;
  const double frame = (sim::RawEnd::kHeaderBytes + 1.0) / wire();
  const double seconds = 2e-9 * static_cast<double>(cluster().latency.ns) + (kMessages + 2) * frame;
  EXPECT_NEAR(kMessages / rate("stream", raw(), 1), seconds, 2e-9);
}

TEST_P(Simulated, LongMessagesThatNothingProtectsFillTheWire) {
  EXPECT_LT(rate("stream", raw(), kLarge), wire());
  EXPECT_GT(rate("stream", raw(), kLarge), 0.98 * wire());
}

// Both ends handle each frame; a stream is as fast as one processor is, or the wire.
TEST_P(Simulated, LongMessagesOfOursAreBoundByTheirCopies) {
  for (const auto& [contender, work] : {std::pair{"holdfast none", cluster().copied},
                                        std::pair{"holdfast crc32c", cluster().checked}}) {
    const double bound = std::min(handled(work), wire());
    EXPECT_LT(rate("stream", contender, kLarge), bound) << contender;
    EXPECT_GT(rate("stream", contender, kLarge), 0.85 * bound) << contender;
  }
}

// Handling a frame at either end, and the wire, which one frame pays for once.
TEST_P(Simulated, AByteOfOursTakesTheWorkOfBothEndsAtLeast) {
  const double frame = 1 + double{reliable::kMessageHeaderBytes};
  const double work = 1e-9 * static_cast<double>(cluster().copied.each.ns) +
                      frame / static_cast<double>(cluster().copied.bytes_per_second);
  const double least = 1e-9 * static_cast<double>(cluster().latency.ns) + frame / wire() + 2 * work;
  const double half_trip = 1 / rate("ping_pong", "holdfast none", 1);
  EXPECT_GT(half_trip, least - 1e-9);
  EXPECT_LT(half_trip, least + 2 * work);  // an acknowledgement may be in its way
}

TEST_P(Simulated, IsTheSameEachTime) {
  SimulatedFindings again;
  ASSERT_TRUE(measure_simulated(plan_, again).is_ok());
  ASSERT_EQ(again.rows.size(), findings_.rows.size());
  for (std::size_t i = 0; i < again.rows.size(); ++i)
    EXPECT_EQ(again.rows[i].median_bytes_per_second, findings_.rows[i].median_bytes_per_second);
}

INSTANTIATE_TEST_SUITE_P(Networks, Simulated, ::testing::Values("sim-dr", "sim-csum"),
                         [](const auto& test) {
                           return std::string(test.param).substr(std::string("sim-").size());
                         });

TEST(SimulatedNetworks, OthersAreNotKnown) {
  EXPECT_EQ(find_simulated_network("sim"), nullptr);
}

TEST(SimulatedNetworks, EachFragmentIsAContender) {
  SimulatedPlan plan;
  plan.network = find_simulated_network("sim-csum");
  plan.sizes = {65536};
  plan.fragment_bytes = {4096, 16384};
  plan.before_each = [](const std::string&) {};
  SimulatedFindings findings;
  ASSERT_TRUE(measure_simulated(plan, findings).is_ok());
  EXPECT_EQ(findings.rows.size(), 2u * 5u);
  EXPECT_EQ(findings.overheads.size(), 2u * 2u);
}

}  // namespace
}  // namespace holdfast::netpipe
