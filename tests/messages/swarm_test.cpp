// What the swarm of messages draws, and that a seed is one run: a word that no seed says is tested
// by nobody, and a run that cannot be repeated explains nothing.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/messages/scenario.hpp"

namespace holdfast::messages {
namespace {

constexpr std::uint64_t kSeeds = 400;

TEST(Draw, SaysEveryWordInOneOfFiftyScenarios) {
  std::map<std::string, std::uint64_t> said;
  std::uint64_t wrapping = 0;
  double fragments = 0.0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Scenario scenario = draw(seed);
    std::map<std::string, std::uint64_t> words;
    for (const sim::WorldFault& fault : scenario.world.faults) {
      words["fault " + std::to_string(static_cast<int>(fault.kind))] = 1;
      if (fault.kind == sim::WorldFaultKind::port) {
        words["port " + std::to_string(static_cast<int>(fault.state))] = 1;
      }
      if (fault.in_recovery) words["in recovery"] = 1;
      if (fault.rail == sim::kAllRails && fault.lasts == seconds(5)) words["all rails"] = 1;
      if (fault.kind == sim::WorldFaultKind::cut && fault.process != kNoProcess) {
        words["one way"] = 1;
      }
    }
    for (const sim::WorldRail& rail : scenario.world.rails) {
      if (rail.impaired.loss > 0.0) words["loss"] = 1;
      if (rail.impaired.duplicate > 0.0) words["duplicate"] = 1;
      if (rail.impaired.corrupt > 0.0) words["corrupt"] = 1;
      if (rail.impaired.truncate > 0.0) words["truncate"] = 1;
      if (rail.impaired.delays()) words["delay"] = 1;
      if (rail.impaired.reorder > 0.0) words["reorder"] = 1;
    }
    for (const auto& [word, times] : words) said[word] += times;
    if (scenario.world.endpoint.first_number != 0) ++wrapping;
    fragments += scenario.fragments_per_message;
  }
  for (const auto& [word, times] : said) EXPECT_GE(times, kSeeds / 50) << word;
  EXPECT_EQ(said.size(), 4u + 3u + 9u);  // faults, states of ports, and the others
  EXPECT_GE(wrapping, kSeeds / 4);
  EXPECT_GE(fragments, 4.0 * kSeeds);
}

TEST(Play, IsTheSameWhenItIsPlayedAgain) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Played first = play(draw(seed), nullptr);
    const Played again = play(draw(seed), nullptr);
    EXPECT_EQ(first.failure, "") << seed;
    EXPECT_EQ(first.digest, again.digest) << seed;
    EXPECT_EQ(first.frames, again.frames) << seed;
    EXPECT_NE(first.digest, play(draw(seed + 1000), nullptr).digest);
  }
}

// Frames, and so all that befalls them, are the same wherever the bytes of a message lie.
TEST(Play, IsTheSameWithMessagesInOnePiece) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Scenario scenario = draw(seed);
    scenario.placing_rails = 0;  // which places what lies in one piece
    const Played scattered = play(scenario, nullptr);
    scenario.one_scattered_of = 0;
    const Played whole = play(scenario, nullptr);
    EXPECT_EQ(scattered.failure, "") << seed;
    EXPECT_EQ(scattered.digest, whole.digest) << seed;
    EXPECT_GT(scattered.scattered, scattered.messages / 10) << seed;
    EXPECT_EQ(whole.scattered, 0u);
  }
}

// What is read to where it belongs while other frames come is sometimes there already when the rest
// of it comes, or belongs nowhere any more.
TEST(Play, FramesAreReadToWhereTheyBelongUnlessThatHasChanged) {
  std::uint64_t placed = 0, displaced = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Scenario scenario = draw(seed);
    scenario.placing_rails = 0xff;
    const Played played = play(scenario, nullptr);
    EXPECT_EQ(played.failure, "") << seed;
    placed += played.placed;
    displaced += played.displaced;
  }
  EXPECT_GT(placed, 100'000u);
  EXPECT_GT(displaced, 0u);
}

}  // namespace
}  // namespace holdfast::messages
