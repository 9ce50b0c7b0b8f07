// holdfast bench failover: what a program sees of it when one of two rails fails and comes back.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "experiments/config/nearest.hpp"
#include "experiments/failover/comparison.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/bench_words.hpp"
#include "experiments/program/commands.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kTimes = 5;
constexpr std::uint32_t kMessageKib = 1024, kWindowKib = 256, kKibLeast = 64, kKibMost = 16 << 10;
constexpr std::uint32_t kMegabits = 2000, kMegabitsMost = 100'000;

std::string parse_faults(const Arguments& arguments, failover::Plan& plan) {
  std::vector<std::string> names;
  for (const failover::FaultKind& kind : failover::fault_kinds()) names.emplace_back(kind.name);
  for (const std::string& name :
       arguments.has("--faults") ? split_at_commas(arguments.value("--faults")) : names) {
    const failover::FaultKind* const kind = failover::find_fault_kind(name);
    if (kind == nullptr) {
      std::string expected;
      for (const std::string& each : names) expected += (expected.empty() ? "" : ", ") + each;
      return "--faults has \"" + name + "\"" + runner::config::did_you_mean(name, names) +
             "; expected some of " + expected + ", with commas between";
    }
    if (std::find(plan.kinds.begin(), plan.kinds.end(), kind) == plan.kinds.end())
      plan.kinds.push_back(kind);
  }
  return "";
}

std::string parse_rates(const Arguments& arguments, failover::Plan& plan) {
  plan.megabits = {kMegabits, kMegabits};
  if (!arguments.has("--rates")) return "";
  const std::vector<std::string> parts = split_at_commas(arguments.value("--rates"));
  bool is_right = parts.size() == plan.megabits.size();
  for (std::size_t i = 0; is_right && i < parts.size(); ++i)
    is_right = parse_whole(parts[i], 1, kMegabitsMost, plan.megabits[i]);
  if (is_right) return "";
  return "--rates is \"" + arguments.value("--rates") +
         "\"; expected two whole numbers from 1 to " + std::to_string(kMegabitsMost) +
         ", in megabits a second, with a comma between";
}

std::string parse_kib(const Arguments& arguments, const std::string& option, std::uint32_t usual,
                      std::uint32_t& bytes) {
  const std::string kib = arguments.value(option, std::to_string(usual));
  if (!parse_whole(kib, kKibLeast, kKibMost, bytes))
    return option + " is \"" + kib + "\"; expected a whole number of KiB from " +
           std::to_string(kKibLeast) + " to " + std::to_string(kKibMost);
  bytes <<= 10;
  return "";
}

std::string parse(const Arguments& arguments, failover::Plan& plan) {
  for (const auto& parse_some : {parse_faults, parse_rates}) {
    if (std::string wrong = parse_some(arguments, plan); !wrong.empty()) return wrong;
  }
  if (std::string wrong = parse_timers(arguments, plan.timers); !wrong.empty()) return wrong;
  if (std::string wrong = parse_kib(arguments, "--message", kMessageKib, plan.message_bytes);
      !wrong.empty())
    return wrong;
  return parse_kib(arguments, "--window", kWindowKib, plan.window_bytes);
}

