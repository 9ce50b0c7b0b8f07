// What the swarm draws: a word that no seed says is tested by nobody.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/drawn.hpp"
#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {
namespace {

constexpr std::uint64_t kSeeds = 400;

template <class Word>
std::string word(const char* what, Word value) {
  return std::string(what) + ' ' + std::to_string(static_cast<int>(value));
}

std::set<std::string> words_of(const Scenario& scenario) {
  std::set<std::string> words = {word("routing", scenario.routing),
                                 word("order", scenario.roster.order),
                                 word("addresses", scenario.addresses)};
  words.insert(std::string(scenario.simulation.engine.membership.propagation));
  for (const sim::FaultEvent& event : scenario.faults.events) {
    words.insert(word("action", event.action));
    words.insert(word("target", event.target));
  }
  for (const sim::Impairment& impairment : scenario.faults.impairments) {
    words.insert(word("one way", impairment.direction.has_value()));
  }
  words.insert(word("three levels", scenario.pods > 1));
  words.insert(word("parallel links", scenario.parallel > 1));
  const FrameFaults& frames = scenario.simulation.impaired;
  words.insert(word("lost", frames.loss > 0.0));
  words.insert(word("twice", frames.duplicate > 0.0));
  words.insert(word("corrupt", frames.corrupt > 0.0));
  words.insert(word("truncated", frames.truncate > 0.0));
  words.insert(word("late", frames.delays()));
  words.insert(word("reordered", frames.reorder > 0.0));
  words.insert(word("packets", scenario.packets.has_value()));
  if (!scenario.packets) return words;
  const sim::PacketWireOptions& wire = scenario.packets->wire;
  words.insert(word("switching", wire.switching));
  words.insert(word("flow control", wire.flow_control));
  words.insert(word("collapse", wire.collapse));
  words.insert(word("lanes", wire.lanes.size()));
  words.insert(word("lifetime", wire.head_lifetime > Duration{0}));
  words.insert(word("traffic", !scenario.packets->traffic.empty()));
  for (const sim::TrafficOptions& traffic : scenario.packets->traffic) {
    words.insert(word("pattern", traffic.pattern));
    words.insert(word("ends", traffic.until != Time::never()));
  }
  return words;
}

TEST(Draw, SaysEveryWordInOneOfFiftyScenarios) {
  std::map<std::string, std::uint64_t> said;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const std::string& each : words_of(draw(seed))) ++said[each];
  }
  for (const auto& [name, times] : said) EXPECT_GE(times, kSeeds / 50) << name;
  // Actions and targets are six and five, orders three, routings four and address counts three,
  // propagations five, patterns four, lanes three, and sixteen words are yes or no.
  EXPECT_EQ(said.size(), 6u + 5u + 3u + 4u + 3u + 5u + 4u + 3u + 2u * 16u);
}

// The wire of the drawn scenarios does everything that it can do to a packet.
TEST(Draw, PacketsMeetEveryFate) {
  std::array<std::uint64_t, sim::kPacketFates> fates{};
  std::uint64_t collapsed = 0;
  int played = 0;
  for (std::uint64_t seed = 0; played < tests::drawn(60); ++seed) {
    const Scenario scenario = draw(seed);
    if (!scenario.packets || scenario.packets->traffic.empty()) continue;
    ++played;
    const Outcome outcome = play(scenario, nullptr);
    EXPECT_EQ(outcome.failure, "") << seed;
    for (std::size_t i = 0; i < fates.size(); ++i) fates[i] += outcome.fates[i];
    collapsed += outcome.collapsed;
  }
  EXPECT_GT(collapsed, tests::drawn(10'000u));
  if (tests::kSanitized) return;  // rare ones need them all
  for (const std::uint64_t times : fates) EXPECT_GT(times, 0u);
}

}  // namespace
}  // namespace holdfast::swarm
