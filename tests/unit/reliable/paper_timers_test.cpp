// `timers: paper`: when the original sends again, and when it gives a rail up for ever (Shipman et
// al., section 3.3; the numbers of its code).
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

WorldOptions paper(std::size_t rails) {
  WorldOptions options;
  options.rails.assign(rails, RailKind{});
  options.endpoint.timers = Timers::paper;
  return options;
}

// Sent again after 10 and 20 s more, each timer set when the last fragment is scheduled.
TEST(PaperTimers, TheAcknowledgementTimerGrowsLinearly) {
  World world(paper(1));
  std::vector<Time> sent;
  world.network.script = [&](const Flight& flight) {
    if (flight.from == ProcessId{0}) sent.push_back(flight.at);
    return Fate{.copies = flight.from == ProcessId{0} ? 0 : 1};
  };
  const std::vector<std::byte> message = content(1, 8);
  ASSERT_NE(world.send(0, 1, message), kNoRequest);
  world.run(milliseconds(59'999));
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::up);
  world.run(milliseconds(2));
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::down) << "given up after 10 + 20 + 30 s";
  world.run(seconds(200));
  const std::vector<Time> expected = {Time{}, Time{} + seconds(10), Time{} + seconds(30)};
  EXPECT_TRUE(sent == expected) << sent.size();
}

// Of a virtual fragment only what its mask does not have is sent again, together.
TEST(PaperTimers, OnlyWhatTheMaskLacksIsSentAgain) {
  World world(paper(1));
  std::size_t count = 0;
  world.network.script = [&](const Flight& flight) {
    const bool carries = flight.carries_payload();
    ++count;
    return Fate{.copies = carries && (count == 3 || count == 5) ? 0 : 1};
  };
  const std::vector<std::byte> sent = content(1, 20 * 1400);
  std::vector<std::byte> got(sent.size());
  ASSERT_NE(world.receive(1, 0, got), kNoRequest);
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
  world.run(seconds(9));
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_EQ(world.at(0).counts().fragments_resent, 2u);
  EXPECT_TRUE(got == sent);
}

// Its timer starts with its last fragment, so it must not wait for acknowledgements of the others.
TEST(PaperTimers, AVirtualFragmentIsScheduledWholeInAShortLane) {
  WorldOptions options = paper(2);
  options.rails[0].peer_frames = 8;
  World world(options);
  const std::vector<std::byte> sent = content(1, 1'000'000);
  std::vector<std::byte> got(sent.size());
  bool is_granted = false;
  world.network.script = [&](const Flight& flight) {
    is_granted = is_granted || flight.has(MessageFrameType::grant);
    return Fate{.copies = is_granted && flight.rail == 0 && flight.carries_payload() ? 0 : 1};
  };
  ASSERT_NE(world.receive(1, 0, got), kNoRequest);
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
  ASSERT_TRUE(world.complete(1, 1, seconds(1000)));
  EXPECT_TRUE(got == sent);
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::down);
}

// It also starts where the last fragments need not be scheduled again: all but the first have come,
// and that is said when some have been sent once more, on a rail that has room for no others.
TEST(PaperTimers, OneRunsWhateverIsUnderWay) {
  constexpr std::size_t kFragments = 20, kBeside = 14;
  WorldOptions options = paper(3);
  options.endpoint.paper.acknowledgements_missed = 1;
  options.endpoint.limits.window_bytes = 16 * 1448;
  World world(options);
  std::size_t count = 0;
  world.network.script = [&](const Flight& flight) {
    constexpr std::size_t kFirstAgain = kFragments + 2 * kBeside + 1;
    if (flight.carries_payload()) {
      ++count;
      return Fate{.copies = count == 1 || count == kFirstAgain ? 0 : 1};
    }
    return Fate{.copies = count >= kFragments && count < kFirstAgain ? 0 : 1};
  };
  const std::vector<std::byte> sent = content(1, kFragments * 1400);
  const std::vector<std::byte> beside = content(2, kBeside * 1400);
  std::vector<std::byte> got(sent.size()), first(beside.size()), second(beside.size());
  ASSERT_NE(world.receive(1, 0, got), kNoRequest);
  for (auto* const each : {&first, &second}) ASSERT_NE(world.receive(1, 0, *each, 2), kNoRequest);
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
  world.run(seconds(5));
  ASSERT_EQ(count, kFragments);
  for (int i = 0; i < 2; ++i) ASSERT_NE(world.send(0, 1, beside, 2), kNoRequest);
  world.run(seconds(4));
  ASSERT_EQ(count, kFragments + 2 * kBeside);
  ASSERT_TRUE(world.complete(1, 3, seconds(1000)));
  ASSERT_TRUE(world.complete(0, 3, seconds(1000)));
  EXPECT_TRUE(got == sent);
  EXPECT_TRUE(first == beside && second == beside);
}

TEST(PaperTimers, ARailThatIsGivenUpIsNeverTakenBack) {
  World world(paper(2));
  std::vector<std::unique_ptr<std::vector<std::byte>>> sent, got;
  const auto exchange = [&] {
    sent.push_back(std::make_unique<std::vector<std::byte>>(content(sent.size(), 1'000'000)));
    got.push_back(std::make_unique<std::vector<std::byte>>(1'000'000));
    ASSERT_NE(world.receive(1, 0, *got.back()), kNoRequest);
    ASSERT_NE(world.send(0, 1, *sent.back()), kNoRequest);
  };
  exchange();
  ASSERT_TRUE(world.complete(1, 1));
  world.network.cut(0);
  exchange();
  ASSERT_TRUE(world.complete(1, 2, seconds(1000)));
  EXPECT_TRUE(*got.back() == *sent.back());
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::down);
  world.network.mend(0);
  world.run(seconds(1000));
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::down);
  exchange();
  ASSERT_TRUE(world.complete(1, 3));
  EXPECT_TRUE(*got.back() == *sent.back());
}

// 5 s without a completion; or, where two are allowed to be missed, 10 more.
TEST(PaperTimers, SoIsOneThatCompletesNothing) {
  for (const unsigned missed : {1u, 2u}) {
    WorldOptions options = paper(2);
    options.endpoint.paper.local_completions_missed = missed;
    options.rails[0].is_inline = options.rails[1].is_inline = false;
    World world(options);
    world.network.fabric(0, 0).completes = false;
    const std::vector<std::byte> sent = content(1, 8);
    std::vector<std::byte> got(8);
    ASSERT_NE(world.receive(1, 0, got), kNoRequest);
    ASSERT_NE(world.send(0, 1, sent), kNoRequest);
    world.run(milliseconds(missed == 1 ? 4'999 : 14'999));
    EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::up);
    world.run(milliseconds(2));
    EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::down);
  }
}

}  // namespace
}  // namespace holdfast::reliable
