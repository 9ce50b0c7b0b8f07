// JSON with times as whole nanoseconds, so that nothing is rounded on the way.
#include "experiments/runner/replicate_file.hpp"

#include <nlohmann/json.hpp>

#include "stack/base/excerpt.hpp"

namespace holdfast::runner {
namespace {

using nlohmann::json;

// One function names each field once, for both directions.
template <class Visit>
void visit_outcome(Outcome& o, Visit&& visit) {
  visit("processes", o.processes);
  visit("nodes", o.nodes);
  visit("records_while_down", o.records_while_down);
  visit("false_verdicts", o.false_verdicts);
  visit("unreachable_verdicts", o.unreachable_verdicts);
  visit("missed", o.missed);
  visit("mistakes", o.mistakes);
  visit("lived_ms", o.lived_ms);
  visit("frames_lost", o.frames.lost);
  visit("frames_duplicated", o.frames.duplicated);
  visit("frames_corrupted", o.frames.corrupted);
  visit("frames_truncated", o.frames.truncated);
  visit("frames_reordered", o.frames.reordered);
  visit("frames_delayed", o.frames.delayed);
  visit("frames_rejected", o.frames.rejected);
  visit("heartbeats", o.messages.heartbeats);
  visit("observes", o.messages.observes);
  visit("notices", o.messages.notices);
  visit("local_notices", o.messages.local_notices);
  visit("repeats", o.messages.repeats);
  visit("acknowledgements", o.messages.acknowledgements);
  visit("differences", o.messages.differences);
  visit("state_hash", o.state_hash);
  visit("events", o.events);
  visit("heartbeats_skipped", o.heartbeats_skipped);
}

template <class Visit>
void visit_failure(FailureOutcome& f, Visit&& visit) {
  visit("at_ns", f.at.ns);
  visit("what", f.what);
  visit("which", f.which);
  visit("processes", f.processes);
  visit("missed", f.missed);
}

template <class Visit>
void visit_packets(PacketOutcome& p, Visit&& visit) {
  visit("offered", p.offered);
  visit("refused", p.refused);
  visit("delivered", p.delivered);
  visit("dropped_queue_full", p.dropped_queue_full);
  visit("dropped_too_old", p.dropped_too_old);
  visit("dropped_no_route", p.dropped_no_route);
  visit("dropped_fault", p.dropped_fault);
  visit("latency_mean_ns", p.latency_mean.ns);
  visit("latency_max_ns", p.latency_max.ns);
}

template <class Visit>
void visit_kinds(PacketOutcomes& packets, Visit&& visit) {
  visit("control", packets.control);
  visit("traffic", packets.traffic);
  visit("victim", packets.victim);
}

template <class Visit>
void visit_fault(FaultOutcome& f, Visit&& visit) {
  visit("at_ns", f.at.ns);
  visit("source", f.source);
  visit("entry", f.entry);
  visit("what", f.what);
  visit("which", f.which);
  visit("effect", f.effect);
  visit("times", f.times);
  visit("pieces", f.pieces);
  visit("ended", f.ended);
}

template <class Visit>
void visit_cut(CutOutcome& c, Visit&& visit) {
  visit("at_ns", c.at.ns);
  visit("fault", c.fault);
  visit("nodes", c.nodes);
  visit("cut_off", c.cut_off);
  visit("others", c.others);
  visit("pairs", c.pairs);
  visit("believed_by_others", c.believed_by_others);
  visit("believed_by_cut_off", c.believed_by_cut_off);
}

// As a list: there may be a hundred thousand of them.
json event_list(const RawEvent& event) {
  return {event.at.ns,         static_cast<std::uint32_t>(event.kind),
          event.process.value, event.first.value,
          event.last.value,    event.incarnation.value,
          event.failure};
}

RawEvent event_of(const json& list) {
  const auto number = [&](std::size_t i) { return list.at(i).get<std::uint32_t>(); };
  return {Time{list.at(0).get<std::int64_t>()},
          static_cast<RawEventKind>(number(1)),
          ProcessId{number(2)},
          ProcessId{number(3)},
          ProcessId{number(4)},
          Incarnation{number(5)},
          number(6)};
}

template <class Span>
json optional_ns(const std::optional<Span>& span) {
  return span ? json(span->ns) : json(nullptr);
}

template <class Span>
std::optional<Span> optional_span(const json& value) {
  if (value.is_null()) return {};
  return Span{value.get<std::int64_t>()};
}

}  // namespace

std::string replicate_text(const FinishedReplicate& replicate) {
  Outcome outcome = replicate.outcome;
  json document;
  const auto put = [](json& to) {
    return [&to](const char* name, const auto& value) { to[name] = value; };
  };
  visit_outcome(outcome, put(document));
  json& packets = document["packets"];
  if (outcome.packets) {
    visit_kinds(*outcome.packets, [&](const char* name, PacketOutcome& kind) {
      visit_packets(kind, put(packets[name]));
    });
  }
  document["wall_ns"] = replicate.wall.ns;
  json& durations = document["mistake_durations_ns"] = json::array();
  for (const Duration duration : outcome.mistake_durations) durations.push_back(duration.ns);
  json& failures = document["failures"] = json::array();
  for (FailureOutcome& failure : outcome.failures) {
    json& entry = failures.emplace_back();
    visit_failure(failure, put(entry));
    entry["suspicion_ns"] = optional_ns(failure.suspicion);
    entry["detection_ns"] = optional_ns(failure.detection);
    entry["propagation_ns"] = optional_ns(failure.propagation);
    entry["repaired_at_ns"] = optional_ns(failure.repaired_at);
    entry["rejoin_ns"] = optional_ns(failure.rejoin);
  }
  json& faults = document["faults"] = json::array();
  for (FaultOutcome& fault : outcome.faults) {
    json& entry = faults.emplace_back();
    visit_fault(fault, put(entry));
    entry["until_ns"] = optional_ns(fault.until);
  }
  json& cuts = document["cuts"] = json::array();
  for (CutOutcome& cut : outcome.cuts) {
    json& entry = cuts.emplace_back();
    visit_cut(cut, put(entry));
    entry["others_knew_ns"] = optional_ns(cut.others_knew);
    entry["cut_off_knew_ns"] = optional_ns(cut.cut_off_knew);
    entry["healed_at_ns"] = optional_ns(cut.healed_at);
    entry["reconciled_ns"] = optional_ns(cut.reconciled);
  }
  json& events = document["raw_events"] = json::array();
  for (const RawEvent& event : outcome.raw_events) events.push_back(event_list(event));
  // Names of hosts are the user's bytes, and need not be UTF-8.
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Status parse_replicate(const std::string& path, const std::string& text,
                       FinishedReplicate& replicate) {
  const auto not_ours = [&path](const std::string& why) {
    return Status::error(path + ": is not a replicate that this program has written (" + why +
                         "); delete it, and it is run again");
  };
  // A fraction, which may be beyond every whole number, would be converted without a look at it.
  bool is_whole = true;
  const auto look = [&](int, json::parse_event_t, const json& value) {
    is_whole = is_whole && !value.is_number_float();
    return true;
  };
  try {
    const json document = json::parse(text, look);
    if (!is_whole) return not_ours("a number is not whole");
    const auto take = [](const json& from) {
      return [&from](const char* name, auto& value) { from.at(name).get_to(value); };
    };
    replicate = {};
    visit_outcome(replicate.outcome, take(document));
    if (const json& packets = document.at("packets"); !packets.is_null()) {
      visit_kinds(replicate.outcome.packets.emplace(), [&](const char* name, PacketOutcome& kind) {
        visit_packets(kind, take(packets.at(name)));
      });
    }
    document.at("wall_ns").get_to(replicate.wall.ns);
    for (const json& duration : document.at("mistake_durations_ns"))
      replicate.outcome.mistake_durations.push_back(Duration{duration.get<std::int64_t>()});
    for (const json& entry : document.at("failures")) {
      FailureOutcome& failure = replicate.outcome.failures.emplace_back();
      visit_failure(failure, take(entry));
      failure.suspicion = optional_span<Duration>(entry.at("suspicion_ns"));
      failure.detection = optional_span<Duration>(entry.at("detection_ns"));
      failure.propagation = optional_span<Duration>(entry.at("propagation_ns"));
      failure.repaired_at = optional_span<Time>(entry.at("repaired_at_ns"));
      failure.rejoin = optional_span<Duration>(entry.at("rejoin_ns"));
    }
    for (const json& entry : document.at("faults")) {
      FaultOutcome& fault = replicate.outcome.faults.emplace_back();
      visit_fault(fault, take(entry));
      fault.until = optional_span<Time>(entry.at("until_ns"));
    }
    for (const json& entry : document.at("cuts")) {
      CutOutcome& cut = replicate.outcome.cuts.emplace_back();
      visit_cut(cut, take(entry));
      cut.others_knew = optional_span<Duration>(entry.at("others_knew_ns"));
      cut.cut_off_knew = optional_span<Duration>(entry.at("cut_off_knew_ns"));
      cut.healed_at = optional_span<Time>(entry.at("healed_at_ns"));
      cut.reconciled = optional_span<Duration>(entry.at("reconciled_ns"));
    }
    for (const json& list : document.at("raw_events")) {
      replicate.outcome.raw_events.push_back(event_of(list));
      if (replicate.outcome.raw_events.back().kind > RawEventKind::ends_here)
        return not_ours("an event of no known kind");
    }
  } catch (const json::exception& error) {
    return not_ours(printable(error.what()));
  }
  return Status::ok();
}

}  // namespace holdfast::runner
