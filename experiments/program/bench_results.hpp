// What benchmarks have in common: their results folder, its files, and the table of what is
// promised.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/bench/checksum_shows.hpp"
#include "experiments/bench/limit_show.hpp"
#include "experiments/program/options.hpp"
#include "stack/base/status.hpp"

namespace holdfast::program {

// The benchmarks; each gives the exit status. What they refuse measures nothing.
int bench_checksum(const Arguments& arguments);
int bench_failover(const Arguments& arguments);
int bench_goodput(const Arguments& arguments);
int bench_nas(const Arguments& arguments);
int bench_netpipe(const Arguments& arguments);
int bench_pipeline_model(const Arguments& arguments);

// "holdfast bench: …" on stderr, and the exit status for what the user can mend.
int refuse_bench(const std::string& message);

// Four digits.
std::string short_number(double value);

// Two cells of a table, empty where there is none.
std::string interval_cells(const std::optional<bench::Interval>& interval);

// bandwidth.csv, which analysis/bench reads.
std::string bandwidth_csv(const std::vector<bench::BandwidthRow>& rows);
// shows.csv, of ratios that are promised.
std::string shows_csv(const std::vector<bench::ShowRow>& rows);

// Makes the folder of --output, or `otherwise`; it must not be there. An error says why not.
Status make_results_folder(const Arguments& arguments, const std::string& otherwise,
                           std::string& folder);

// Of a benchmark that wrote nothing no folder stays, so that it can be started again.
class DropIfEmpty {
 public:
  explicit DropIfEmpty(const std::string& folder) : folder_(folder) {}
  DropIfEmpty(const DropIfEmpty&) = delete;
  DropIfEmpty& operator=(const DropIfEmpty&) = delete;
  ~DropIfEmpty() { ::rmdir(folder_.c_str()); }

 private:
  const std::string& folder_;
};

// Shows what is measured now, on one line, where a person looks on; an empty text removes it.
std::function<void(const std::string&)> bench_progress(const Arguments& arguments);

// machine.json: on which machine all was measured, by which build, and what is `special`, the text
// of a JSON object. And files by name, each with its text.
Status write_bench_files(const std::string& folder, const std::string& special,
                         const std::vector<std::pair<std::string, std::string>>& files);

// machine.json, and the rows as shows.csv and bandwidth.csv.
Status write_bench_results(const std::string& folder, const std::string& special,
                           const std::vector<bench::BandwidthRow>& rows,
                           const std::vector<bench::ShowRow>& shows);

void print_shows(const std::vector<bench::ShowRow>& shows);

// The text of a shows.csv of bounds on values.
std::string limits_csv(const std::vector<bench::LimitShow>& shows);
void print_limits(const std::vector<bench::LimitShow>& shows);

// Says so if in more than one of twenty steps a process that polls was off its processor.
void print_disturbed(std::uint64_t disturbed_steps, std::uint64_t steps);

}  // namespace holdfast::program
