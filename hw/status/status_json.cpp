// Lists that may be long are arrays of arrays. What comes back is checked so far that whoever reads
// it may index by it.
#include "hw/status/status_json.hpp"

#include <nlohmann/json.hpp>

#include "stack/base/excerpt.hpp"

namespace holdfast::hw {

namespace {

using nlohmann::json;

constexpr int kFormat = 3;

json to_json(const std::optional<Time>& at) {
  return at ? json(at->ns) : json(nullptr);
}

std::optional<Time> to_time(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(Time{value.get<std::int64_t>()});
}

MemberState to_state(const json& value) {
  const auto number = value.get<unsigned>();
  if (number > static_cast<unsigned>(kLastMemberState)) {
    throw json::other_error::create(500, "an unknown state", nullptr);
  }
  return static_cast<MemberState>(number);
}

ProcessId to_process(const json& value, std::uint32_t processes) {
  const ProcessId process{value.get<std::uint32_t>()};
  if (process.value >= processes) {
    throw json::other_error::create(500, "a process beyond the job", nullptr);
  }
  return process;
}

json identity_json(const ProcessStatus& status) {
  return {{"format", kFormat},
          {"job", status.job},
          {"self", status.self.value},
          {"processes", status.processes},
          {"nodes", status.nodes},
          {"per_node", status.per_node},
          {"by_node", status.by_node},
          {"node", status.node.value},
          {"pid", status.pid},
          {"incarnation", status.incarnation.value},
          {"agent", status.agent},
          {"joining", status.joining},
          {"leaving", status.leaving},
          {"fenced", status.fenced},
          {"started", status.started.ns},
          {"taken", status.taken.ns},
          {"unix_offset", status.unix_offset.ns},
          {"digest", status.digest},
          {"watches", status.watches.value},
          {"watched_by", status.watched_by.value},
          {"heard_at", to_json(status.heard_at)},
          {"verdict_at", to_json(status.verdict_at)},
          {"turns", status.turns},
          {"cpu", status.cpu.ns},
          {"control_cpu", status.control_cpu.ns}};
}

void parse_identity(const json& document, ProcessStatus& status) {
  if (document.at("format").get<int>() != kFormat) {
    throw json::other_error::create(500, "another format, of another build", nullptr);
  }
  document.at("job").get_to(status.job);
  document.at("processes").get_to(status.processes);
  document.at("nodes").get_to(status.nodes);
  document.at("per_node").get_to(status.per_node);
  status.self = to_process(document.at("self"), status.processes);
  document.at("by_node").get_to(status.by_node);
  if (status.per_node == 0 || status.nodes == 0) {
    throw json::other_error::create(500, "a job without nodes", nullptr);
  }
  document.at("node").get_to(status.node.value);
  document.at("pid").get_to(status.pid);
  document.at("incarnation").get_to(status.incarnation.value);
  document.at("agent").get_to(status.agent);
  document.at("joining").get_to(status.joining);
  document.at("leaving").get_to(status.leaving);
  document.at("fenced").get_to(status.fenced);
  document.at("started").get_to(status.started.ns);
  document.at("taken").get_to(status.taken.ns);
  document.at("unix_offset").get_to(status.unix_offset.ns);
  document.at("digest").get_to(status.digest);
  document.at("watches").get_to(status.watches.value);
  document.at("watched_by").get_to(status.watched_by.value);
  status.heard_at = to_time(document.at("heard_at"));
  status.verdict_at = to_time(document.at("verdict_at"));
  document.at("turns").get_to(status.turns);
  document.at("cpu").get_to(status.cpu.ns);
  document.at("control_cpu").get_to(status.control_cpu.ns);
}

json beliefs_json(const ProcessStatus& status) {
  json beliefs = json::array();
  for (const Belief& belief : status.beliefs) {
    beliefs.push_back({belief.process.value, belief.record.incarnation.value,
                       static_cast<unsigned>(belief.record.state), to_json(belief.since)});
  }
  return beliefs;
}

json moments_json(const ProcessStatus& status) {
  json moments = json::array();
  for (const BeliefMoment& moment : status.moments) {
    moments.push_back({moment.at.ns, moment.process.value, moment.record.incarnation.value,
                       static_cast<unsigned>(moment.record.state), moment.own_verdict});
  }
  return moments;
}

void parse_views(const json& document, ProcessStatus& status) {
  for (const json& entry : document.at("beliefs")) {
    status.beliefs.push_back({to_process(entry.at(0), status.processes),
                              {{entry.at(1).get<std::uint32_t>()}, to_state(entry.at(2))},
                              to_time(entry.at(3))});
  }
  for (const json& entry : document.at("moments")) {
    status.moments.push_back({{entry.at(0).get<std::int64_t>()},
                              to_process(entry.at(1), status.processes),
                              {{entry.at(2).get<std::uint32_t>()}, to_state(entry.at(3))},
                              entry.at(4).get<bool>()});
  }
}

json rail_json(const RailStatus& rail) {
  json lost = json::object();
  for (const auto& [reason, frames] : rail.lost) lost[reason] = frames;
  return {{"kind", rail.kind},
          {"address", rail.address},
          {"up", rail.up},
          {"frames_sent", rail.frames_sent},
          {"frames_received", rail.frames_received},
          {"bytes_sent", rail.bytes_sent},
          {"bytes_received", rail.bytes_received},
          {"lost", lost}};
}

RailStatus to_rail(const json& entry) {
  RailStatus rail;
  entry.at("kind").get_to(rail.kind);
  entry.at("address").get_to(rail.address);
  entry.at("up").get_to(rail.up);
  entry.at("frames_sent").get_to(rail.frames_sent);
  entry.at("frames_received").get_to(rail.frames_received);
  entry.at("bytes_sent").get_to(rail.bytes_sent);
  entry.at("bytes_received").get_to(rail.bytes_received);
  for (const auto& [reason, frames] : entry.at("lost").items()) {
    rail.lost.emplace_back(reason, frames.get<std::uint64_t>());
  }
  return rail;
}

json to_json(const std::optional<Duration>& span) {
  return span ? json(span->ns) : json(nullptr);
}

std::optional<Duration> to_duration(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(Duration{value.get<std::int64_t>()});
}

reliable::RailHealth to_health(const json& value) {
  const auto number = value.get<unsigned>();
  if (number >= reliable::kRailHealths) {
    throw json::other_error::create(500, "an unknown state of a rail", nullptr);
  }
  return static_cast<reliable::RailHealth>(number);
}

json message_rail_json(const MessageRailStatus& status) {
  json rail = rail_json(status.rail);
  rail["peers"] = status.peers;
  rail["not_up"] = json::array();
  for (const auto& [peer, health] : status.not_up) {
    rail["not_up"].push_back({peer.value, static_cast<unsigned>(health)});
  }
  rail["round_trip_median"] = to_json(status.round_trip_median);
  rail["round_trip_max"] = to_json(status.round_trip_max);
  rail["fragments_given_up"] = status.fragments_given_up;
  return rail;
}

MessageRailStatus to_message_rail(const json& entry, std::uint32_t processes) {
  MessageRailStatus status;
  status.rail = to_rail(entry);
  for (std::size_t i = 0; i < status.peers.size(); ++i) {
    entry.at("peers").at(i).get_to(status.peers[i]);
  }
  for (const json& one : entry.at("not_up")) {
    status.not_up.emplace_back(to_process(one.at(0), processes), to_health(one.at(1)));
  }
  status.round_trip_median = to_duration(entry.at("round_trip_median"));
  status.round_trip_max = to_duration(entry.at("round_trip_max"));
  entry.at("fragments_given_up").get_to(status.fragments_given_up);
  return status;
}

void parse_rails(const json& document, ProcessStatus& status) {
  for (const json& entry : document.at("rails")) status.rails.push_back(to_rail(entry));
  for (const json& entry : document.at("message_rails")) {
    status.message_rails.push_back(to_message_rail(entry, status.processes));
  }
}

}  // namespace

std::string status_json(const ProcessStatus& status) {
  json document = identity_json(status);
  document["beliefs"] = beliefs_json(status);
  document["moments"] = moments_json(status);
  const VerdictCounts& verdicts = status.verdicts;
  document["verdicts"] = {verdicts.own, verdicts.own_refuted, verdicts.heard,
                          verdicts.heard_refuted, verdicts.of_us};
  for (const auto& [name, count] : kFrameCountNames) document["sent"][name] = status.sent.*count;
  for (const auto& [name, count] : kDropCountNames) {
    document["dropped"][name] = status.dropped.*count;
  }
  document["rails"] = json::array();
  for (const RailStatus& rail : status.rails) document["rails"].push_back(rail_json(rail));
  document["message_rails"] = json::array();
  for (const MessageRailStatus& rail : status.message_rails) {
    document["message_rails"].push_back(message_rail_json(rail));
  }
  // Names of files and addresses need not be UTF-8.
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Status parse_status_json(std::string_view text, ProcessStatus& status) {
  status = ProcessStatus{};
  // A fraction, which may be beyond every whole number, would be converted without a look at it.
  bool is_whole = true;
  const auto look = [&](int, json::parse_event_t, const json& value) {
    is_whole = is_whole && !value.is_number_float();
    return true;
  };
  try {
    const json document = json::parse(text, look);
    if (!is_whole)
      return Status::error("it does not answer as this build does: a number is not whole");
    parse_identity(document, status);
    parse_views(document, status);
    const json& verdicts = document.at("verdicts");
    verdicts.at(0).get_to(status.verdicts.own);
    verdicts.at(1).get_to(status.verdicts.own_refuted);
    verdicts.at(2).get_to(status.verdicts.heard);
    verdicts.at(3).get_to(status.verdicts.heard_refuted);
    verdicts.at(4).get_to(status.verdicts.of_us);
    for (const auto& [name, count] : kFrameCountNames) {
      document.at("sent").at(name).get_to(status.sent.*count);
    }
    for (const auto& [name, count] : kDropCountNames) {
      document.at("dropped").at(name).get_to(status.dropped.*count);
    }
    parse_rails(document, status);
  } catch (const json::exception& error) {
    return Status::error("it does not answer as this build does: " + printable(error.what()));
  }
  return Status::ok();
}

}  // namespace holdfast::hw
