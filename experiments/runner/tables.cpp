// Integers to decimal text, by hand: no locale and no rounding has a say.
#include "experiments/runner/tables.hpp"

#include <algorithm>
#include <cstdio>

namespace holdfast::runner {
namespace {

std::string optional_seconds(const std::optional<Duration>& duration) {
  return duration ? seconds_text(*duration) : "";
}

// "minimum,median,maximum" of the values and of `never` more that are above all others. Those are
// empty cells, and so is a median between one of them and a value.
std::string spread(std::vector<Duration> values, std::size_t never = 0) {
  if (values.empty()) return ",,";
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size() + never;
  std::optional<Duration> middle;
  if (count / 2 < values.size()) {
    const Duration low = values[(count - 1) / 2];
    middle = low + (values[count / 2] - low) / 2;
  }
  return seconds_text(values.front()) + "," + optional_seconds(middle) + "," +
         (never == 0 ? seconds_text(values.back()) : "");
}

std::string milliseconds_text(std::uint64_t ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ms / 1000),
                static_cast<unsigned long long>(ms % 1000));
  return text;
}

std::string packet_columns(const std::string& kind) {
  std::string columns;
  for (const char* column :
       {"offered", "refused", "delivered", "dropped_queue_full", "dropped_too_old",
        "dropped_no_route", "dropped_fault", "latency_mean_s", "latency_max_s"})
    columns += "," + kind + "_" + column;
  return columns;
}

std::string packet_cells(const PacketOutcome* packets) {
  if (packets == nullptr) return ",,,,,,,,,";
  std::string cells;
  for (const std::uint64_t number :
       {packets->offered, packets->refused, packets->delivered, packets->dropped_queue_full,
        packets->dropped_too_old, packets->dropped_no_route, packets->dropped_fault})
    cells += "," + std::to_string(number);
  if (packets->delivered == 0) return cells + ",,";
  return cells + "," + seconds_text(packets->latency_mean) + "," +
         seconds_text(packets->latency_max);
}

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

