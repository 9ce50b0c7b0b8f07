// holdfast bench netpipe: messages between two processes, beside what limits them.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/config/nearest.hpp"
#include "experiments/netpipe/comparison.hpp"
#include "experiments/netpipe/shared_core.hpp"
#include "experiments/netpipe/simulated.hpp"
#include "experiments/netpipe/verbs_rails.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/bench_words.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/netpipe_words.hpp"
#include "experiments/runner/durable_file.hpp"
#include "hw/inject/host_network.hpp"
#include "hw/tcp/congestion_control.hpp"
#include "stack/checksum/checksum.hpp"
#include "stack/reliable/rail_state.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kRounds = 31;
constexpr std::uint32_t kRailsMost = netpipe::AddressBoard::kRailsMost;
constexpr std::uint32_t kFragmentLeast = 64;
constexpr std::uint32_t kMegabitsMost = 100'000;

std::vector<std::string> simulated_targets() {
  std::vector<std::string> names;
  for (const netpipe::SimulatedNetwork& network : netpipe::simulated_networks())
    names.emplace_back(network.target);
  return names;
}

// Real ones, or simulated ones.
std::string parse_targets(const Arguments& arguments, std::vector<std::string>& targets) {
  const bool is_limited = arguments.has("--rate");
  const std::string all = is_limited ? "udp,tcp" : "udp,tcp,shm";
  std::size_t simulated = 0;
  for (const std::string& target : split_at_commas(arguments.value("--target", all))) {
    const bool is_simulated = netpipe::find_simulated_network(target) != nullptr;
    const std::vector<std::string> real = {"udp", "tcp", "shm", "verbs"};
    if (!is_simulated && std::find(real.begin(), real.end(), target) == real.end()) {
      std::vector<std::string> names = simulated_targets();
      std::string simulated_ones;
      for (const std::string& name : names)
        simulated_ones += (simulated_ones.empty() ? "" : " and ") + name;
      names.insert(names.end(), real.begin(), real.end());
      return "--target has \"" + target + "\"" + runner::config::did_you_mean(target, names) +
             "; expected some of udp, tcp, shm and verbs, or of " + simulated_ones +
             ", with commas between";
    }
    if (is_limited && (target == "shm" || target == "verbs"))
      return "--target has " + target +
             " and --rate is there; expected udp or tcp, as hosts that are made for it share "
             "neither memory nor adapters";
    if (target == "verbs") {
      std::uint32_t unused = 0;
      if (Status status = netpipe::verbs_fragment_bytes(unused); !status.is_ok())
        return "--target: " + status.message() +
               "; expected other targets, or a port: 'rdma link add rxe0 type rxe netdev "
               "INTERFACE' "
               "makes one of an Ethernet interface";
    }
    if (std::find(targets.begin(), targets.end(), target) != targets.end()) continue;
    targets.push_back(target);
    if (is_simulated) ++simulated;
  }
  if (simulated > 0 && simulated < targets.size())
    return "--target has simulated networks and real ones; expected one kind, as results that are "
           "computed and results that are measured have folders of their own";
  return "";
}

std::string parse_checksums(const Arguments& arguments, netpipe::Plan& plan) {
  std::vector<std::string> names{"none"};
  for (const ChecksumEntry& entry : checksums()) names.emplace_back(entry.name);
  for (const std::string& checksum : split_at_commas(arguments.value("--checksum", "crc32c"))) {
    if (std::find(names.begin(), names.end(), checksum) == names.end()) {
      std::string expected;
      for (const std::string& name : names) expected += (expected.empty() ? "" : ", ") + name;
      return "--checksum has \"" + checksum + "\"" + runner::config::did_you_mean(checksum, names) +
             "; expected some of " + expected + ", with commas between";
    }
    const bool is_new =
        std::find(plan.checksums.begin(), plan.checksums.end(), checksum) == plan.checksums.end();
    if (checksum != "none" && is_new) plan.checksums.push_back(checksum);
  }
  return "";
}

std::string parse_seal(const Arguments& arguments, netpipe::Plan& plan) {
  plan.seal = arguments.value("--seal", "none");
  if (find_seal(plan.seal) != nullptr) return "";
  return "--seal is \"" + plan.seal + "\"; expected none or siphash128";
}

