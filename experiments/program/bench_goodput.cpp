// holdfast bench goodput: what lost and late datagrams cost a stream of messages.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "experiments/goodput/comparison.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/bench_words.hpp"
#include "experiments/program/commands.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kRounds = 101;

// With its interval; of what is compared with nothing, three empty cells.
std::string share_of(const goodput::GoodputRow& row) {
  if (!row.share) return ",,";
  return short_number(*row.share) + "," + interval_cells(row.share_interval);
}

std::string goodput_csv(const std::vector<goodput::GoodputRow>& rows) {
  std::string csv =
      "contender,fault,message_bytes,samples,median_bytes_per_s,low_bytes_per_s,high_bytes_per_s,"
      "share_of_undisturbed,low_share,high_share,fragments,resent,lost,late\n";
  for (const goodput::GoodputRow& row : rows) {
    csv += row.contender + "," + row.fault + "," + std::to_string(goodput::kMessageBytes) + "," +
           std::to_string(row.samples) + "," + short_number(row.median_bytes_per_second) + "," +
           interval_cells(row.bytes_per_second) + "," + share_of(row);
    for (const std::uint64_t count : {row.fragments, row.resent, row.lost, row.late})
      csv += "," + std::to_string(count);
    csv += "\n";
  }
  return csv;
}

std::string json_of(const goodput::Plan& plan, const goodput::Findings& findings) {
  nlohmann::ordered_json json;
  json["seed"] = plan.seed;
  json["round_trip_s"] = findings.round_trip_s;
  json["steps"] = findings.steps;
  json["disturbed_steps"] = findings.disturbed_steps;
  json["messages_compared"] = findings.messages;
  return json.dump();
}

void print(const goodput::Findings& findings) {
  for (const goodput::GoodputRow& row : findings.rows) {
    std::printf("%-10s %-15s %8.2f GB/s", row.contender.c_str(), row.fault.c_str(),
                row.median_bytes_per_second / 1e9);
    if (row.share) {
      std::printf(", %.3f", *row.share);
      if (const auto& interval = row.share_interval)
        std::printf(" (%.3f to %.3f)", interval->low, interval->high);
      std::printf(" of undisturbed");
    }
    if (row.fragments > 0) {
      std::printf("; of %llu fragments %llu sent again; %llu frames lost, %llu late",
                  static_cast<unsigned long long>(row.fragments),
                  static_cast<unsigned long long>(row.resent),
                  static_cast<unsigned long long>(row.lost),
                  static_cast<unsigned long long>(row.late));
    }
    std::printf("\n");
  }
  std::printf("late: by up to half of a round trip of %.0f µs\n", 1e6 * findings.round_trip_s);
  print_limits(findings.shows);
  print_disturbed(findings.disturbed_steps, findings.steps);
  std::printf("messages compared with what was sent: %llu\n",
              static_cast<unsigned long long>(findings.messages));
}

Status write(const std::string& folder, const goodput::Plan& plan,
             const goodput::Findings& findings) {
  return write_bench_files(
      folder, json_of(plan, findings),
      {{"shows.csv", limits_csv(findings.shows)}, {"goodput.csv", goodput_csv(findings.rows)}});
}

}  // namespace

int bench_goodput(const Arguments& arguments) {
  goodput::Plan plan;
  std::uint32_t seed = 1;
  if (!arguments.number("--rounds", kRounds, plan.rounds) || !arguments.number("--seed", 1, seed))
    return kRefused;
  plan.seed = seed;
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-goodput", folder);
      !status.is_ok())
    return refuse_bench(status.message());
  const DropIfEmpty drop(folder);
  plan.before_each = bench_progress(arguments);

  const Interruptible interruptible;
  plan.is_over = Interruptible::was_interrupted;
  goodput::Findings findings;
  const Status status = measure(plan, findings);
  plan.before_each("");
  if (const std::optional<int> ending = ending_of(status)) return *ending;
  if (Status written = write(folder, plan, findings); !written.is_ok())
    return refuse_bench(written.message());
  print(findings);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