std::string seconds_text(Duration duration) {
  const bool negative = duration.ns < 0;
  const std::uint64_t ns = negative ? ~static_cast<std::uint64_t>(duration.ns) + 1
                                    : static_cast<std::uint64_t>(duration.ns);
  char text[32];
  std::snprintf(text, sizeof text, "%s%llu.%09llu", negative ? "-" : "",
                static_cast<unsigned long long>(ns / 1'000'000'000),
                static_cast<unsigned long long>(ns % 1'000'000'000));
  return text;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::optional<Duration> median(std::vector<Duration> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const Duration high = values[values.size() / 2];
  const Duration low = values[(values.size() - 1) / 2];
  return low + (high - low) / 2;
}

namespace {

// Domains that one fault took away at one moment.
struct Loss {
  Time at;
  std::size_t fault;
  std::uint64_t domains;
};

std::vector<Loss> losses_of(const Outcome& outcome) {
  std::vector<Loss> losses;
  for (std::size_t i = 0; i < outcome.faults.size(); ++i)
    if (outcome.faults[i].ended > 0)
      losses.push_back({outcome.faults[i].at, i, outcome.faults[i].ended});
  for (const CutOutcome& cut : outcome.cuts) losses.push_back({cut.at, cut.fault, cut.cut_off});
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.at < b.at; });
  return losses;
}

// Whose row it is.
std::string job_cells(Job job) {
  return std::to_string(job.point) + "," + std::to_string(job.replicate);
}

// Faults, those that fall together, and cuts.
std::string fault_cells(const Outcome& outcome, Duration timeout) {
  const std::vector<Loss> losses = losses_of(outcome);
  std::uint64_t coincident = 0, together = 0, most = 0;
  std::size_t first = 0;  // of those within a timeout before the one looked at, itself included
  for (std::size_t i = 0; i < losses.size(); ++i) {
    together += losses[i].domains;
    for (; losses[first].at + timeout <= losses[i].at; ++first) together -= losses[first].domains;
    most = std::max(most, together);
    coincident += losses[first].fault != losses[i].fault;
  }
  std::vector<Duration> reconciled;
  std::size_t healed = 0;
  for (const CutOutcome& cut : outcome.cuts) {
    healed += cut.healed_at.has_value();
    if (cut.reconciled) reconciled.push_back(*cut.reconciled);
  }
  std::string cells;
  for (const std::uint64_t number :
       {std::uint64_t{outcome.faults.size()}, coincident, most, std::uint64_t{outcome.cuts.size()},
        std::uint64_t{reconciled.size()}})
    cells += "," + std::to_string(number);
  return cells + "," + spread(reconciled, healed - reconciled.size());
}

}  // namespace

std::string results_header(const Campaign& campaign) {
  std::string header = "point,replicate";
  for (const std::string& path : campaign.swept_paths) header += "," + csv_cell(path);
  return header +
         ",processes,nodes,failures,detected,detection_min_s,detection_median_s,detection_max_s,"
         "propagated,propagation_min_s,propagation_median_s,propagation_max_s,"
         "known_min_s,known_median_s,known_max_s,missed,"
         "false_verdicts,unreachable_verdicts,"
         "mistakes,mistake_min_s,mistake_median_s,mistake_max_s,"
         "mistake_recurrence_s,lived_s,"
         "faults,coincident_faults,lost_together_max,"
         "cuts,reconciled,reconcile_min_s,reconcile_median_s,reconcile_max_s,"
         "records_while_down,heartbeats,observes,notices,"
         "local_notices,"
         "repeats,"
         "acknowledgements,differences,"
         "frames_lost,frames_duplicated,frames_corrupted,frames_truncated,"
         "frames_reordered,frames_delayed,frames_rejected" +
         packet_columns("control") + packet_columns("traffic") + packet_columns("victim") +
         ",state_hash\n";
}

std::string results_row(const Campaign& campaign, Job job, const Outcome& outcome) {
  std::vector<Duration> detections;
  std::vector<Duration> propagations;
  std::vector<Duration> known;  // by all, since the crash
  std::uint64_t failures = 0;   // those that ended a live process
  for (const FailureOutcome& failure : outcome.failures) {
    if (failure.processes == 0) continue;
    ++failures;
    if (failure.detection) detections.push_back(*failure.detection);
    if (failure.propagation) propagations.push_back(*failure.propagation);
    if (failure.detection && failure.propagation)
      known.push_back(*failure.detection + *failure.propagation);
  }
  std::string row = job_cells(job);
  for (const std::string& value : campaign.points[job.point].swept) row += "," + csv_cell(value);
  const auto add = [&](std::uint64_t number) { row += "," + std::to_string(number); };
  add(outcome.processes);
  add(outcome.nodes);
  add(failures);
  add(detections.size());
  row += "," + spread(detections, failures - detections.size());
  add(propagations.size());
  row += "," + spread(propagations, failures - propagations.size());
  row += "," + spread(known, failures - known.size());
  add(outcome.missed);
  add(outcome.false_verdicts);
  add(outcome.unreachable_verdicts);
  add(outcome.mistakes);
  row += "," + spread(outcome.mistake_durations) + ",";
  // Mean time between the beginnings of two mistakes about one process.
  if (outcome.mistakes > 0) row += milliseconds_text(outcome.lived_ms / outcome.mistakes);
  row += "," + milliseconds_text(outcome.lived_ms);
  row += fault_cells(outcome, campaign.points[job.point].experiment.detector.timeout);
  const MessageCounts& messages = outcome.messages;
  for (const std::uint64_t number :
       {outcome.records_while_down, messages.heartbeats, messages.observes, messages.notices,
        messages.local_notices, messages.repeats, messages.acknowledgements, messages.differences,
        outcome.frames.lost, outcome.frames.duplicated, outcome.frames.corrupted,
        outcome.frames.truncated, outcome.frames.reordered, outcome.frames.delayed,
        outcome.frames.rejected})
    add(number);
  const PacketOutcomes* packets = outcome.packets ? &*outcome.packets : nullptr;
  row += packet_cells(packets ? &packets->control : nullptr);
  row += packet_cells(packets ? &packets->traffic : nullptr);
  row += packet_cells(packets ? &packets->victim : nullptr);
  return row + "," + hexadecimal(outcome.state_hash) + "\n";
}

std::string failures_header() {
  return "point,replicate,at_s,what,which,processes,suspicion_s,detection_s,propagation_s,"
         "repaired_at_s,rejoin_s,missed\n";
}

std::string failures_rows(Job job, const Outcome& outcome) {
  std::string rows;
  for (const FailureOutcome& failure : outcome.failures) {
    rows += job_cells(job) + "," + seconds_text(failure.at - Time{0}) + "," +
            csv_cell(failure.what) + "," + csv_cell(failure.which) + "," +
            std::to_string(failure.processes) + "," + optional_seconds(failure.suspicion) + "," +
            optional_seconds(failure.detection) + "," + optional_seconds(failure.propagation) + ",";
    if (failure.repaired_at) rows += seconds_text(*failure.repaired_at - Time{0});
    rows += "," + optional_seconds(failure.rejoin) + "," + std::to_string(failure.missed) + "\n";
  }
  return rows;
}

std::string faults_header() {
  return "point,replicate,fault,at_s,until_s,source,entry,what,which,effect,times,pieces,ended,"
         "cut_off\n";
}

std::string faults_rows(Job job, const Outcome& outcome) {
  std::vector<std::uint64_t> cut_off(outcome.faults.size());
  for (const CutOutcome& cut : outcome.cuts) cut_off[cut.fault] += cut.cut_off;
  std::string rows;
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const FaultOutcome& fault = outcome.faults[i];
    rows += job_cells(job) + "," + std::to_string(i) + "," + seconds_text(fault.at - Time{0}) + ",";
    if (fault.until) rows += seconds_text(*fault.until - Time{0});
    rows += "," + fault.source + "," + (fault.entry < 0 ? "" : std::to_string(fault.entry)) + "," +
            fault.what + "," + csv_cell(fault.which) + "," + fault.effect;
    for (const std::uint64_t number : {std::uint64_t{fault.times}, std::uint64_t{fault.pieces},
                                       std::uint64_t{fault.ended}, cut_off[i]})
      rows += "," + std::to_string(number);
    rows += "\n";
  }
  return rows;
}

std::string cuts_header() {
  return "point,replicate,fault,at_s,healed_s,cut_off,others,nodes,others_knew_s,cut_off_knew_s,"
         "pairs,believed_by_others,believed_by_cut_off,reconciled_s\n";
}

std::string cuts_rows(Job job, const Outcome& outcome) {
  std::string rows;
  for (const CutOutcome& cut : outcome.cuts) {
    rows += job_cells(job) + "," + std::to_string(cut.fault) + "," +
            seconds_text(cut.at - Time{0}) + ",";
    if (cut.healed_at) rows += seconds_text(*cut.healed_at - Time{0});
    rows += "," + std::to_string(cut.cut_off) + "," + std::to_string(cut.others) + "," + cut.nodes +
            "," + optional_seconds(cut.others_knew) + "," + optional_seconds(cut.cut_off_knew) +
            "," + std::to_string(cut.pairs) + "," + std::to_string(cut.believed_by_others) + "," +
            std::to_string(cut.believed_by_cut_off) + "," + optional_seconds(cut.reconciled) + "\n";
  }
  return rows;
}

std::string events_header() {
  return "point,replicate,at_s,event,process,subjects,incarnation,failure\n";
}

std::string events_rows(Job job, const Outcome& outcome) {
  constexpr const char* kNames[] = {"crash",     "repair",  "failed",   "alive",
                                    "suspected", "trusted", "ends_here"};
  const auto number = [](std::uint32_t value, std::uint32_t none) {
    return value == none ? "" : std::to_string(value);
  };
  std::string rows;
  for (const RawEvent& event : outcome.raw_events) {
    rows += job_cells(job) + "," + seconds_text(event.at - Time{0}) + "," +
            kNames[static_cast<std::size_t>(event.kind)] + "," +
            number(event.process.value, kNoProcess.value) + ",";
    if (event.kind != RawEventKind::ends_here) {
      rows += std::to_string(event.first.value);
      if (event.last != event.first) rows += "-" + std::to_string(event.last.value);
      rows += "," + std::to_string(event.incarnation.value);
    } else {
      rows += ",";
    }
    rows += "," + number(event.failure, kNoFailure) + "\n";
  }
  return rows;
}

}  // namespace holdfast::runner