std::string parse_fragments(const Arguments& arguments, const std::vector<std::string>& targets,
                            netpipe::Plan& plan) {
  if (!arguments.has("--fragment")) return "";
  std::set<std::uint32_t> fragments;
  for (const std::string& target : targets) {
    const bool is_cut =
        target == "udp" && arguments.has("--rate");  // by the wire, which is Ethernet
    const std::uint32_t most =
        is_cut ? netpipe::default_fragment_bytes(target) : netpipe::most_fragment_bytes(target);
    if (std::string wrong = parse_numbers(arguments, "--fragment", kFragmentLeast, most, fragments);
        !wrong.empty()) {
      if (is_cut) return wrong + " (more do not fit a packet of Ethernet)";
      if (target == "verbs") return wrong + " (more do not fit a datagram of the adapter)";
      return wrong + (target == "udp" ? " (more do not fit a datagram of UDP)" : "");
    }
  }
  plan.fragment_bytes.assign(fragments.begin(), fragments.end());
  return "";
}

std::string parse(const Arguments& arguments, const std::vector<std::string>& targets,
                  netpipe::Plan& plan) {
  for (const auto& parse_some : {parse_checksums, parse_seal}) {
    if (std::string wrong = parse_some(arguments, plan); !wrong.empty()) return wrong;
  }
  if (std::string wrong = parse_sizes(arguments, plan.sizes); !wrong.empty()) return wrong;
  if (std::string wrong = parse_timers(arguments, plan.timers); !wrong.empty()) return wrong;
  const auto has_target = [&](const char* target) {
    return std::find(targets.begin(), targets.end(), target) != targets.end();
  };
  if (plan.timers.back() == reliable::Timers::paper && has_target("shm"))
    return "--timers has paper and --target has shm; expected other targets, as these timers send "
           "what overflows a lane of shared memory, and wait for ten seconds then";
  plan.sleeps = arguments.has("--sleep");
  if (plan.sleeps && has_target("verbs"))
    return "--sleep is there and --target has verbs; expected other targets, as the plain "
           "connection beside them polls";
  return parse_fragments(arguments, targets, plan);
}

// Without a wire between them nothing is lost between two processes, unless a buffer overflows.
void print_resent(const netpipe::Findings& findings) {
  if (findings.fragments_resent == 0) return;
  std::printf("note: fragments that were sent again while we measured: %llu\n",
              static_cast<unsigned long long>(findings.fragments_resent));
}

// Of a message over shared memory ours is mostly computing, and Open MPI's waiting (docs/speed.md).
void print_shared(const netpipe::SharedCore& core) {
  constexpr std::uint64_t kStepsToOneShared = 20;
  if (core.shared_steps * kStepsToOneShared <= core.steps) return;
  std::printf(
      "note: in %llu of %llu steps something else computed on the core of one of our processors: "
      "on "
      "its other hyper-thread, another virtual machine or, if our two are one core's, our other "
      "process (additions a cycle: %.2f in the median, %.2f at best); what computes is slower "
      "then, "
      "and what waits is not\n",
      static_cast<unsigned long long>(core.shared_steps),
      static_cast<unsigned long long>(core.steps), core.median, core.best);
}

// Of the connections that were measured: plain sockets', ours and ob1's, which is beside ours over
// UDP, too. Empty: none were, or the kernel does not say.
std::string congestion_control_of(const netpipe::Findings& findings) {
  const bool has_tcp =
      std::any_of(findings.rows.begin(), findings.rows.end(),
                  [](const bench::BandwidthRow& row) { return row.contender.ends_with(" tcp"); });
  return has_tcp ? hw::congestion_control() : std::string();
}

// Ours hardly depends on it (docs/speed.md).
void print_congestion_control(const std::string& name) {
  if (name.empty() || name == "cubic") return;
  std::printf(
      "note: TCP connections have the congestion control %s here, and cubic on most machines "
      "(sysctl net.ipv4.tcp_congestion_control): long messages over plain sockets and Open MPI's "
      "depend on it\n",
      name.c_str());
}

std::string json_of(const netpipe::Plan& plan, const netpipe::Findings& findings,
                    const netpipe::SharedCore& core) {
  nlohmann::ordered_json json;
  json["rails"] = plan.rails;
  if (plan.places.megabits() > 0) {
    json["megabits_per_s"] = plan.places.megabits();
    json["burst_bytes"] = plan.places.burst_bytes();
    json["queue_bytes"] = hw::HostNetwork::kQueueBytes;
  }
  json["checksums"] = plan.checksums;
  json["seal"] = plan.seal;
  for (const reliable::Timers timers : plan.timers) json["timers"].push_back(name_of(timers));
  json["waiting"] = plan.sleeps ? "sleeping" : "polling";
  if (findings.polled_steps > 0) {
    json["polled_steps"] = findings.polled_steps;
    json["disturbed_steps"] = findings.disturbed_steps;
  }
  json["fragment_bytes"] = findings.fragment_bytes;
  if (findings.fragment_bytes.contains("verbs"))
    json["ports"] = netpipe::verbs_port_names(plan.rails);
  if (const std::string name = congestion_control_of(findings); !name.empty())
    json["tcp_congestion_control"] = name;
  json["additions_per_cycle"] = {{"best", core.best}, {"median", core.median}};
  json["steps"] = core.steps;
  json["shared_steps"] = core.shared_steps;
  json["fragments_resent"] = findings.fragments_resent;
  json["messages_compared"] = findings.messages;
  return json.dump();
}

