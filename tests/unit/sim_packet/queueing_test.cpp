// Queues against closed forms: exact service of a backlog, and the waiting time of M/D/1.
#include <cmath>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

// n packets of one size take n times the exact time, at a rate that does not divide: the last bit
// of the last one comes when one packet of n times the bits would have come.
TEST(Queueing, ABacklogIsServedWithoutAGapOrAGain) {
  constexpr std::int64_t kRate = 54'545'454'545;
  constexpr std::int64_t kPackets = 1'000;
  constexpr std::int64_t kWireBytes = 1'000 + 34;
  for (const Switching switching : {Switching::cut_through, Switching::store_and_forward}) {
    TreeWire fabric(make_tree({{2}, {1}, {1}}),
                    {.switching = switching, .switch_latency = nanoseconds(90)},
                    {kRate, nanoseconds(131)});
    for (std::uint64_t i = 0; i < kPackets; ++i) {
      fabric.drive.inject({7}, {.from = {0}, .to = {1}, .bytes = 1'000, .token = i});
    }
    fabric.drive.finish();
    ASSERT_EQ(fabric.drive.reports.size(), std::size_t{kPackets});
    for (std::int64_t i = 0; i < kPackets; ++i) {
      const std::int64_t extra = switching == Switching::store_and_forward ? 1 : 0;
      __extension__ const __int128 bits = (i + 1 + extra) * kWireBytes * 8;
      const auto sent = static_cast<std::int64_t>((bits * kSimUnitsPerSecond + kRate - 1) / kRate);
      const PacketReport& report = fabric.drive.reports[static_cast<std::size_t>(i)];
      ASSERT_EQ(report.token, static_cast<std::uint64_t>(i));
      ASSERT_EQ(report.at.value, 7 + 2 * 13'100 + 9'000 + sent) << i;
    }
  }
}

// Mean wait of Poisson arrivals at one server of fixed time s and load rho: rho s / (2 (1 - rho)).
TEST(Queueing, WaitingAtOnePortIsThatOfMD1) {
  constexpr int kPackets = tests::drawn(1'500'000);
  const double near = 0.01 * std::sqrt(1.5e6 / kPackets);  // as the error of a mean falls
  const SimTime s = takes_100(222);                        // 256 bytes: 2,048 units
  for (const double rho : {0.3, 0.6}) {
    TreeWire fabric(make_tree({{2}, {1}, {1}}));
    const SimTime idle = SimTime{2 * 15'000 + 10'000} + s;
    Random random(11, 22, static_cast<std::uint64_t>(rho * 10));
    double clock = 0.0;
    double waited = 0.0;
    std::uint64_t seen = 0;
    for (int i = 0; i < kPackets; ++i) {
      clock += -std::log(1.0 - random.unit()) * static_cast<double>(s.value) / rho;
      const SimTime at{static_cast<std::int64_t>(clock)};
      fabric.drive.inject(
          at,
          {.from = {0}, .to = {1}, .bytes = 222, .token = static_cast<std::uint64_t>(at.value)});
      for (const PacketReport& report : fabric.drive.reports) {
        waited += static_cast<double>(
            (report.at - SimTime{static_cast<std::int64_t>(report.token)} - idle).value);
        ++seen;
      }
      fabric.drive.reports.clear();
    }
    const double expected = rho * static_cast<double>(s.value) / (2.0 * (1.0 - rho));
    EXPECT_NEAR(waited / static_cast<double>(seen) / expected, 1.0, near) << rho;
  }
}

}  // namespace
}  // namespace holdfast::sim
