// Thousands of damaged experiment files: each is read or refused with errors, and never more than
// that.
#include <gtest/gtest.h>

#include <array>

#include "experiments/config/load.hpp"
#include "stack/base/random.hpp"
#include "tests/drawn.hpp"

namespace holdfast::runner {
namespace {

constexpr const char* kValid = R"({
  "$schema": "../configs/schema/experiment.schema.json",
  "name": "robust", "seed": 1, "replicates": 30, "duration": "60 s",
  "fabric": {"kind": "native", "fidelity": "message", "loss": 0.25,
             "link": {"rate": "100 Gb/s", "latency": "150 ns"}},
  "topology": {"kind": "fat_tree", "down": [18, 18], "up": [1, 9], "parallel": [1, 2]},
  "processes": {"per_node": 4, "placement": "by_slot", "agents": true},
  "detector": {"kind": "ring", "period": "100 ms", "timeout": "1 s", "order": "shuffled"},
  "propagation": {"kind": "bmg", "backstop": "on", "retransmission_timeout": "50 ms"},
  "failures": [{"at": "10 s", "what": "node", "which": 7, "repaired_after": "2.5 min"},
               {"at": "11 s", "what": "process", "which": "12", "action": "pause", "lasts": "2 s"}],
  "sweep": {"detector.order": ["rank", "shuffled"], "processes.per_node": [1, 2, 4]}
})";

// Pieces that mean something to the reader.
constexpr std::array<const char*, 30> kPieces{"{",
                                              "}",
                                              "[",
                                              "]",
                                              ",",
                                              ":",
                                              "\"",
                                              "\\",
                                              "\\u",
                                              "null",
                                              "true",
                                              "-1",
                                              "1e999",
                                              "0.5",
                                              "\"1 s\"",
                                              "\"sweep\"",
                                              "[[",
                                              "{}",
                                              "\n",
                                              "\xff",
                                              "\xc2\xb5",
                                              "//",
                                              "'",
                                              "\"topology\":",
                                              "18446744073709551616",
                                              "\"kind\":",
                                              "\".\"",
                                              "\"failures.0.at\":[",
                                              "9 years",
                                              "\t"};

std::string damaged(const std::string& valid, Random& random) {
  std::string text = valid;
  for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = 1 + random.below(std::min<std::size_t>(text.size() - at, 30));
    switch (random.below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 2:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 3:
        text.insert(random.below(text.size()), text.substr(at, length));
        break;
      case 4:
        text.replace(at, length, kPieces[random.below(kPieces.size())]);
        break;
      default:
        text.resize(at);
        break;
    }
    if (text.empty()) text = " ";
  }
  return text;
}

// Either an experiment with points, or errors for a person; and what is resolved can be read again.
void expect_sane(const LoadResult& result, const std::string& input) {
  EXPECT_NE(result.experiment.has_value(), !result.errors.empty()) << input;
  EXPECT_LE(result.errors.size(), 21u) << input;
  for (const std::string& line : result.errors) {
    EXPECT_EQ(line.find('\n'), std::string::npos) << input;
  }
  if (!result.experiment) return;
  EXPECT_FALSE(result.experiment->points.empty()) << input;
  const LoadResult again = parse_experiment(result.experiment->resolved_json, "again", "", {});
  ASSERT_TRUE(again.experiment.has_value()) << input << "\n" << again.errors.front();
  EXPECT_EQ(again.experiment->resolved_json, result.experiment->resolved_json) << input;
  EXPECT_EQ(again.experiment->points.size(), result.experiment->points.size()) << input;
}

TEST(Robustness, SurvivesDamagedFiles) {
  int read = 0;
  for (std::uint64_t seed = 0; seed < tests::drawn(10'000u); ++seed) {
    Random random(seed, 0, 0);
    const std::string text = damaged(kValid, random);
    const LoadResult result = parse_experiment(text, "damaged", "", {});
    expect_sane(result, text);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
    read += result.experiment.has_value() ? 1 : 0;
  }
  // Both outcomes must occur, or the damage is too great or too small to test anything.
  EXPECT_GT(read, tests::kSanitized ? 0 : 100);
  EXPECT_LT(read, tests::drawn(9'000));
}

TEST(Robustness, SurvivesDamagedOverrides) {
  const std::array<std::string, 6> valid{"detector.period=50 ms",
                                         "failures.0.at=5 s",
                                         "topology={\"down\":[4],\"up\":[1],\"parallel\":[1]}",
                                         "sweep.seed=[1,2]",
                                         "topology.kind=ibnetdiscover",
                                         "failures.1.which=3"};
  for (std::uint64_t seed = 0; seed < tests::drawn(5'000u); ++seed) {
    Random random(seed, 1, 0);
    std::vector<Assignment> overrides;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      overrides.push_back(damaged(valid[random.below(valid.size())], random));
    }
    const LoadResult result = parse_experiment(kValid, "valid", "", overrides);
    EXPECT_NE(result.experiment.has_value(), !result.errors.empty()) << overrides[0].text;
  }
}

}  // namespace
}  // namespace holdfast::runner
