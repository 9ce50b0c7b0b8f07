// Faults of frames at planned times: whom a window concerns, when it is open, and what several do
// to one frame.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "stack/impair/impaired_fabric.hpp"
#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast {
namespace {

using Processes = std::vector<ProcessId>;

constexpr ProcessId kSelf{4};
constexpr Time kStart = Time{} + seconds(100);

FaultWindow silence(Duration from, Duration until, Processes of, Processes to, bool one_way) {
  return {from, until, {.loss = 1.0}, std::move(of), std::move(to), one_way};
}

// Among eight processes, in the words of the definition: from a list to another one or to those
// that are not in it, and unless it is one way back.
TEST(FaultWindow, ConcernsFramesBetweenItsSides) {
  struct Case {
    Processes of, to;
    bool one_way;
  };
  const Case cases[] = {{{{2}}, {}, true},
                        {{{2}}, {}, false},
                        {{{2}, {3}}, {}, true},
                        {{{2}, {3}}, {}, false},
                        {{{2}}, {{5}}, true},
                        {{{2}}, {{5}}, false},
                        {{{0}, {1}}, {{1}, {7}}, true}};
  for (const Case& each : cases) {
    const FaultWindow window = silence({}, seconds(1), each.of, each.to, each.one_way);
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (const ProcessId near : each.of) {
      for (std::uint32_t far = 0; far < 8; ++far) {
        const auto in = [&](const Processes& list) {
          return std::find(list.begin(), list.end(), ProcessId{far}) != list.end();
        };
        if (each.to.empty() ? in(each.of) : !in(each.to)) continue;
        expected.insert({near.value, far});
        if (!each.one_way) expected.insert({far, near.value});
      }
    }
    for (std::uint32_t from = 0; from < 8; ++from) {
      bool any = false;
      for (std::uint32_t to = 0; to < 8; ++to) {
        const bool concerned = expected.contains({from, to});
        EXPECT_EQ(window.concerns({from}, {to}), concerned) << from << " to " << to;
        any = any || concerned;
      }
      EXPECT_EQ(window.concerns_sender({from}), any) << from;
    }
  }
}

TEST(FaultWindow, OneThatIsNoWindowIsImpossible) {
  const FaultWindow good = silence(seconds(1), seconds(2), {{1}, {3}}, {{2}}, true);
  EXPECT_TRUE(good.possible(4));
  EXPECT_FALSE(good.possible(3)) << "there is no process 3";
  const auto with = [&](auto change) {
    FaultWindow window = good;
    change(window);
    return window.possible(4);
  };
  EXPECT_FALSE(with([](FaultWindow& window) { window.from = Duration{-1}; }));
  EXPECT_FALSE(with([](FaultWindow& window) { window.until = window.from; }));
  EXPECT_FALSE(with([](FaultWindow& window) { window.of.clear(); }));
  EXPECT_FALSE(with([](FaultWindow& window) { window.of = {{3}, {1}}; }));
  EXPECT_FALSE(with([](FaultWindow& window) { window.to = {{2}, {2}}; }));
  EXPECT_FALSE(with([](FaultWindow& window) { window.faults.truncate = 1.5; }));
}

// The shares are of independent events, computed here over both outcomes of each.
TEST(FrameFaults, OneAfterTheOther) {
  const FrameFaults a{.loss = 0.25, .duplicate = 0.5, .delay = milliseconds(3)};
  const FrameFaults b{.loss = 0.5, .truncate = 0.125, .delay = milliseconds(4), .jitter = {7}};
  const FrameFaults both = a.and_then(b);
  EXPECT_EQ(both.loss, 0.25 * 0.5 + 0.25 * 0.5 + 0.75 * 0.5);
  EXPECT_EQ(both.duplicate, 0.5);
  EXPECT_EQ(both.truncate, 0.125);
  EXPECT_EQ(both.delay, milliseconds(7));
  EXPECT_EQ(both.jitter, Duration{7});
  EXPECT_EQ(a.and_then({}), a);
  EXPECT_EQ(FrameFaults{}.and_then(a), a);
  EXPECT_EQ(FrameFaults{.loss = 0.1}.and_then({.loss = 1.0}).loss, 1.0);
}

// One process's end, whose clock counts how often it is asked.
class Planned {
 public:
  explicit Planned(std::vector<FaultWindow> plan, FrameFaults always = {}, std::uint8_t rail = 0)
      : windows(std::move(plan)),
        fabric(inner, {.faults = always,
                       .windows = windows,
                       .self = kSelf,
                       .rail = rail,
                       .process_at =
                           [](const Address& address) {
                             return ProcessId{load_le<std::uint32_t>(address.bytes.data())};
                           },
                       .clock =
                           [this] {
                             ++asked;
                             return now;
                           }}) {
    inner.detached.reserve(100);
  }

