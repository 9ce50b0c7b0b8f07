// What holds of every fabric under the wrapper that impairs it, whatever it does to frames: buffers
// and completions as the seam promises them, and of frames what the wrapper says that it did.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"
#include "tests/conformance/exchange.hpp"
#include "tests/conformance/impaired_pair.hpp"

namespace holdfast::conformance {
namespace {

struct Impairing {
  const char* name;
  FrameFaults faults;
};

void PrintTo(const Impairing& impairing, std::ostream* to) {
  *to << impairing.name;
}

const Impairing kAlone[] = {
    {"Loss", {.loss = 0.3}},
    {"Duplicate", {.duplicate = 0.3}},
    {"Corrupt", {.corrupt = 0.3}},
    {"Truncate", {.truncate = 0.3}},
    {"Delay", {.delay = milliseconds(3)}},
    {"Jitter", {.jitter = milliseconds(5)}},
    {"Reorder", {.reorder = 0.3, .delay = milliseconds(3)}},
};
const Impairing kAll{"All",
                     {.loss = 0.1,
                      .duplicate = 0.2,
                      .corrupt = 0.2,
                      .truncate = 0.1,
                      .reorder = 0.3,
                      .delay = milliseconds(1),
                      .jitter = milliseconds(3)}};

constexpr std::uint32_t kFrame = 100;
constexpr std::byte kFilling{0x55};

class Impaired : public ::testing::TestWithParam<std::tuple<FabricFactory, Impairing>> {
 protected:
  void SetUp() override {
    std::unique_ptr<FabricPair> inner = std::get<0>(GetParam()).make();
    ASSERT_NE(inner, nullptr);
    pair_ = std::make_unique<ImpairedPair>(std::move(inner), faults());
    to_b_ = a().attach(b().local_address(), Service::datagram);
    ASSERT_NE(to_b_, kNoPeer);
    few_ = std::min<std::size_t>({a().caps().send_depth, b().caps().receive_depth / 2, 8});
    mine_ = std::make_unique<Slots>(a(), std::max<std::size_t>(few_, 3));
    theirs_ = std::make_unique<Slots>(b(), b().caps().receive_depth);
    ASSERT_EQ(b().offer(theirs_->receive_slots(0, b().caps().receive_depth)),
              b().caps().receive_depth);
  }

  const FrameFaults& faults() { return std::get<1>(GetParam()).faults; }
  ImpairedFabric& a() { return pair_->a(); }
  ImpairedFabric& b() { return pair_->b(); }

  // The frame's number, then filling.
  Operation numbered(std::size_t slot, std::uint32_t number) {
    Operation operation = mine_->send(slot, to_b_, kFrame, std::to_integer<std::uint8_t>(kFilling));
    store_le<std::uint32_t>(operation.data, number);
    return operation;
  }

  // Sends so many frames, a few at a time, and takes what comes; then what is late, too.
  void send(std::uint32_t frames) {
    for (std::uint32_t number = 0; number < frames;) {
      std::vector<Operation> operations;
      for (; operations.size() < few_ && number < frames; ++number)
        operations.push_back(numbered(operations.size(), number));
      ASSERT_EQ(a().post(operations), operations.size());
      std::vector<std::uint64_t> completed;
      for (int attempt = 0; attempt < 2000 && completed.size() < operations.size(); ++attempt) {
        pair_->settle();
        for (const Event& event : poll_all(a())) {
          ASSERT_EQ(event.kind, EventKind::sent);
          EXPECT_EQ(event.completion, Completion::ok);
          completed.push_back(event.cookie);
        }
        take();
      }
      std::sort(completed.begin(), completed.end());
      ASSERT_EQ(completed, numbers(0, operations.size()));
    }
    const FrameFaultCounts& counts = a().counts();
    const std::uint64_t expected = frames - counts.lost - counts.overflowed + counts.duplicated;
    for (int attempt = 0; attempt < 2000 && received_ < expected; ++attempt) {
      pair_->settle();
      EXPECT_TRUE(poll_all(a()).empty());
      take();
    }
    EXPECT_EQ(received_, expected);
  }

  void take() {
    for (const Event& event : poll_all(b())) {
      ASSERT_EQ(event.kind, EventKind::received);
      ASSERT_LE(event.size, kFrame);
      ASSERT_GT(event.size, 0u);
      ++received_;
      if (event.size == kFrame) {
        look_at(theirs_->data(event.cookie));
      } else {
        ++truncated_;
      }
      ASSERT_EQ(b().offer(theirs_->receive_slots(event.cookie, 1)), 1u);
    }
  }

  void look_at(const std::byte* frame) {
    int wrong = 0;
    for (std::uint32_t i = 4; i < kFrame; ++i)
      wrong += std::popcount(std::to_integer<std::uint8_t>(frame[i] ^ kFilling));
    const auto number = load_le<std::uint32_t>(frame);
    // A wrong bit in the number makes it another frame's, or none's.
    if (wrong > 0) {
      EXPECT_EQ(wrong, 1);
      ++corrupted_;
    } else {
      ++times_[number];
    }
    if (!order_.empty() && number < order_.back()) ++out_of_order_;
    order_.push_back(number);
  }

