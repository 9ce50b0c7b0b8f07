// Getters, a list at a time.
#include "hw/status/take_status.hpp"

#include <time.h>

#include <algorithm>
#include <array>

#include "hw/shm/shm_address.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/verbs/verbs_address.hpp"
#include "stack/view/ring.hpp"

namespace holdfast::hw {

namespace {

Duration clock_of(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return seconds(at.tv_sec) + nanoseconds(at.tv_nsec);
}

// The view has no suspicions, the history has.
void take_beliefs(const View& view, const BeliefHistory& history, ProcessStatus& status) {
  status.beliefs.clear();
  for (const View::Exception& exception : view.exceptions()) {
    status.beliefs.push_back(
        {exception.process, exception.record, history.since(exception.process)});
  }
  for (std::uint32_t i = 0; i < status.processes; ++i) {
    if (!history.suspected({i}) || !view.live({i})) continue;
    const auto at = std::lower_bound(
        status.beliefs.begin(), status.beliefs.end(), ProcessId{i},
        [](const Belief& belief, ProcessId process) { return belief.process < process; });
    Record record = view.of({i});
    record.state = MemberState::suspected;
    if (at != status.beliefs.end() && at->process.value == i) {
      at->record = record;
    } else {
      status.beliefs.insert(at, {{i}, record, history.since({i})});
    }
  }
}

void take_watching(const Membership& membership, ProcessStatus& status) {
  const Watching watching = membership.watching();
  const Ring ring(membership.roster(), membership.view());
  status.watches = kNoProcess;
  if (watching.emitter != kNoDomain) status.watches = ring.speaker(watching.emitter);
  status.watched_by = watching.observer;
  status.heard_at = watching.heard_at;
  status.verdict_at.reset();
  if (watching.verdict_at < Time::never()) status.verdict_at = watching.verdict_at;
}

RailStatus rail_status(const CountingFabric& rail) {
  RailStatus status = status_of_fabric(rail);
  status.up = rail.up();
  const CountingFabric::Counts& counts = rail.counts();
  status.frames_sent = counts.frames_sent;
  status.frames_received = counts.frames_received;
  status.bytes_sent = counts.bytes_sent;
  status.bytes_received = counts.bytes_received;
  return status;
}

}  // namespace

RailStatus status_of_fabric(const Fabric& fabric) {
  RailStatus status;
  status.kind = fabric.caps().kind;
  status.address = text_of_address(fabric.local_address());
  std::array<LostFrames, Fabric::kLossReasonsMax> losses;
  const std::size_t reasons = fabric.losses(losses);
  for (std::size_t i = 0; i < reasons; ++i) {
    status.lost.emplace_back(losses[i].reason, losses[i].frames);
  }
  return status;
}

std::string text_of_address(const Address& address) {
  if (const auto endpoint = to_udp_endpoint(address)) return text_of(*endpoint);
  if (const auto name = to_shm_name(address)) return std::string(kShmScheme) + *name;
  if (const auto endpoint = to_verbs_endpoint(address)) {
    return "queue_pair:" + std::to_string(endpoint->queue_pair);
  }
  return {};
}

void take_status(Time now, const Engine& engine, const BeliefHistory& history,
                 std::span<CountingFabric* const> rails, ProcessStatus& status) {
  const Membership& membership = engine.membership();
  const Roster& roster = membership.roster();
  status.self = membership.self();
  status.processes = roster.processes();
  status.nodes = roster.nodes();
  status.per_node = roster.processes() / roster.nodes();
  // By slot, process 1 is on node 0 as well, unless each has a node of its own.
  status.by_node = status.per_node > 1 && roster.node_of({1}).value != 0;
  status.node = roster.node_of(membership.self());
  status.incarnation = membership.incarnation();
  status.agent = membership.agent();
  status.joining = membership.joining();
  status.leaving = membership.leaving();
  status.fenced = membership.fenced();
  status.taken = now;
  status.unix_offset = clock_of(CLOCK_REALTIME) - clock_of(CLOCK_MONOTONIC);
  status.digest = membership.view().digest();
  take_beliefs(membership.view(), history, status);
  history.copy_moments(status.moments);
  status.verdicts = history.verdicts();
  take_watching(membership, status);
  status.sent = membership.counts();
  status.dropped = engine.drops();
  status.rails.clear();
  for (const CountingFabric* rail : rails) {
    if (rail->caps().datagram) status.rails.push_back(rail_status(*rail));
  }
  status.cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  status.control_cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace holdfast::hw
