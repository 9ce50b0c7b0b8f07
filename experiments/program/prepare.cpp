// Reads and checks an experiment and its files, and tells the user all that is wrong.
#include "experiments/program/prepare.hpp"

#include <cstdio>

#include "experiments/config/load.hpp"
#include "experiments/runner/input_digests.hpp"
#include "experiments/runner/warnings.hpp"

namespace holdfast::program {

constinit const Option kSetOption = {"--set", "PATH=VALUE",
                                     "replace a value of the file: --set detector.timeout=2s,\n"
                                     "--set 'sweep.detector.order=[\"rank\"]'; may be given again"};
constinit const Option kTargetOption = {
    "--target", "KIND",
    "where the processes run, as --set fabric.kind=KIND: native (the\n"
    "simulator), or real ones of this machine over udp, tcp, shm or verbs"};
constinit const Option kTopologyOption = {
    "--topology", "FILE", "the fabric, as ibnetdiscover wrote it, instead of the file's"};
constinit const Option kTraceOption = {
    "--trace", "FILE", "failures from a file (csv, or LANL's records); .xz is unpacked"};
constinit const Option kTraceSystemOption = {"--trace-system", "N",
                                             "of LANL's records: those of this system"};
constinit const Option kTraceYearOption = {"--trace-year", "Y", "… that start in this year"};
constinit const Option kTraceMonthOption = {"--trace-month", "M", "… and in this month, 1 to 12"};

namespace {

std::vector<runner::Assignment> overrides_in(const Arguments& arguments) {
  std::vector<runner::Assignment> overrides;
  for (const auto& [option, value] : arguments.given()) {
    if (option == kSetOption.name) {
      overrides.emplace_back(value);
      continue;
    }
    for (const runner::Assignment& each : runner::overrides_of_option(option, value))
      overrides.push_back(each);
  }
  return overrides;
}

}  // namespace

bool prepare(const std::string& config, const Arguments& arguments, Prepared& prepared) {
  runner::LoadResult result = runner::load_experiment(config, overrides_in(arguments));
  if (!result.experiment) {
    for (const std::string& error : result.errors) std::fprintf(stderr, "%s\n", error.c_str());
    return false;
  }
  runner::LoadedExperiment& loaded = *result.experiment;
  runner::Campaign& campaign = prepared.campaign;
  campaign.name = loaded.points.front().experiment.name;
  campaign.resolved = std::move(loaded.resolved_json);
  for (const auto& [path, value] : loaded.points.front().values)
    campaign.swept_paths.push_back(path);
  runner::InputsCache cache;
  for (runner::SweepPoint& point : loaded.points) {
    std::shared_ptr<const runner::Inputs> inputs;
    if (Status status = cache.load(point.experiment, inputs); !status.is_ok()) {
      std::fprintf(stderr, "%s\n", runner::with_place(status.message(), loaded, point).c_str());
      return false;
    }
    point.experiment.duration = inputs->duration();
    std::vector<std::string> swept;
    for (auto& [path, value] : point.values) swept.push_back(std::move(value));
    campaign.points.push_back({std::move(point.experiment), std::move(swept)});
    prepared.inputs.push_back(std::move(inputs));
  }
  campaign.attachments = prepared.inputs.front()->attachments();
  if (Status status = runner::digest_inputs(campaign.points, campaign.inputs); !status.is_ok()) {
    std::fprintf(stderr, "%s: %s\n", config.c_str(), status.message().c_str());
    return false;
  }
  return true;
}

void print_warnings(const Prepared& prepared, std::FILE* to) {
  for (const std::string& warning : runner::warnings_of(prepared.campaign.points, prepared.inputs))
    std::fprintf(to, "warning: %s\n", warning.c_str());
}

}  // namespace holdfast::program
