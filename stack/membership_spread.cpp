// How news leaves a process: within its domain, along the topology, and under the name of its
// broadcast where the topology has names (specification, section 5).
#include <algorithm>
#include <array>

#include "stack/collect.hpp"
#include "stack/membership.hpp"

namespace holdfast {

HeardBroadcasts& Membership::heard_broadcasts() {
  if (!rest_->heard_broadcasts) rest_->heard_broadcasts = std::make_unique<HeardBroadcasts>();
  return *rest_->heard_broadcasts;
}

void Membership::tell_domain(std::uint64_t before, ProcessId source) {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(domain(), i);
    if (process == self_ || process == source || !runs(i)) continue;
    tell({&process, 1}, before, view_.sequence());
  }
}

// Sends the changes after `before` along the topology, from here on.
void Membership::start_spreading(std::uint64_t before) {
  const Position here = roster_.position_of(domain());
  const std::uint32_t cubes = rest_->settings.propagation->cubes(roster_.domains());
  if (cubes == 0) {
    tell_targets({here}, before, view_.sequence(), {});
    return;
  }
  // A broadcast is what one frame holds, so that its name and its news are one thing.
  std::array<Run, kRunsOfBroadcastMax> runs;
  for (std::uint64_t after = before; after < view_.sequence();) {
    const std::uint64_t upto = collect_changes(view_, after, view_.sequence(), runs).upto;
    Broadcast broadcast{self_, incarnation_, ++rest_->broadcasts, 0};
    for (; broadcast.cube < cubes; ++broadcast.cube) {
      heard_broadcasts().first_copy(broadcast, true);
      tell_targets({here, broadcast.cube}, after, upto, broadcast);
    }
    after = upto;
  }
}

// A copy of a named broadcast. The first in its cube goes on there, even if the news has come
// through the other cube or another broadcast before.
void Membership::pass_on(const Body& body, bool news) {
  if (!heard_broadcasts().first_copy(body.broadcast, news) && !news) return;
  std::uint64_t first = view_.sequence() + 1;
  std::uint64_t last = 0;
  for (const View::Exception& exception : view_.exceptions()) {
    const auto tells_of = [&](const Run& run) {
      return exception.process.value - run.first.value < run.count;
    };
    if (std::none_of(body.runs.begin(), body.runs.end(), tells_of)) continue;
    first = std::min(first, exception.changed);
    last = std::max(last, exception.changed);
  }
  if (last == 0) return;
  const DomainId starter = roster_.domain_of(body.broadcast.starter);
  tell_targets({roster_.position_of(starter), body.broadcast.cube}, first - 1, last,
               body.broadcast);
}

void Membership::tell_targets(const Course& course, std::uint64_t after, std::uint64_t upto,
                              const Broadcast& broadcast) {
  std::vector<Target>& targets = rest_->memory.targets;
  std::vector<ProcessId>& receivers = rest_->memory.receivers;
  targets.clear();
  receivers.clear();
  rest_->settings.propagation->targets(ring(), roster_.position_of(domain()), course, targets);
  for (const Target& target : targets) receivers.push_back(target.speaker);
  if (!receivers.empty()) tell(receivers, after, upto, broadcast);
}

void Membership::tell(std::span<const ProcessId> receivers, std::uint64_t after, std::uint64_t upto,
                      const Broadcast& broadcast) {
  pending().dissemination.tell(receivers, after, upto, broadcast);
  quiet_ = false;
}

}  // namespace holdfast
