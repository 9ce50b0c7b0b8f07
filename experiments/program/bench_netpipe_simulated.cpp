// holdfast bench netpipe --target sim-...: messages over the networks of papers, in simulated time.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/netpipe/simulated.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/bench_words.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/netpipe_words.hpp"
#include "experiments/runner/durable_file.hpp"
#include "experiments/runner/version.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kFragmentLeast = 64;
// Four are the window of simulated jobs (sim/jobs).
constexpr std::uint32_t kFragmentMost = 32 << 10;

// What only real processes and wires have.
std::string refused_option(const Arguments& arguments) {
  for (const char* const option :
       {"--rounds", "--rails", "--checksum", "--seal", "--rate", "--sleep", "--timers"}) {
    if (arguments.has(option))
      return std::string(option) +
             " is not for simulated targets; expected --target, --sizes, --fragment, --output and "
             "--quiet";
  }
  return "";
}

nlohmann::ordered_json json_of(const netpipe::SimulatedNetwork& network) {
  const bench::Cluster& cluster = network.cluster;
  const auto json_of_work = [](const sim::FrameWork& work) {
    return nlohmann::ordered_json{{"each_ns", work.each.ns},
                                  {"bytes_per_s", work.bytes_per_second}};
  };
  return {{"what", network.idea},
          {"bits_per_s", cluster.bits_per_second},
          {"latency_ns", cluster.latency.ns},
          {"fragment_bytes", cluster.fragment_bytes},
          {"frame_copied", json_of_work(cluster.copied)},
          {"frame_copied_with_crc32c", json_of_work(cluster.checked)}};
}

Status write(const std::string& folder, const nlohmann::ordered_json& model,
             const netpipe::SimulatedFindings& all) {
  const std::array<std::pair<const char*, std::string>, 4> files = {
      std::pair{"model.json", model.dump(2) + "\n"},
      {"bandwidth.csv", bandwidth_csv(all.rows)},
      {"overhead.csv", overhead_csv(all.overheads)},
      {"shows.csv", shows_csv(all.shows)}};
  for (const auto& [name, text] : files) {
    if (Status status = runner::write_durably(folder + "/" + name, text); !status.is_ok())
      return status;
  }
  return Status::ok();
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

int bench_netpipe_simulated(const Arguments& arguments, const std::vector<std::string>& targets) {
  netpipe::SimulatedPlan plan;
  std::set<std::uint32_t> fragments;
  std::string wrong = refused_option(arguments);
  if (wrong.empty()) wrong = parse_sizes(arguments, plan.sizes);
  if (wrong.empty() && arguments.has("--fragment"))
    wrong = parse_numbers(arguments, "--fragment", kFragmentLeast, kFragmentMost, fragments);
  if (!wrong.empty()) return refuse_bench(wrong);
  plan.fragment_bytes.assign(fragments.begin(), fragments.end());
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-netpipe", folder);
      !status.is_ok())
    return refuse_bench(status.message());
  const DropIfEmpty drop(folder);
  plan.before_each = bench_progress(arguments);

  netpipe::SimulatedFindings all;
  nlohmann::ordered_json model;
  for (const std::string& target : targets) {
    plan.network = netpipe::find_simulated_network(target);
    model["networks"][target] = json_of(*plan.network);
    netpipe::SimulatedFindings findings;
    const Status status = measure_simulated(plan, findings);
    plan.before_each("");
    if (!status.is_ok()) {
      std::fprintf(stderr, "holdfast bench: %s\n", status.message().c_str());
      return kFailed;
    }
    print_small(target, findings.rows);
    append(all.rows, findings.rows);
    append(all.overheads, findings.overheads);
    append(all.shows, findings.shows);
  }
  model["version"] = runner::version().git;
  if (Status status = write(folder, model, all); !status.is_ok())
    return refuse_bench(status.message());
  print_shows(all.shows);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
