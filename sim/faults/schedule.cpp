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
  }
  sort_by_time(drawn.events);
  return drawn;
}

void ScheduleBuilder::add(const Outage& outage) {
  const std::size_t record = first_record_ + outage.record;
  FaultEvent event{outage.at, outage.action, outage.target, outage.index, record, outage.delay};
  entries_.push_back({event, false});
  if (!outage.until) return;
  HOLDFAST_ASSERT(*outage.until >= outage.at);
  event.at = *outage.until;
  event.action = end_of(outage.action);
  entries_.push_back({event, false});
}

void ScheduleBuilder::add_event(const FaultEvent& event) {
  entries_.push_back({event, event.action == FaultAction::repair});
  entries_.back().event.record += first_record_;
}

std::uint32_t ScheduleBuilder::add_impairment(const Impairment& impairment) {
  impairments_.push_back(impairment);
  return static_cast<std::uint32_t>(impairments_.size() - 1);
}

std::size_t ScheduleBuilder::end_of_records() const {
  std::size_t end = first_record_;
  for (const Entry& entry : entries_) end = std::max(end, entry.event.record + 1);
  return end;
}

FaultSchedule ScheduleBuilder::build() const {
  std::vector<Entry> entries = entries_;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.event.at < b.event.at; });
  // The record of the outage that holds a part down; absent parts are up.
  std::map<std::pair<FaultTarget, std::uint32_t>, std::size_t> down;
  FaultSchedule schedule;
  schedule.impairments = impairments_;
  for (Entry& entry : entries) {
    FaultEvent& event = entry.event;
    const std::pair part{event.target, event.index};
    const auto open = down.find(part);
    if (event.action == FaultAction::crash) {
      if (open != down.end()) {
        ++schedule.records_while_down;
        continue;
      }
      down.emplace(part, event.record);
    } else if (event.action == FaultAction::repair) {
      if (open == down.end()) {
        if (entry.ends_any) ++schedule.repairs_while_up;
        continue;
      }
      if (entry.ends_any) event.record = open->second;
      if (event.record != open->second) continue;  // the end of an outage that was not played
      down.erase(open);
    }
    schedule.events.push_back(event);
  }
  return schedule;
}

}  // namespace holdfast::sim
