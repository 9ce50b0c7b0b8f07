// holdfast bench nas: what reliable messages and their checksums cost the NAS Parallel Benchmarks,
// simulated.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "experiments/bench/nas_runtimes.hpp"
#include "experiments/config/nearest.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/runner/durable_file.hpp"

namespace holdfast::program {
namespace {

// Six digits: costs are often a part in a thousand.
std::string ratio(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return value > 0 ? text : "";
}

std::string runtimes_csv(const std::vector<bench::NasRow>& rows) {
  std::string csv =
      "benchmark,class,processes,contender,iterations,seconds,compute_seconds,over_unprotected,"
      "over_unsummed,published_seconds,published_over_unsummed,played_messages,played_bytes,"
      "fragments_resent\n";
  for (const bench::NasRow& row : rows) {
    csv += std::string(name_of(row.job.benchmark)) + "," + name_of(row.job.problem_class) + "," +
           std::to_string(row.job.processes) + ",\"" + std::string(name_of(row.contender)) + "\"," +
           std::to_string(row.iterations) + "," + ratio(row.seconds) + "," +
           ratio(row.compute_seconds) + "," + ratio(row.over_unprotected) + "," +
           ratio(row.over_unsummed) + "," + ratio(row.published_seconds) + "," +
           ratio(row.published_over_unsummed) + "," + std::to_string(row.messages) + "," +
           std::to_string(row.bytes) + "," + std::to_string(row.resent) + "\n";
  }
  return csv;
}

// "+1.2 %", or nothing.
std::string percent(double over) {
  if (over <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f %%", 100 * (over - 1));
  return text;
}

void print_rows(const std::vector<bench::NasRow>& rows) {
  std::printf("%-9s %-23s | %9s %9s | %11s | %12s | %9s %12s | %7s\n", "", "", "", "of these",
              "over", "over without", "published", "over", "");
  std::printf("%-9s %-23s | %9s %9s | %11s | %12s | %9s %12s | %7s\n", "run", "messages", "seconds",
              "computing", "unprotected", "checksum", "seconds", "without", "resent");
  for (const bench::NasRow& row : rows) {
    std::printf("%-9s %-23s | %9.3f %9.3f | %11s | %12s | %9s %12s | %7" PRIu64 "\n",
                sim::name_of(row.job).c_str(), std::string(name_of(row.contender)).c_str(),
                row.seconds, row.compute_seconds, percent(row.over_unprotected).c_str(),
                percent(row.over_unsummed).c_str(), ratio(row.published_seconds).c_str(),
                percent(row.published_over_unsummed).c_str(), row.resent);
  }
}

// Of the figure that of --job only, if it is given.
Status keep_job(const Arguments& arguments, bench::NasFigure& figure) {
  if (!arguments.has("--job")) return Status::ok();
  sim::Job asked;
  if (Status status = sim::parse_job(arguments.value("--job"), asked); !status.is_ok())
    return Status::error("--job: " + status.message());
  std::string known;
  for (const bench::NasJob& job : figure.jobs) {
    if (name_of(job.job) == name_of(asked)) {
      const bench::NasJob kept = job;
      figure.jobs = {kept};
      return Status::ok();
    }
    known += (known.empty() ? "" : ", ") + name_of(job.job);
  }
  return Status::error("--job: " + name_of(asked) + " is not in " + std::string(figure.name) +
                       "; expected one of " + known);
}

}  // namespace

int bench_nas(const Arguments& arguments) {
  const std::string figure = arguments.value("--figure", "csum-table-1");
  std::vector<std::string> known;
  for (const std::string_view name : bench::nas_figures()) known.emplace_back(name);
  if (std::find(known.begin(), known.end(), figure) == known.end()) {
    return refuse_bench("--figure: there is no \"" + figure + "\"" +
                        runner::config::did_you_mean(figure, known) +
                        "; expected dr-6 or csum-table-1");
  }
  bench::NasFigure shown = bench::nas_figure(figure);
  if (Status status = keep_job(arguments, shown); !status.is_ok())
    return refuse_bench(status.message());
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-nas", folder); !status.is_ok())
    return refuse_bench(status.message());
  const DropIfEmpty drop(folder);
  std::vector<bench::NasRow> rows;
  const Status played = bench::nas_runtimes(shown, bench_progress(arguments), rows);
  if (!played.is_ok()) {
    std::fprintf(stderr, "holdfast bench: %s\n", played.message().c_str());
    return kFailed;
  }
  if (Status status = runner::write_durably(folder + "/runtimes.csv", runtimes_csv(rows));
      !status.is_ok())
    return refuse_bench(status.message());
  print_rows(rows);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
