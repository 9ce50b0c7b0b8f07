// Pairs of processes: every message of plain sockets and memory arrives, and one that does not, or
// is another's, is counted.
#include "experiments/netpipe/pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "experiments/netpipe/raw_ends.hpp"

namespace holdfast::netpipe {
namespace {

using namespace std::chrono_literals;

// Memory that both use, and then something done to what was received.
class SpoiltEnd final : public End {
 public:
  using Spoil = std::function<void(const Messages&)>;
  using Pause = std::function<void()>;
  // `pause` is called before a stream is received.
  SpoiltEnd(std::unique_ptr<End> whole, Spoil spoil, Pause pause)
      : whole_(std::move(whole)), spoil_(std::move(spoil)), pause_(std::move(pause)) {}
  void ping_pong(bool is_first, const Messages& out, const Messages& in) override {
    whole_->ping_pong(is_first, out, in);
    if (spoil_) spoil_(in);
  }
  void stream_out(const Messages& out) override { whole_->stream_out(out); }
  void stream_in(const Messages& in) override {
    if (pause_) pause_();
    whole_->stream_in(in);
    if (spoil_) spoil_(in);
  }

 private:
  std::unique_ptr<End> whole_;
  Spoil spoil_;
  Pause pause_;
};

std::unique_ptr<Pair> fork_raw(RawPair& raw, const SpoiltEnd::Spoil& spoil = {},
                               const SpoiltEnd::Pause& pause = {}) {
  std::unique_ptr<Pair> pair;
  const Status status = Pair::fork(
      [&](bool is_first) -> std::unique_ptr<End> {
        auto end = std::move(raw.ends[is_first ? 0 : 1]);
        if ((!spoil && !pause) || is_first) return end;
        return std::make_unique<SpoiltEnd>(std::move(end), spoil, pause);
      },
      pair);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return pair;
}

Order order_of(Pattern pattern, std::size_t bytes, std::size_t count, std::uint64_t batch) {
  Order order;
  order.pattern = pattern;
  order.bytes = bytes;
  order.count = count;
  order.batch = batch;
  return order;
}

void exchange_all(RawPair& raw) {
  const std::unique_ptr<Pair> pair = fork_raw(raw);
  ASSERT_NE(pair, nullptr);
  std::uint64_t batch = 0;
  for (const std::size_t bytes : {1u, 8u, 1000u, 65'507u, 65'536u, 200'000u, 3'000'000u}) {
    for (const Pattern pattern : {Pattern::ping_pong, Pattern::stream}) {
      Pair::Measured measured;
      const Status status = pair->measure(order_of(pattern, bytes, 5, ++batch), measured);
      ASSERT_TRUE(status.is_ok()) << status.message();
      EXPECT_EQ(measured.wrong, 0u) << bytes;
      EXPECT_GT(measured.seconds, 0);
    }
  }
}

class RawEnds : public ::testing::TestWithParam<bool> {};

TEST_P(RawEnds, UdpBringsEveryMessage) {
  for (const std::uint32_t datagram_bytes : {1472u, 61'440u}) {
    RawPair raw;
    const Status status = open_raw_udp({}, datagram_bytes, GetParam(), raw);
    ASSERT_TRUE(status.is_ok()) << status.message();
    exchange_all(raw);
  }
}

// Of short messages a buffer has no room for as many bytes as of long ones.
TEST(RawUdp, ManyShortMessagesDoNotOverflowASlowReceiver) {
  RawPair raw;
  const Status status = open_raw_udp({}, 1472, true, raw);
  ASSERT_TRUE(status.is_ok()) << status.message();
  const std::unique_ptr<Pair> pair = fork_raw(raw, {}, [] { std::this_thread::sleep_for(200ms); });
  ASSERT_NE(pair, nullptr);
  for (const std::size_t bytes : {1u, 1000u}) {
    Pair::Measured measured;
    const Status measuring =
        pair->measure(order_of(Pattern::stream, bytes, 30'000, bytes), measured);
    ASSERT_TRUE(measuring.is_ok()) << measuring.message();
    EXPECT_EQ(measured.wrong, 0u) << bytes;
  }
}

// As if it were another program's turn on the receiver's processor.
TEST(Pair, SaysHowMuchOfItsTimeAProcessWasOnAProcessor) {
  RawPair raw;
  const Status status = open_raw_shm(false, raw);
  ASSERT_TRUE(status.is_ok()) << status.message();
  const std::unique_ptr<Pair> pair = fork_raw(raw, {}, [] { std::this_thread::sleep_for(200ms); });
  ASSERT_NE(pair, nullptr);
  Pair::Measured measured;
  const Status measuring = pair->measure(order_of(Pattern::stream, 1000, 2, 1), measured);
  ASSERT_TRUE(measuring.is_ok()) << measuring.message();
  EXPECT_GT(measured.processor_share, 0);
  EXPECT_LT(measured.processor_share, 0.5);
}

// Two in each call.
class ResendingEnd final : public End {
 public:
  void ping_pong(bool, const Messages&, const Messages&) override { resent_ += 2; }
  void stream_out(const Messages&) override { resent_ += 2; }
  void stream_in(const Messages&) override { resent_ += 2; }
  void settle() override { resent_ += 100; }
  Traffic traffic() const override { return {.fragments_resent = resent_}; }

 private:
  std::uint64_t resent_ = 0;
};

TEST(Pair, CountsWhatEitherSendsAgainWhileItIsTimed) {
  std::unique_ptr<Pair> pair;
  ASSERT_TRUE(Pair::fork([](bool) { return std::make_unique<ResendingEnd>(); }, pair).is_ok());
  for (std::uint64_t batch = 1; batch <= 2; ++batch) {
    Pair::Measured measured;
    ASSERT_TRUE(pair->measure(order_of(Pattern::ping_pong, 8, 1, batch), measured).is_ok());
    EXPECT_EQ(measured.traffic[0].fragments_resent, 2u);
    EXPECT_EQ(measured.traffic[1].fragments_resent, 2u);
  }
}

TEST_P(RawEnds, TcpBringsEveryMessage) {
  RawPair raw;
  const Status status = open_raw_tcp({}, GetParam(), raw);
  ASSERT_TRUE(status.is_ok()) << status.message();
  exchange_all(raw);
}

TEST_P(RawEnds, SharedMemoryBringsEveryMessage) {
  RawPair raw;
  const Status status = open_raw_shm(GetParam(), raw);
  ASSERT_TRUE(status.is_ok()) << status.message();
  exchange_all(raw);
}

INSTANTIATE_TEST_SUITE_P(PollingAndSleeping, RawEnds, ::testing::Bool());

struct Fault {
  const char* name;
  void (*spoil)(const Messages& received);
  std::uint32_t wrong;
};

class Faults : public ::testing::TestWithParam<Fault> {};

// Of four messages that the second process receives.
TEST_P(Faults, AreCounted) {
  RawPair raw;
  ASSERT_TRUE(open_raw_tcp({}, true, raw).is_ok());
  const std::unique_ptr<Pair> pair = fork_raw(raw, GetParam().spoil);
  ASSERT_NE(pair, nullptr);
  for (const Pattern pattern : {Pattern::ping_pong, Pattern::stream}) {
    Pair::Measured measured;
    const Status status = pair->measure(order_of(pattern, 100, 4, 1), measured);
    ASSERT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(measured.wrong, GetParam().wrong);
  }
}

// They are spoilt in the warm-up as well, which has more of them.
INSTANTIATE_TEST_SUITE_P(
    Each, Faults,
    ::testing::Values(Fault{"OneBit", [](const Messages& in) { in[2][99] ^= std::byte{1}; }, 1},
                      Fault{"TwoInEachOthersPlaces",
                            [](const Messages& in) {
                              std::swap_ranges(in[0].begin(), in[0].end(), in[1].begin());
                            },
                            2},
                      Fault{"OneThatDidNotCome",
                            [](const Messages& in) { std::ranges::fill(in[3], std::byte{0}); }, 1}),
    [](const auto& each) { return each.param.name; });

TEST(Pair, SaysThatAProcessHasEnded) {
  std::unique_ptr<Pair> pair;
  ASSERT_TRUE(
      Pair::fork([](bool) -> std::unique_ptr<End> { throw EndFailed("no end"); }, pair).is_ok());
  Pair::Measured measured;
  EXPECT_FALSE(pair->measure(order_of(Pattern::stream, 8, 1, 1), measured).is_ok());
}

TEST(Pair, SaysThatAProgramCannotBeStarted) {
  std::unique_ptr<Pair> pair;
  const Status status = Pair::start({"/nonexistent/mpirun"}, pair);
  EXPECT_NE(status.message().find("/nonexistent/mpirun cannot be started"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::netpipe