std::string optional_number(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

std::string gaps_csv(const std::vector<failover::GapRow>& rows) {
  std::string csv =
      "contender,fault,rail,repetition,lasted_s,outcome,noticed_by,noticed_s,gap_s,gap_at_s,"
      "first_gap_s,regained_s,share_of_single_rail,back_s,left_well,messages\n";
  for (const failover::GapRow& row : rows) {
    std::string outcome = row.outcome;
    std::replace(outcome.begin(), outcome.end(), '"', '\'');
    csv += row.contender + "," + row.fault + "," + std::to_string(row.rail) + "," +
           std::to_string(row.repetition) + "," + short_number(row.lasted_s) + ",\"" + outcome +
           "\"," + row.noticed_by + "," + optional_number(row.noticed_s) + "," +
           short_number(row.gap_s) + "," + short_number(row.gap_at_s) + "," +
           short_number(row.first_gap_s) + "," + optional_number(row.regained_s) + "," +
           optional_number(row.share) + "," + optional_number(row.back_s) + "," +
           std::to_string(row.left_well) + "," + std::to_string(row.messages) + "\n";
  }
  return csv;
}

std::string results_csv(const failover::Findings& findings) {
  std::string csv = "contender,fault,rail,repetition,at_s,bytes_per_s\n";
  for (const failover::BinRow& row : findings.bins) {
    csv += row.contender + "," + row.fault + "," + std::to_string(row.rail) + "," +
           std::to_string(row.repetition) + "," + short_number(row.at_s) + "," +
           short_number(row.bytes_per_second) + "\n";
  }
  return csv;
}

std::string steady_csv(const std::vector<failover::SteadyRow>& rows) {
  std::string csv = "contender,rails,repetition,bytes_per_s,gap_s,wire_bytes_per_s\n";
  for (const failover::SteadyRow& row : rows) {
    csv += row.contender + "," + row.rails + "," + std::to_string(row.repetition) + "," +
           short_number(row.bytes_per_second) + "," + short_number(row.gap_s) + "," +
           short_number(row.wire_bytes_per_second) + "\n";
  }
  return csv;
}

std::string json_of(const failover::Plan& plan, const failover::Findings& findings) {
  nlohmann::ordered_json json;
  json["rates_megabits_per_s"] = plan.megabits;
  json["queue_bytes"] = hw::HostNetwork::kQueueBytes;
  json["message_bytes"] = plan.message_bytes;
  json["window_bytes"] = plan.window_bytes;
  for (const reliable::Timers timers : plan.timers) json["timers"].push_back(name_of(timers));
  json["times"] = plan.times;
  json["seed"] = plan.seed;
  json["without_open_mpi"] = findings.without_mpi;
  json["messages_compared"] = findings.messages;
  return json.dump();
}

void print(const failover::Findings& findings) {
  for (const failover::SteadySummary& row : failover::summaries_of(findings.steady)) {
    std::printf(
        "%-12s without a fault, rail %-8s %9.1f MB/s of %.1f on the wire, longest gap, median %.1f "
        "ms, 99 %% %.1f ms\n",
        row.contender.c_str(), row.rails.c_str(), row.bytes_per_second / 1e6,
        row.wire_bytes_per_second / 1e6, row.gap_median_s * 1e3, row.gap_99_s * 1e3);
  }
  print_limits(findings.shows);
  for (const failover::GapRow& row : findings.gaps) {
    if (row.outcome == "recovered") continue;
    std::printf("%s, %s of rail %u: %s\n", row.contender.c_str(), row.fault.c_str(), row.rail,
                row.outcome.c_str());
  }
  std::printf("times that an end left a rail that was well: %llu\n",
              static_cast<unsigned long long>(findings.left_well));
  if (!findings.without_mpi.empty())
    std::printf("without Open MPI: %s\n", findings.without_mpi.c_str());
  std::printf("messages compared with what was sent: %llu\n",
              static_cast<unsigned long long>(findings.messages));
}

Status write(const std::string& folder, const failover::Plan& plan,
             const failover::Findings& findings) {
  return write_bench_files(folder, json_of(plan, findings),
                           {{"shows.csv", limits_csv(findings.shows)},
                            {"steady.csv", steady_csv(findings.steady)},
                            {"gaps.csv", gaps_csv(findings.gaps)},
                            {"results.csv", results_csv(findings)}});
}

}  // namespace

int bench_failover(const Arguments& arguments) {
  failover::Plan plan;
  std::uint32_t seed = 1;
  if (!arguments.number("--times", kTimes, plan.times) || !arguments.number("--seed", 1, seed))
    return kRefused;
  plan.seed = seed;
  if (std::string wrong = parse(arguments, plan); !wrong.empty()) return refuse_bench(wrong);
  const Interruptible interruptible;
  plan.is_over = Interruptible::was_interrupted;
  plan.mpi_program = mpi_program(arguments, "mpi_failover");
  plan.before_each = bench_progress(arguments);
  std::unique_ptr<hw::HostNetwork> network;
  if (Status status = open_network(plan, network); !status.is_ok())
    return refuse_bench(status.message());
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-failover", folder);
      !status.is_ok())
    return refuse_bench(status.message());
  const DropIfEmpty drop(folder);

  failover::Findings findings;
  const Status status = measure(plan, *network, findings);
  plan.before_each("");
  if (const std::optional<int> ending = ending_of(status)) return *ending;
  if (Status written = write(folder, plan, findings); !written.is_ok())
    return refuse_bench(written.message());
  print(findings);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
