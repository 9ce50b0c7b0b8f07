// Sorts outages and events by time, and leaves out those of parts that are down.
#include "sim/faults/schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {

namespace {

constexpr std::int64_t kNanosecondsPerMinute = 60'000'000'000;
constexpr std::uint64_t kMinuteStream = 0x6d696e757465;

FaultAction end_of(FaultAction action) {
  if (action == FaultAction::crash) return FaultAction::repair;
  if (action == FaultAction::pause) return FaultAction::resume;
  HOLDFAST_ASSERT(action == FaultAction::slow);
  return FaultAction::normal;
}

void sort_by_time(std::vector<FaultEvent>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const FaultEvent& a, const FaultEvent& b) { return a.at < b.at; });
}

}  // namespace

FaultSchedule drawn_within_minutes(const FaultSchedule& schedule, std::size_t first_record,
                                   std::size_t end_record, std::uint64_t seed) {
  FaultSchedule drawn = schedule;
  for (FaultEvent& event : drawn.events) {
    if (event.record < first_record || event.record >= end_record) continue;
    const std::int64_t minute = event.at.ns / kNanosecondsPerMinute;
    const std::uint64_t part =
        std::uint64_t{event.index} << 1 | (event.target == FaultTarget::node ? 1u : 0u);
    Random random(seed, kMinuteStream ^ part, static_cast<std::uint64_t>(minute));
    event.at = Time{minute * kNanosecondsPerMinute +
                    static_cast<std::int64_t>(random.below(kNanosecondsPerMinute))};
    if (event.record >= schedule.fault_of_record.size()) continue;
    const std::uint32_t number = schedule.fault_of_record[event.record];
    if (number == kNoFault) continue;
    Fault& fault = drawn.faults[number];
    if (event.action == FaultAction::crash) {
      fault.at = event.at;
    } else {
      fault.until = event.at;
    }
  }
  sort_by_time(drawn.events);
  return drawn;
}

std::uint32_t ScheduleBuilder::add_fault(std::uint32_t entry, std::uint32_t part) {
  Fault fault;
  fault.entry = entry;
  fault.part = part;
  faults_.push_back(fault);
  latest_begins_.push_back(Time{});
  return static_cast<std::uint32_t>(faults_.size() - 1);
}

// A fault that flaps comes to each of its pieces as often and at the same times.
void ScheduleBuilder::begin(std::uint32_t fault, const FaultEvent& event) {
  Fault& begun = faults_[fault];
  if (begun.times == 0) {
    begun.at = event.at;
    begun.target = event.target;
    begun.action = event.action;
  }
  if (begun.times > 0 && event.at <= latest_begins_[fault]) return;
  ++begun.times;
  latest_begins_[fault] = event.at;
}

void ScheduleBuilder::set_fault(std::size_t record, std::uint32_t fault) {
  if (record >= fault_of_record_.size()) fault_of_record_.resize(record + 1, kNoFault);
  fault_of_record_[record] = fault;
}

void ScheduleBuilder::add(const Outage& outage) {
  const std::size_t record = first_record_ + outage.record;
  const std::uint32_t fault =
      outage.fault == kNoFault ? add_fault(kNoEntry, outage.index) : outage.fault;
  FaultEvent event{outage.at, outage.action, outage.target, outage.index, record, outage.delay};
  begin(fault, event);
  set_fault(record, fault);
  entries_.push_back({event, outage.cause, fault, false});
  faults_[fault].until = outage.until;
  if (!outage.until) return;
  HOLDFAST_ASSERT(*outage.until >= outage.at);
  event.at = *outage.until;
  event.action = end_of(outage.action);
  entries_.push_back({event, outage.cause, fault, false});
}

void ScheduleBuilder::add_event(const FaultEvent& event) {
  Entry& entry = entries_.emplace_back();
  entry.event = event;
  entry.event.record += first_record_;
  entry.ends_any = event.action == FaultAction::repair || event.action == FaultAction::resume;
  set_fault(entry.event.record, kNoFault);
  if (entry.ends_any) return;
  entry.fault = fault_of_record_[entry.event.record] = add_fault(kNoEntry, event.index);
  begin(entry.fault, entry.event);
}

std::uint32_t ScheduleBuilder::add_impairment(const Impairment& impairment) {
  impairments_.push_back(impairment);
  return static_cast<std::uint32_t>(impairments_.size() - 1);
}

std::uint32_t ScheduleBuilder::add_impairment(const FrameImpairment& impairment) {
  frame_impairments_.push_back(impairment);
  return static_cast<std::uint32_t>(frame_impairments_.size() - 1);
}

std::uint32_t ScheduleBuilder::add_rail(const FaultedRail& rail) {
  rails_.push_back(rail);
  return static_cast<std::uint32_t>(rails_.size() - 1);
}

std::size_t ScheduleBuilder::end_of_records() const {
  std::size_t end = first_record_;
  for (const Entry& entry : entries_) end = std::max(end, entry.event.record + 1);
  return end;
}

bool ScheduleBuilder::crashes(const Entry& entry, DownParts& down, FaultSchedule& schedule) {
  const FaultEvent& event = entry.event;
  Down& part = down[{event.target, event.index}];
  for (const Reason& reason : part.reasons) {
    if (reason.cause != entry.cause) continue;
    ++schedule.records_while_down;
    return false;
  }
  part.reasons.push_back({entry.cause, event.record, entry.fault});
  if (part.reasons.size() > 1) return false;
  part.played = event.record;
  return true;
}

bool ScheduleBuilder::mends(Entry& entry, DownParts& down, FaultSchedule& schedule) {
  FaultEvent& event = entry.event;
  const auto open = down.find({event.target, event.index});
  if (open == down.end()) {
    schedule.repairs_while_up += entry.ends_any ? 1 : 0;
    return false;
  }
  std::vector<Reason>& reasons = open->second.reasons;
  if (entry.ends_any) {
    for (const Reason& reason : reasons) schedule.faults[reason.fault].until = event.at;
    reasons.clear();
  } else {
    const auto own = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& reason) {
      return reason.record == event.record;
    });
    if (own == reasons.end()) return false;  // the end of an outage that was not played
    reasons.erase(own);
    if (!reasons.empty()) return false;
  }
  event.record = open->second.played;
  down.erase(open);
  return true;
}

FaultSchedule ScheduleBuilder::build() const {
  std::vector<Entry> entries = entries_;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.event.at < b.event.at; });
  DownParts down;                                                         // absent parts are up
  std::map<std::pair<FaultTarget, std::uint32_t>, std::uint32_t> pauses;  // by which fault
  FaultSchedule schedule;
  schedule.impairments = impairments_;
  schedule.frame_impairments = frame_impairments_;
  schedule.rails = rails_;
  schedule.faults = faults_;
  schedule.fault_of_record = fault_of_record_;
  for (Entry& entry : entries) {
    FaultEvent& event = entry.event;
    const std::pair part{event.target, event.index};
    if (event.action == FaultAction::crash) {
      if (!crashes(entry, down, schedule)) continue;
    } else if (event.action == FaultAction::repair) {
      if (!mends(entry, down, schedule)) continue;
    } else if (event.action == FaultAction::pause) {
      pauses[part] = entry.fault;
    } else if (entry.ends_any && pauses.contains(part)) {
      schedule.faults[pauses[part]].until = event.at;
    }
    const bool begins = event.action == FaultAction::crash || event.action == FaultAction::pause ||
                        event.action == FaultAction::slow;
    if (begins) ++schedule.faults[entry.fault].pieces;
    schedule.events.push_back(event);
  }
  return schedule;
}

}  // namespace holdfast::sim