  Peer attach(std::uint32_t process) {
    return fabric.attach(FakeAddresses().address(0, {process}), Service::datagram);
  }
  // Whether a frame that is sent at this time after the start goes out at once.
  bool passes(Duration at, Peer to) {
    now = kStart + at;
    std::array<std::byte, 8> frame{};
    Operation operation;
    operation.inline_data = true;
    operation.peer = to;
    operation.data = frame.data();
    operation.size = frame.size();
    EXPECT_EQ(fabric.post({&operation, 1}), 1u);
    const bool passed = !inner.posted.empty();
    inner.posted.clear();
    return passed;
  }

  FakeFabric inner;
  std::vector<FaultWindow> windows;
  Time now = kStart;
  int asked = 0;
  ImpairedFabric fabric;
};

TEST(ScheduledFaults, AWindowIsOpenFromItsBeginningToJustBeforeItsEnd) {
  Planned planned({silence(seconds(2), seconds(5), {kSelf}, {{1}}, true)});
  const Peer one = planned.attach(1), other = planned.attach(2);
  EXPECT_TRUE(planned.passes(seconds(3), one)) << "the job's start is not known yet";
  planned.fabric.start(kStart);
  const Duration instant{1};
  EXPECT_TRUE(planned.passes(seconds(2) - instant, one));
  EXPECT_FALSE(planned.passes(seconds(2), one));
  EXPECT_TRUE(planned.passes(seconds(3), other));
  EXPECT_FALSE(planned.passes(seconds(5) - instant, one));
  EXPECT_TRUE(planned.passes(seconds(5), one));
  EXPECT_EQ(planned.fabric.counts().lost, 2u);
}

TEST(ScheduledFaults, WindowsOverlapAndEachHasItsReceivers) {
  Planned planned({silence(seconds(1), seconds(4), {kSelf}, {{1}}, true),
                   silence(seconds(3), seconds(6), {{2}}, {}, false),
                   silence(seconds(5), seconds(7), {{kSelf}, {5}}, {}, true),
                   silence(seconds(1), seconds(9), {{3}}, {{kSelf}}, true)});
  planned.fabric.start(kStart);
  std::map<std::uint32_t, Peer> peers;
  for (const std::uint32_t process : {1u, 2u, 3u, 5u}) peers[process] = planned.attach(process);
  const auto silent = [&](int second) {
    std::set<std::uint32_t> found;
    for (const auto& [process, peer] : peers)
      if (!planned.passes(seconds(second), peer)) found.insert(process);
    return found;
  };
  using Found = std::set<std::uint32_t>;
  EXPECT_EQ(silent(0), Found{});
  EXPECT_EQ(silent(1), Found{1});
  EXPECT_EQ(silent(3), (Found{1, 2}));
  EXPECT_EQ(silent(4), Found{2});
  EXPECT_EQ(silent(5), (Found{1, 2, 3})) << "5 is on the same side";
  EXPECT_EQ(silent(6), (Found{1, 2, 3}));
  EXPECT_EQ(silent(7), Found{});
}

TEST(ScheduledFaults, AHandleThatIsGivenAnewIsSomebodyElses) {
  Planned planned({silence({}, seconds(9), {kSelf}, {{1}}, true)});
  planned.fabric.start(kStart);
  const Peer one = planned.attach(1);
  EXPECT_FALSE(planned.passes(seconds(1), one));
  planned.fabric.detach(one);
  EXPECT_TRUE(planned.passes(seconds(1), one)) << "nobody's any more";
}

TEST(ScheduledFaults, AWindowMayBeOfOneRail) {
  FaultWindow window = silence({}, seconds(9), {kSelf}, {}, true);
  window.rail = 1;
  for (const std::uint8_t rail : {std::uint8_t{0}, std::uint8_t{1}}) {
    Planned planned({window}, {}, rail);
    planned.fabric.start(kStart);
    EXPECT_EQ(planned.passes(seconds(1), planned.attach(2)), rail == 0);
  }
}

// A frame that no open window concerns draws nothing, so how many there are changes no fate.
TEST(ScheduledFaults, WhatPassesOutsideOfWindowsChangesNoFateWithin) {
  const auto fates = [](int before) {
    Planned planned({{seconds(2), seconds(5), {.loss = 0.5}, {kSelf}, {{1}}, true}});
    planned.fabric.start(kStart);
    const Peer one = planned.attach(1), other = planned.attach(2);
    for (int i = 0; i < before; ++i) EXPECT_TRUE(planned.passes(seconds(1), one));
    std::vector<bool> found;
    for (int i = 0; i < 200; ++i) {
      if (i < before) {
        EXPECT_TRUE(planned.passes(seconds(3), other));
      }
      found.push_back(planned.passes(seconds(3), one));
    }
    return found;
  };
  EXPECT_EQ(fates(0), fates(77));
}

TEST(ScheduledFaults, WhatIsAlwaysSoIsSoBesidesAndAfterwards) {
  Planned planned({{seconds(2), seconds(3), {.delay = milliseconds(5)}, {kSelf}, {}, true}},
                  {.delay = milliseconds(2)});
  planned.fabric.start(kStart);
  const Peer one = planned.attach(1);
  EXPECT_FALSE(planned.passes(seconds(1), one));
  EXPECT_EQ(planned.fabric.next_due(), kStart + seconds(1) + milliseconds(2));
  EXPECT_TRUE(planned.passes(seconds(2), one)) << "of before";
  EXPECT_EQ(planned.fabric.next_due(), kStart + seconds(2) + milliseconds(7));
  planned.passes(seconds(3) - Duration{1}, one);
  planned.passes(seconds(3), one);
  EXPECT_EQ(planned.fabric.next_due(), kStart + seconds(3) + milliseconds(2))
      << "what was sent when the window was over overtakes what was sent before";
}

TEST(ScheduledFaults, WhenThePlanIsOverTheClockIsAskedNoMore) {
  Planned planned({silence(seconds(1), seconds(2), {kSelf}, {}, true)});
  planned.fabric.start(kStart);
  const Peer one = planned.attach(1);
  EXPECT_FALSE(planned.passes(seconds(1), one));
  EXPECT_TRUE(planned.passes(seconds(2), one));
  const int before = planned.asked;
  EXPECT_GT(before, 0);
  EXPECT_TRUE(planned.passes(seconds(3), one));
  EXPECT_EQ(planned.asked, before);
  Planned stranger({silence(seconds(1), seconds(2), {{1}}, {}, true)});
  stranger.fabric.start(kStart);
  EXPECT_TRUE(stranger.passes(seconds(1), stranger.attach(2)));
  EXPECT_EQ(stranger.asked, 0) << "no window concerns what it sends";
}

TEST(ScheduledFaults, AllocateNothingAfterConstruction) {
  Planned planned({{seconds(1),
                    seconds(3),
                    {.loss = 0.1, .truncate = 0.1, .delay = milliseconds(1)},
                    {kSelf},
                    {{1}, {2}},
                    true},
                   silence(seconds(2), seconds(4), {{3}}, {}, false)});
  planned.fabric.start(kStart);
  const std::size_t before = allocations();
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Peer peer = planned.attach(i % 4);
    planned.passes(milliseconds(100 * i), peer);
    planned.fabric.detach(peer);
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(planned.fabric.counts().lost, 0u);
}

}  // namespace
}  // namespace holdfast
