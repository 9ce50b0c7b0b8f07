// A folder of results as `compare` reads it, whoever has written there: either an error or points
// whose every cell is a number, that can be compared.
//
// The input is the files one after the other, a line "== NAME" before each.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "experiments/compare/comparison.hpp"
#include "experiments/compare/recorded_results.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

constexpr std::array<const char*, 4> kNames{"resolved.json", "results.csv", "run.json",
                                            "inputs.txt"};

constexpr std::string_view kTwoPoints = R"(== resolved.json
{"name": "a", "seed": 1, "replicates": 2, "detector": {"order": "rank", "period": "100 ms"},
 "failures": [{"at": "1 s", "what": "process"}], "sweep": {"detector.order": ["rank", "shuffled"]}}
== results.csv
point,replicate,detector.order,processes,failures,detection_max_s,mistake_recurrence_s,state_hash
0,0,rank,8,1,1.25,,abc
0,1,rank,8,1,1.5,,abd
1,0,shuffled,8,1,1.125,3,0
1,1,"shuf""fled",8,1,,3,1
== run.json
{"version": "0.1.0", "git": "abc"}
== inputs.txt
sha256 of a file
)";

// Gone when the process ends.
class Folder {
 public:
  Folder() { FUZZ_CHECK(::mkdtemp(path_.data()) != nullptr); }
  ~Folder() {
    clear();
    ::rmdir(path_.c_str());
  }
  void clear() {
    for (const char* name : kNames) ::unlink(file(name).c_str());
  }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = "/tmp/holdfast-fuzz-XXXXXX";
};

void write_files(const Folder& folder, std::string_view text) {
  std::ofstream file;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    bool begins = false;
    for (const char* name : kNames) {
      if (line != std::string("== ") + name) continue;
      file = std::ofstream(folder.file(name), std::ios::binary);
      begins = true;
    }
    if (!begins && file.is_open()) file << line << '\n';
  }
}

}  // namespace

std::vector<Bytes> seeds() {
  return {bytes_of(kTwoPoints)};
}

void play(Input input) {
  static Folder folder;
  folder.clear();
  write_files(folder, text_of(input));
  compare::RecordedResults results;
  if (const Status status = compare::read_results(folder.path(), results); !status.is_ok()) {
    return check_sentence(status.message());
  }
  FUZZ_CHECK(!results.points.empty());
  for (const compare::RecordedPoint& point : results.points) {
    for (const auto& [replicate, row] : point.rows) {
      FUZZ_CHECK(row.size() == results.columns.size());
      for (std::size_t i = results.first_measure; i < row.size(); ++i) {
        if (results.columns[i] == "state_hash") continue;
        const auto value = compare::measured(results, row, i);
        FUZZ_CHECK(!value || !std::isnan(*value));
      }
    }
  }
  compare::Comparison comparison;
  const Status status = compare::compare(folder.path() + "#0", folder.path() + "#1", comparison);
  if (!status.is_ok()) check_sentence(status.message());
}

}  // namespace holdfast::fuzz
