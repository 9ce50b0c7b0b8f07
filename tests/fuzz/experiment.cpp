// An experiment file and overrides of the command line: either errors, a line each, or an
// experiment whose resolved form is taken again and says the same.
//
// The input is the file's text; lines after a line "--set" are overrides.
#include <array>

#include "experiments/config/load.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

constexpr std::string_view kSplit = "\n--set\n";

constexpr std::array<std::string_view, 4> kFiles{
    R"({"name": "small", "seed": 1, "replicates": 2, "duration": "6 s",
 "topology": {"kind": "fat_tree", "down": [8], "up": [1], "parallel": [1]},
 "processes": {"per_node": 2},
 "detector": {"kind": "ring", "period": "100 ms", "timeout": "1 s", "order": "shuffled"},
 "propagation": {"kind": "bmg"},
 "failures": [{"at": "1 s", "what": "process", "which": 2},
              {"at": "2 s", "what": "node", "which": "host-5", "repaired_after": "2 s"}]}
)",
    R"({"name": "swept", "replicates": {"least": 3, "most": 20,
  "until": {"of": "detection_max_s", "within": "5 %"}},
 "duration": "60 s", "topology": {"kind": "324"},
 "fabric": {"fidelity": "packet", "link": {"rate": "40 Gb/s"}},
 "failures": [{"model": "weibull", "what": "node", "mtbf": "10 years", "shape": 0.7,
               "repair": {"model": "lognormal", "median": "60 min", "sigma": 1.4}}],
 "sweep": {"detector.order": ["rank", "shuffled"], "propagation.kind": ["hba", "bmg"]}}
)",
    R"({"name": "two", "duration": "5 s",
 "topology": {"kind": "fat_tree", "down": [4], "up": [1], "parallel": [1]}}
--set
detector.period=50 ms
failures=[{"at": "1 s", "what": "process", "which": "random", "count": 2}]
sweep.failures.0.count=[1, 2]
topology.kind=324
)",
    R"({"name": "real", "duration": "5 s", "fabric": {"kind": "udp", "hosts": "namespaces"},
 "topology": {"kind": "fat_tree", "down": [3], "up": [1], "parallel": [1]},
 "failures": [{"at": "1 s", "what": "process", "which": 0, "action": "pause", "lasts": "2 s"}]}
)"};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> texts;
  for (const std::string_view file : kFiles) texts.push_back(bytes_of(file));
  return texts;
}

void play(Input input) {
  std::string_view text = text_of(input);
  const std::size_t split = text.find(kSplit);
  std::vector<runner::Assignment> overrides;
  if (split != std::string_view::npos) {
    for (const std::string& line : lines_of(text.substr(split + kSplit.size())))
      overrides.emplace_back(line);
  }
  text = text.substr(0, split);
  const runner::LoadResult loaded =
      runner::parse_experiment(text, "fuzz.json", "/folder", overrides);
  FUZZ_CHECK(loaded.experiment.has_value() == loaded.errors.empty());
  for (const std::string& error : loaded.errors) check_sentence(error);
  if (!loaded.experiment) return;
  FUZZ_CHECK(!loaded.experiment->points.empty());
  const std::string& resolved = loaded.experiment->resolved_json;
  const runner::LoadResult again =
      runner::parse_experiment(resolved, "resolved.json", "/other", {});
  FUZZ_CHECK(again.experiment.has_value());
  FUZZ_CHECK(again.experiment->resolved_json == resolved);
  FUZZ_CHECK(again.experiment->points.size() == loaded.experiment->points.size());
  for (std::size_t i = 0; i < again.experiment->points.size(); ++i) {
    FUZZ_CHECK(again.experiment->points[i].values == loaded.experiment->points[i].values);
  }
}

}  // namespace holdfast::fuzz