  std::unique_ptr<ImpairedPair> pair_;
  std::unique_ptr<Slots> mine_, theirs_;
  Peer to_b_;
  std::size_t few_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t corrupted_ = 0;
  std::uint64_t truncated_ = 0;
  std::uint64_t out_of_order_ = 0;
  std::vector<std::uint32_t> order_;
  std::map<std::uint32_t, int> times_;  // by number, whole
};

TEST_P(Impaired, EachSendCompletesOnceAndNoFrameComesThatIsNotAccountedFor) {
  send(400);
  const FrameFaultCounts& counts = a().counts();
  EXPECT_EQ(counts.lost > 0, faults().loss > 0.0);
  EXPECT_EQ(counts.duplicated > 0, faults().duplicate > 0.0);
  EXPECT_EQ(counts.corrupted > 0, faults().corrupt > 0.0);
  EXPECT_EQ(counts.truncated > 0, faults().truncate > 0.0);
  EXPECT_EQ(truncated_, counts.truncated);
  EXPECT_EQ(counts.delayed > 0, faults().delays());
  EXPECT_EQ(counts.reordered > 0, faults().reorder > 0.0);
  EXPECT_EQ(counts.overflowed, 0u);
  EXPECT_LE(corrupted_, counts.corrupted);
  EXPECT_GE(corrupted_ + counts.truncated + 20, counts.corrupted)
      << "some are wrong in their number, or where their end was";
  const bool may_overtake = faults().reorder > 0.0 || faults().jitter > Duration{0};
  // Within a duplicated or corrupted frame the inner fabric may have another order.
  if (!may_overtake && faults().duplicate == 0.0 && faults().corrupt == 0.0) {
    EXPECT_EQ(out_of_order_, 0u);
  }
  if (may_overtake) {
    EXPECT_GT(out_of_order_, 0u);
  }
}

TEST_P(Impaired, WhoSleepsIsToldWhenToWakeForWhatIsLate) {
  if (!faults().delays()) GTEST_SKIP() << "nothing is late";
  const std::vector<Operation> operations = {numbered(0, 0), numbered(1, 1), numbered(2, 2)};
  ASSERT_EQ(a().post(operations), operations.size());
  if (a().counts().delayed == 0) GTEST_SKIP() << "nothing was late";
  for (int attempt = 0; attempt < 2000 && a().next_due() < Time::never(); ++attempt) {
    const Time armed_at = pair_->clock_of_late_frames();
    const Armed armed = a().arm();
    if (armed.idle) {
      EXPECT_EQ(armed.until, a().next_due());
      EXPECT_GT(armed.until, armed_at);
    }
    pair_->settle();
    const Time polled_at = pair_->clock_of_late_frames();
    poll_all(a());
    EXPECT_GT(a().next_due(), polled_at) << "what is due is sent";
  }
  EXPECT_EQ(a().next_due(), Time::never());
  EXPECT_TRUE(a().arm().idle);
  EXPECT_EQ(a().arm().until, Time::never());
}

TEST_P(Impaired, DetachCompletesEachOperationExactlyOnceAndLosesWhatIsLate) {
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < few_; ++i)
    operations.push_back(numbered(i, static_cast<std::uint32_t>(i)));
  ASSERT_EQ(a().post(operations), few_);
  a().detach(to_b_);
  std::vector<std::uint64_t> completed = cookies_of(poll_for(*pair_, a(), few_), EventKind::sent);
  std::sort(completed.begin(), completed.end());
  EXPECT_EQ(completed, numbers(0, few_));
  EXPECT_EQ(a().next_due(), Time::never());
}

// All together around every kind of fabric; each alone, to tell which it was, around a simulated
// one and a real one.
std::vector<std::tuple<FabricFactory, Impairing>> pairings() {
  std::vector<std::tuple<FabricFactory, Impairing>> chosen;
  int alone = 0;
  for (const FabricFactory& factory : without_variants(fabrics_that(&FabricFactory::datagram))) {
    const bool each_alone = factory.name == "Message" || factory.name == "udp";
    if (each_alone) {
      ++alone;
      for (const Impairing& impairing : kAlone) chosen.emplace_back(factory, impairing);
    }
    chosen.emplace_back(factory, kAll);
  }
  HOLDFAST_ASSERT(alone == 2);  // by their names
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Impaired, ::testing::ValuesIn(pairings()), [](const auto& test) {
  return std::get<0>(test.param).name + std::get<1>(test.param).name;
});

// Lost operations never reach the inner fabric, so the wrapper counts them itself.
class Loses : public ::testing::TestWithParam<FabricFactory> {};

TEST_P(Loses, BackPressureIsAsWithoutAndWritableFollowsOnce) {
  ImpairedPair pair(GetParam().make(), {.loss = 1.0});
  ImpairedFabric& a = pair.a();
  const Peer to_b = a.attach(pair.b().local_address(), Service::datagram);
  const std::size_t depth = a.caps().send_depth;
  Slots mine(a, depth + 5);
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < depth + 5; ++i) operations.push_back(mine.send(i, to_b, 100, 1));
  ASSERT_EQ(a.post(operations), depth);
  EXPECT_FALSE(a.arm().idle) << "completions wait";
  const std::vector<Event> events = poll_all(a);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, depth));
  EXPECT_EQ(cookies_of(events, EventKind::writable).size(), 1u);
  EXPECT_TRUE(a.arm().idle);
  EXPECT_EQ(a.post(std::span(operations).subspan(depth)), 5u);
  EXPECT_TRUE(cookies_of(poll_all(a), EventKind::writable).empty());
  EXPECT_EQ(a.counts().lost, depth + 5);
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, Loses, ::testing::ValuesIn(without_variants(fabrics_that(&FabricFactory::datagram))),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace holdfast::conformance
