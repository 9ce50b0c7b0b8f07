// A process that is in nobody's list of exceptions is alive in its first life.
#include "hw/status/job_status.hpp"

#include <algorithm>

namespace holdfast::hw {

namespace {

Record record_of(const ProcessStatus& view, ProcessId process, std::optional<Time>& since) {
  const auto found = std::lower_bound(
      view.beliefs.begin(), view.beliefs.end(), process,
      [](const Belief& belief, ProcessId wanted) { return belief.process < wanted; });
  since.reset();
  if (found == view.beliefs.end() || found->process != process) return {};
  since = found->since;
  return found->record;
}

NodeId node_of(const ProcessStatus& view, ProcessId process) {
  return {view.by_node ? process.value % view.nodes : process.value / view.per_node};
}

MemberStatus member_status(const JobStatus& job, ProcessId process) {
  MemberStatus member{process, node_of(job.views.front(), process), {}, {}};
  for (const ProcessStatus& view : job.views) {
    std::optional<Time> since;
    const Record record = record_of(view, process, since);
    auto known = std::find_if(member.opinions.begin(), member.opinions.end(),
                              [&](const Opinion& opinion) { return opinion.record == record; });
    if (known == member.opinions.end()) known = member.opinions.insert(known, {record, {}});
    known->by.push_back(view.self);
  }
  std::sort(member.opinions.begin(), member.opinions.end(),
            [](const Opinion& a, const Opinion& b) { return a.record > b.record; });
  for (const ProcessStatus& view : job.views) {
    std::optional<Time> since;
    if (record_of(view, process, since) != member.record() || !since) continue;
    member.since = member.since ? std::min(*member.since, *since) : *since;
  }
  return member;
}

}  // namespace

JobStatus job_status(std::uint32_t number, const std::vector<Answer>& answers) {
  JobStatus job;
  job.job = number;
  for (const Answer& answer : answers) {
    if (answer.kind == Answer::Kind::shown) {
      job.views.push_back(answer.status);
    } else {
      job.silent.push_back(answer.place.process);
    }
  }
  if (job.views.empty()) return job;
  job.processes = job.views.front().processes;
  job.nodes = job.views.front().nodes;
  for (std::uint32_t i = 0; i < job.processes; ++i) job.members.push_back(member_status(job, {i}));
  return job;
}

bool JobStatus::well() const {
  return !views.empty() && silent.empty() &&
         std::all_of(members.begin(), members.end(),
                     [](const MemberStatus& member) { return member.well(); });
}

const ProcessStatus* JobStatus::view_of(ProcessId process) const {
  for (const ProcessStatus& view : views) {
    if (view.self == process) return &view;
  }
  return nullptr;
}

Rates rates(const ProcessStatus* before, const ProcessStatus& after) {
  ProcessStatus start;
  start.taken = after.started;
  start.control_cpu = Duration{0};
  const bool same = before != nullptr && before->pid == after.pid &&
                    before->started == after.started && before->taken < after.taken;
  const ProcessStatus& from = same ? *before : start;
  Rates rates;
  rates.over = std::max(after.taken - from.taken, Duration{1});
  const double s = static_cast<double>(rates.over.ns) / 1e9;
  const auto per_s = [s](std::uint64_t earlier, std::uint64_t later) {
    return static_cast<double>(later - earlier) / s;
  };
  const auto frames = [](const ProcessStatus& status, std::uint64_t RailStatus::*count) {
    std::uint64_t sum = 0;
    for (const RailStatus& rail : status.rails) sum += rail.*count;
    return sum;
  };
  rates.heartbeats_per_s = per_s(from.sent.heartbeats, after.sent.heartbeats);
  rates.turns_per_s = per_s(from.turns, after.turns);
  rates.frames_sent_per_s =
      per_s(frames(from, &RailStatus::frames_sent), frames(after, &RailStatus::frames_sent));
  rates.frames_received_per_s = per_s(frames(from, &RailStatus::frames_received),
                                      frames(after, &RailStatus::frames_received));
  rates.control_cpu = static_cast<double>((after.control_cpu - from.control_cpu).ns) / 1e9 / s;
  return rates;
}

}  // namespace holdfast::hw
