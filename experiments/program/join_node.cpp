// From the experiment and the options to a plan for hw::run_joined; and what it says, a line at a
// time with the rank in front, since the lines of all processes come to one terminal.
#include "experiments/program/join_node.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

#include "experiments/config/quantity.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/metrics_option.hpp"
#include "experiments/runner/node_program.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/joined_node.hpp"
#include "hw/launch/pmix_meeting.hpp"
#include "hw/launch/rail_places.hpp"
#include "hw/launch/rendezvous.hpp"

namespace holdfast::program {

const std::array<Option, 8> kJoinOptions = {
    kSetOption,
    kTopologyOption,
    Option{"--rank", "R", "which process of the job this is, from 0; needs --rendezvous"},
    Option{"--rendezvous", "HOST:PORT",
           "where process 0 listens and the others find it, instead of PMIx;\n"
           "[IP]:PORT for IPv6; needs --rank and a key"},
    Option{"--key-file", "FILE",
           "the job's key, 64 hexadecimal digits; default: what the\n"
           "environment's HOLDFAST_KEY holds; under PMIx neither is needed"},
    Option{"--address", "PLACE",
           "where this process receives frames: an address of its machine, or\n"
           "a network such as 10.1.0.0/16 in which it has one; default: the\n"
           "address by which it reaches the rendezvous; under PMIx 127.0.0.1\n"
           "if all processes are on this machine, else its first other address.\n"
           "Of several rails (fabric.rails) once for each, for all processes in\n"
           "the same order. Over verbs a port, such as mlx5_0:1; default of one\n"
           "rail: the first that is active"},
    Option{"--patience", "TIME", "to wait for all processes of the job; default: 30s"},
    kMetricsOption};

namespace {

int refuse(const std::string& why) {
  std::fprintf(stderr, "holdfast node: %s\n", why.c_str());
  return kRefused;
}

// A sentence about what is wrong; empty: nothing.
std::string check_experiment(const Prepared& prepared) {
  if (prepared.campaign.points.size() > 1)
    return "the experiment sweeps; choose one point, with --set sweep={} and --set PATH=VALUE";
  const runner::Target target = prepared.campaign.points.front().experiment.fabric.target;
  if (target == runner::Target::simulated)
    return "the experiment's fabric is simulated; give --set fabric.kind=udp (or tcp, verbs)";
  if (target == runner::Target::shm)
    return "shared memory needs the launcher of holdfast run; give --set fabric.kind=udp (or tcp, "
           "verbs)";
  if (prepared.campaign.points.front().experiment.fabric.faults.any())
    return "faults of frames (fabric.loss, delay and their like) need the launcher of holdfast "
           "run; leave them out";
  return "";
}

// Of `rails` rails. A sentence about what is wrong; empty: nothing.
std::string choose_addresses(const Arguments& arguments, std::uint32_t rails, hw::JoinPlan& plan) {
  std::vector<std::string> places;
  for (const auto& [option, value] : arguments.given())
    if (option == "--address") places.push_back(value);
  if (places.size() != rails && (rails > 1 || places.size() > 1))
    return "the experiment has " + std::to_string(rails) + (rails == 1 ? " rail" : " rails") +
           " (fabric.rails), and --address is given " + std::to_string(places.size()) +
           (places.size() == 1 ? " time" : " times") + "; expected it once for each rail";
  if (places.empty() && plan.places.fabric == hw::JobFabric::verbs) {
    const std::string wrong = hw::add_first_port(plan.places);
    return wrong.empty() ? "" : "fabric.kind \"verbs\" " + wrong;
  }
  for (const std::string& place : places) {
    const std::string wrong = hw::add_place(place, plan.places);
    if (!wrong.empty()) return "--address: \"" + place + "\" " + wrong;
  }
  return "";
}

// A sentence about what is wrong; empty: nothing.
std::string read_options(const Arguments& arguments, std::uint32_t rails, hw::JoinPlan& plan) {
  if (Status status = hw::find_job_key(arguments.value("--key-file"), plan.key); !status.is_ok())
    return status.message();
  if (std::string wrong = take_metrics_option(arguments, plan.processes); !wrong.empty())
    return wrong;
  if (std::string wrong = choose_addresses(arguments, rails, plan); !wrong.empty()) return wrong;
  if (!arguments.has("--patience")) return "";
  const std::string text = arguments.value("--patience");
  const auto patience = runner::parse_duration(text);
  if (!patience.value || *patience.value <= Duration{0})
    return "--patience is \"" + text + "\"; expected a time above zero, such as 30s";
  plan.patience = *patience.value;
  return "";
}

hw::JoinPlan plan_of(const Prepared& prepared) {
  const runner::Experiment& experiment = prepared.campaign.points.front().experiment;
  const runner::Inputs& inputs = *prepared.inputs.front();
  hw::JoinPlan plan;
  plan.configuration = runner::node_configuration(experiment, inputs, 0);
  plan.seed = runner::replicate_seed(experiment, 0);
  plan.processes = inputs.processes();
  plan.duration = inputs.duration();
  const runner::Target target = experiment.fabric.target;
  if (target == runner::Target::tcp) plan.places.fabric = hw::JobFabric::tcp;
  if (target == runner::Target::verbs) plan.places.fabric = hw::JobFabric::verbs;
  return plan;
}

// One write a line, so that the lines of several processes do not mix.
void say(const std::string& name, const std::string& what) {
  const std::string line = name + ": " + what + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

// A sentence about what is wrong; empty: nothing.
std::string choose_meeting(const Arguments& arguments, const hw::JoinPlan& plan,
                           std::unique_ptr<hw::Meeting>& meeting) {
  if (!arguments.has("--rank") && !arguments.has("--rendezvous")) {
    std::string why_not;
    if (!hw::PmixMeeting::is_there(why_not))
      return "who is in the job? " + why_not + ", or give --rank and --rendezvous";
    meeting = std::make_unique<hw::PmixMeeting>();
    return "";
  }
  if (!arguments.has("--rank")) return "--rank R is missing: which process of the job is this?";
  if (!arguments.has("--rendezvous"))
    return "--rendezvous HOST:PORT is missing: where is process 0?";
  const std::string text = arguments.value("--rank");
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || end != text.data() + text.size() || rank >= plan.processes)
    return "--rank is \"" + text + "\"; expected a whole number from 0 to " +
           std::to_string(plan.processes - 1) + ", of a job of " + std::to_string(plan.processes) +
           " by the configuration";
  if (!plan.key)
    return "a rendezvous needs the job's key: 64 hexadecimal digits in the environment's "
           "HOLDFAST_KEY or, with --key-file, in a file that others cannot read";
  hw::UdpEndpoint endpoint;
  if (const std::string wrong = hw::parse_rendezvous(arguments.value("--rendezvous"), endpoint);
      !wrong.empty())
    return "--rendezvous: " + wrong;
  meeting =
      rank == 0 ? hw::make_rendezvous_host(endpoint) : hw::make_rendezvous_guest(endpoint, {rank});
  return "";
}

int status_of(const hw::Met& met, hw::LoopEnd end, const std::string& name) {
  if (!met.is_ok()) {
    std::fprintf(stderr, "holdfast node: %s: %s\n", name.c_str(), met.message.c_str());
    return met.fault == hw::MeetingFault::refused ? kRefused : kFailed;
  }
  if (end == hw::LoopEnd::abandoned) {
    std::fprintf(stderr, "holdfast node: %s: what has started the job is gone, so this ends too\n",
                 name.c_str());
    return kFailed;
  }
  if (end == hw::LoopEnd::signal) {
    say(name, "stopped by a signal");
    return kInterrupted;
  }
  say(name, "left at the end");
  return kDone;
}

}  // namespace

int join_node(const Arguments& arguments) {
  Prepared prepared;
  if (!prepare(arguments.operands()[0], arguments, prepared)) return kRefused;
  if (const std::string wrong = check_experiment(prepared); !wrong.empty()) return refuse(wrong);
  hw::JoinPlan plan = plan_of(prepared);
  const std::uint32_t rails = prepared.campaign.points.front().experiment.fabric.rails;
  if (const std::string wrong = read_options(arguments, rails, plan); !wrong.empty())
    return refuse(wrong);
  std::unique_ptr<hw::Meeting> meeting;
  if (const std::string wrong = choose_meeting(arguments, plan, meeting); !wrong.empty())
    return refuse(wrong);
  const auto name = [&meeting] { return "process " + std::to_string(meeting->self().value); };
  plan.say = [&name](const std::string& what) { say(name(), what); };
  hw::LoopEnd end = hw::LoopEnd::signal;
  const hw::Met met = hw::run_joined(plan, *meeting, runner::make_node_program, end);
  return status_of(met, end, name());
}

}  // namespace holdfast::program
