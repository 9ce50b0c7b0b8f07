// Words run.json.
#include "experiments/runner/run_record.hpp"

#include <sys/utsname.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/runner/version.hpp"

namespace holdfast::runner {
namespace {

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm broken_down{};
  gmtime_r(&seconds, &broken_down);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &broken_down);
  return text;
}

nlohmann::ordered_json host() {
  utsname name{};
  uname(&name);
  return {{"name", name.nodename},
          {"system", std::string(name.sysname) + " " + name.release},
          {"machine", name.machine}};
}

// What each sweep point took.
nlohmann::ordered_json by_point(const Campaign& campaign, const RunRecord& record) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < record.by_point.size(); ++i) {
    const RunTotals& totals = record.by_point[i];
    nlohmann::ordered_json& point = points.emplace_back();
    for (std::size_t k = 0; k < campaign.swept_paths.size(); ++k)
      point["swept"][campaign.swept_paths[k]] = campaign.points[i].swept[k];
    point["replicates"] = totals.replicates;
    point["replicate_wall_s"] = static_cast<double>(totals.replicate_wall.ns) / 1e9;
    point["events"] = totals.events;
    point["heartbeats"] = totals.heartbeats;
  }
  return points;
}

// Wall time of the replicates that were simulated, added up; nothing if no point is: real processes
// have no events of a simulator.
std::optional<Duration> simulated_wall(const Campaign& campaign, const RunRecord& record) {
  std::optional<Duration> wall;
  for (std::size_t i = 0; i < record.by_point.size(); ++i) {
    if (campaign.points[i].experiment.fabric.target != Target::simulated) continue;
    wall = wall.value_or(Duration{0}) + record.by_point[i].replicate_wall;
  }
  return wall;
}

double rate(std::uint64_t count, Duration wall) {
  return wall.ns > 0 ? static_cast<double>(count) / (static_cast<double>(wall.ns) / 1e9) : 0.0;
}

}  // namespace

void RunTotals::add(const FinishedReplicate& replicate) {
  ++replicates;
  events += replicate.outcome.events;
  heartbeats += replicate.outcome.messages.heartbeats;
  heartbeats_skipped += replicate.outcome.heartbeats_skipped;
  replicate_wall = replicate_wall + replicate.wall;
}

std::string run_json(const Campaign& campaign, const CampaignOptions& options,
                     const RunRecord& record) {
  const RunTotals& totals = record.totals;
  nlohmann::ordered_json document;
  document["name"] = campaign.name;
  document["seed"] = campaign.points.front().experiment.seed;
  document["version"] = version().number;
  document["git"] = version().git;
  document["compiler"] = version().compiler;
  document["command_line"] = options.command_line;
  document["host"] = host();
  document["began"] = utc_text(record.began);
  document["jobs"] = options.jobs;
  document["points"] = campaign.points.size();
  document["replicates"] = totals.replicates;
  document["replicates_of_earlier_runs"] = totals.replicates_before;
  document["wall_s"] = record.wall.count();
  document["replicate_wall_s"] = static_cast<double>(totals.replicate_wall.ns) / 1e9;
  document["events"] = totals.events;
  document["heartbeats"] = totals.heartbeats;
  document["heartbeats_skipped"] = totals.heartbeats_skipped;
  // Rates are per second of the time that replicates took: of one core, in a simulation.
  if (const auto wall = simulated_wall(campaign, record))
    document["events_per_second"] = rate(totals.events, *wall);
  document["heartbeats_per_second"] = rate(totals.heartbeats, totals.replicate_wall);
  document["peak_memory_bytes"] = record.peak_memory_bytes;
  document["by_point"] = by_point(campaign, record);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::runner
