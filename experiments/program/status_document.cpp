// JSON for scripts: instants in seconds since 1970, spans in seconds, counts as they are.
#include <nlohmann/json.hpp>

#include "experiments/program/status_picture.hpp"
#include "hw/run/event_log.hpp"
#include "hw/status/job_name.hpp"

namespace holdfast::program {
namespace {

using nlohmann::ordered_json;

double in_seconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

ordered_json ranks(const std::vector<ProcessId>& processes) {
  ordered_json list = ordered_json::array();
  for (const ProcessId process : processes) list.push_back(process.value);
  return list;
}

ordered_json rank(ProcessId process) {
  return process == kNoProcess ? ordered_json(nullptr) : ordered_json(process.value);
}

// What is believed of one life of a process.
ordered_json belief(const Record& record) {
  return {{"state", hw::name_of(record.state)},
          {"boot", boot_of(record.incarnation)},
          {"refutations", record.incarnation.value & 0xffff}};
}

ordered_json member(const hw::JobStatus& job, const hw::MemberStatus& member) {
  ordered_json entry{{"process", member.process.value}, {"node", member.node.value}};
  entry.update(belief(member.record()));
  const hw::ProcessStatus& view = job.views.front();
  entry["since_unix_s"] = member.since
                              ? ordered_json(in_seconds((*member.since + view.unix_offset).ns))
                              : ordered_json(nullptr);
  entry["disputed"] = member.disputed();
  entry["opinions"] = ordered_json::array();
  for (const hw::Opinion& opinion : member.opinions) {
    ordered_json one = belief(opinion.record);
    one["by"] = ranks(opinion.by);
    entry["opinions"].push_back(one);
  }
  return entry;
}

ordered_json rail(const hw::RailStatus& rail) {
  ordered_json lost = ordered_json::object();
  for (const auto& [reason, frames] : rail.lost) lost[reason] = frames;
  return {{"kind", rail.kind},
          {"address", rail.address},
          {"up", rail.up},
          {"frames_sent", rail.frames_sent},
          {"frames_received", rail.frames_received},
          {"bytes_sent", rail.bytes_sent},
          {"bytes_received", rail.bytes_received},
          {"frames_lost", lost}};
}

ordered_json rails(const hw::ProcessStatus& view) {
  ordered_json list = ordered_json::array();
  for (const hw::RailStatus& one : view.rails) list.push_back(rail(one));
  return list;
}

ordered_json span(const std::optional<Duration>& span) {
  return span ? ordered_json(in_seconds(span->ns)) : ordered_json(nullptr);
}

ordered_json message_rails(const hw::ProcessStatus& view) {
  ordered_json list = ordered_json::array();
  for (const hw::MessageRailStatus& one : view.message_rails) {
    ordered_json entry = rail(one.rail);
    for (std::size_t i = 0; i < one.peers.size(); ++i)
      entry["peers"][hw::kRailHealthNames[i]] = one.peers[i];
    entry["not_up"] = ordered_json::array();
    for (const auto& [peer, health] : one.not_up) {
      const char* const state = hw::kRailHealthNames[static_cast<std::size_t>(health)];
      entry["not_up"].push_back({{"process", peer.value}, {"state", state}});
    }
    entry["round_trip_median_s"] = span(one.round_trip_median);
    entry["round_trip_max_s"] = span(one.round_trip_max);
    entry["fragments_given_up"] = one.fragments_given_up;
    list.push_back(entry);
  }
  return list;
}

ordered_json moments(const hw::ProcessStatus& view) {
  ordered_json list = ordered_json::array();
  for (const hw::BeliefMoment& moment : view.moments) {
    ordered_json entry{{"at_unix_s", in_seconds((moment.at + view.unix_offset).ns)},
                       {"process", moment.process.value}};
    entry.update(belief(moment.record));
    entry["own_verdict"] = moment.own_verdict;
    list.push_back(entry);
  }
  return list;
}

ordered_json counts(const hw::ProcessStatus& view) {
  ordered_json sent, dropped;
  for (const auto& [name, count] : hw::kFrameCountNames) sent[name] = view.sent.*count;
  for (const auto& [name, count] : hw::kDropCountNames) dropped[name] = view.dropped.*count;
  return {{"frames_sent", sent}, {"frames_dropped", dropped}};
}

ordered_json view(const hw::ProcessStatus& view) {
  const hw::Rates since_start = rates(nullptr, view);
  ordered_json entry{
      {"process", view.self.value},
      {"node", view.node.value},
      {"pid", view.pid},
      {"boot", boot_of(view.incarnation)},
      {"refutations", view.incarnation.value & 0xffff},
      {"agent", view.agent},
      {"joining", view.joining},
      {"leaving", view.leaving},
      {"fenced", view.fenced},
      {"started_unix_s", in_seconds((view.started + view.unix_offset).ns)},
      {"taken_unix_s", in_seconds((view.taken + view.unix_offset).ns)},
      {"watches", rank(view.watches)},
      {"watched_by", rank(view.watched_by)},
      {"heard_s_ago", view.heard_at ? ordered_json(in_seconds((view.taken - *view.heard_at).ns))
                                    : ordered_json(nullptr)},
      {"verdicts",
       {{"own", view.verdicts.own},
        {"own_refuted", view.verdicts.own_refuted},
        {"heard", view.verdicts.heard},
        {"heard_refuted", view.verdicts.heard_refuted},
        {"of_this_process", view.verdicts.of_us}}},
      {"moments", moments(view)},
      {"rails", rails(view)},
      {"message_rails", message_rails(view)},
      {"turns", view.turns},
      {"cpu_s", in_seconds(view.cpu.ns)},
      {"control_cpu_s", in_seconds(view.control_cpu.ns)},
      {"rates_since_start",
       {{"over_s", in_seconds(since_start.over.ns)},
        {"heartbeats_per_s", since_start.heartbeats_per_s},
        {"turns_per_s", since_start.turns_per_s},
        {"frames_sent_per_s", since_start.frames_sent_per_s},
        {"frames_received_per_s", since_start.frames_received_per_s}}}};
  entry.update(counts(view));
  return entry;
}

}  // namespace

std::string status_document(const hw::JobStatus& job) {
  ordered_json document{{"job", hw::job_name(job.job)},
                        {"processes", job.processes},
                        {"nodes", job.nodes},
                        {"well", job.well()},
                        {"silent", ranks(job.silent)}};
  document["members"] = ordered_json::array();
  for (const hw::MemberStatus& one : job.members) document["members"].push_back(member(job, one));
  document["views"] = ordered_json::array();
  for (const hw::ProcessStatus& one : job.views) document["views"].push_back(view(one));
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::program