void print_all(const netpipe::Findings& all, const netpipe::SharedCore& core) {
  print_shows(all.shows);
  print_disturbed(all.disturbed_steps, all.polled_steps);
  print_shared(core);
  print_congestion_control(congestion_control_of(all));
  print_resent(all);
  std::printf("messages compared with what was sent: %llu\n",
              static_cast<unsigned long long>(all.messages));
}

// Onto two hosts with a wire between them.
Status put_apart(std::uint32_t megabits, netpipe::Plan& plan) {
  const std::uint32_t least = netpipe::least_megabits(plan.sizes.back());
  if (megabits < least)
    return Status::error("--rate is " + std::to_string(megabits) + "; expected " +
                         std::to_string(least) + " to " + std::to_string(kMegabitsMost) +
                         " megabits a second for messages of " + std::to_string(plan.sizes.back()) +
                         " bytes");
  return netpipe::Places::apart(plan.rails, megabits, plan.places);
}

}  // namespace

int bench_netpipe(const Arguments& arguments) {
  netpipe::Plan plan;
  std::vector<std::string> targets;
  if (std::string wrong = parse_targets(arguments, targets); !wrong.empty())
    return refuse_bench(wrong);
  if (netpipe::find_simulated_network(targets.front()) != nullptr)
    return bench_netpipe_simulated(arguments, targets);
  std::uint32_t megabits = 0;
  if (!arguments.number("--rounds", kRounds, plan.rounds) ||
      !arguments.number("--rails", 1, plan.rails, kRailsMost) ||
      !arguments.number("--rate", 0, megabits, kMegabitsMost))
    return kRefused;
  if (std::string wrong = parse(arguments, targets, plan); !wrong.empty())
    return refuse_bench(wrong);
  if (megabits > 0) {
    if (Status status = put_apart(megabits, plan); !status.is_ok())
      return refuse_bench(status.message());
  }
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-netpipe", folder);
      !status.is_ok())
    return refuse_bench(status.message());
  const DropIfEmpty drop(folder);
  plan.mpi_program = mpi_program(arguments, "mpi_netpipe");
  plan.before_each = bench_progress(arguments);

  const Interruptible interruptible;
  plan.is_over = Interruptible::was_interrupted;
  netpipe::Findings all;
  const std::vector<std::uint32_t> fragments = plan.fragment_bytes;
  for (const std::string& target : targets) {
    plan.target = target;
    plan.fragment_bytes = fragments;
    if (fragments.empty()) plan.fragment_bytes = {netpipe::default_fragment_bytes(target)};
    if (plan.fragment_bytes[0] == 0) return refuse_bench(target + ": the port is no longer active");
    all.fragment_bytes[target] = plan.fragment_bytes;
    netpipe::Findings findings;
    const Status status = measure(plan, findings);
    plan.before_each("");
    if (const std::optional<int> ending = ending_of(status)) return *ending;
    print_small(target, findings.rows);
    if (!findings.without_mpi.empty())
      std::printf("  without Open MPI: %s\n", findings.without_mpi.c_str());
    all.rows.insert(all.rows.end(), findings.rows.begin(), findings.rows.end());
    all.overheads.insert(all.overheads.end(), findings.overheads.begin(), findings.overheads.end());
    all.shows.insert(all.shows.end(), findings.shows.begin(), findings.shows.end());
    all.messages += findings.messages;
    all.polled_steps += findings.polled_steps;
    all.disturbed_steps += findings.disturbed_steps;
    all.fragments_resent += findings.fragments_resent;
    all.additions_per_cycle.insert(all.additions_per_cycle.end(),
                                   findings.additions_per_cycle.begin(),
                                   findings.additions_per_cycle.end());
  }
  const netpipe::SharedCore core = netpipe::shared_core(std::move(all.additions_per_cycle));
  if (Status status = write_bench_results(folder, json_of(plan, all, core), all.rows, all.shows);
      !status.is_ok())
    return refuse_bench(status.message());
  if (Status status = runner::write_durably(folder + "/overhead.csv", overhead_csv(all.overheads));
      !status.is_ok())
    return refuse_bench(status.message());
  print_all(all, core);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
