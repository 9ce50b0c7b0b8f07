// Meeting, rails, introduction, engine, loop.
#include "hw/launch/joined_node.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "hw/launch/job_address.hpp"
#include "hw/launch/met_addresses.hpp"
#include "hw/launch/socket_rail.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/run/sleeper.hpp"
#include "hw/status/shown_process.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/watch/watch_fabric.hpp"

namespace holdfast::hw {

namespace {

// At the end, for the others to acknowledge that this process leaves. They leave too, some a little
// earlier than others.
constexpr Duration kFarewell = milliseconds(500);

std::string seconds_of(Duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f s", static_cast<double>(duration.ns) / 1e9);
  return text.data();
}

// Says what this process comes to believe of others; not that they leave with it.
class SpokenLog final : public BeliefLog {
 public:
  SpokenLog(ProcessId self, Time since, Duration lasts,
            const std::function<void(const std::string&)>& say)
      : self_(self), since_(since), farewell_(since + lasts - kFarewell), say_(say) {}
  void write(Time at, std::span<const Membership::Change> changes) override {
    for (const Membership::Change& change : changes) {
      if (change.process == self_) continue;
      if (change.record.state == MemberState::left && at >= farewell_) continue;
      say_("process " + std::to_string(change.process.value) + " " +
           std::string(name_of(change.record.state)) + " after " + seconds_of(at - since_));
    }
  }

 private:
  ProcessId self_;
  Time since_;
  Time farewell_;
  const std::function<void(const std::string&)>& say_;
};

// What must be the same for all.
Digest digest_of_plan(const JoinPlan& plan) {
  ByteWriter same;
  same.put_block(std::as_bytes(std::span(plan.configuration)));
  same.put(plan.seed);
  same.put(static_cast<std::uint64_t>(plan.duration.ns));
  same.put(static_cast<std::uint8_t>(plan.places.fabric));
  return digest_of(same.bytes());
}

using Rails = std::vector<std::unique_ptr<Fabric>>;

Status open_rails(const JoinPlan& plan, const Meeting& meeting, std::uint32_t peers_max,
                  Rails& rails) {
  RailPlaces places = plan.places;
  if (places.rails() == 0) places.ips.push_back(meeting.local_ip());
  return hw::open_rails(places, queue_key_of(digest_of_plan(plan)), peers_max, rails);
}

Introduction introduce(const JoinPlan& plan, const Rails& rails, const WatchFabric& watch) {
  Introduction introduction;
  introduction.self = self_at(local_addresses(rails), watch.local_address());
  introduction.processes = plan.processes;
  introduction.key = plan.key;
  introduction.configuration = digest_of_plan(plan);
  return introduction;
}

// Of process `i` on one rail.
Met check_address(JobFabric fabric, const std::vector<JobMember>& members, std::size_t i,
                  std::size_t rail) {
  const Address& address = members[i].addresses[rail];
  const std::string where = "process " + std::to_string(i) + " is at " + text_of(address);
  if (!is_address_of(fabric, address)) {
    return Met::failed(where + ", which is no address of the job's fabric");
  }
  const auto endpoint = to_udp_endpoint(address);
  const auto first = to_udp_endpoint(members[0].addresses[rail]);
  if (endpoint && endpoint->ip.is_loopback() && members[i].host != members[0].host) {
    return Met::refused(where +
                        ", which nobody on another machine reaches; it has found no "
                        "other address of its machine, see --address");
  }
  if (!endpoint || !first || endpoint->ip.is_v6() == first->ip.is_v6()) return {};
  return Met::refused(where + " and process 0 at " + text_of(*first) +
                      "; all processes of a job speak one version of IP, see --address");
}

std::string places_of(const JobMember& member) {
  std::string text;
  for (const Address& address : member.addresses) {
    text += (text.empty() ? "" : " and ") + text_of(address);
  }
  return text;
}

}  // namespace

Met check_addresses(JobFabric fabric, const std::vector<JobMember>& members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t rail = 0; rail < members[i].addresses.size(); ++rail) {
      if (Met met = check_address(fabric, members, i, rail); !met.is_ok()) return met;
    }
  }
  return {};
}

Met check_places(const Roster& roster, const std::vector<JobMember>& members) {
  for (std::uint32_t i = 0; i < members.size() && roster.domain_size() > 1; ++i) {
    const ProcessId first = roster.process_on(roster.node_of({i}), 0);
    if (members[i].host == members[first.value].host) continue;
    return Met::refused("processes " + std::to_string(first.value) + " and " + std::to_string(i) +
                        " are of one node by the configuration, but run on two machines; place "
                        "them as processes.per_node and processes.placement say, or change these");
  }
  return {};
}

Status check_watching(const Roster& roster) {
  return roster.domain_size() > 1 ? WatchFabric::try_watching() : Status::ok();
}

Met run_joined(const JoinPlan& plan, Meeting& meeting, const NodeFactory& factory, LoopEnd& end) {
  const Time until = monotonic_now() + plan.patience;
  if (Met reached = meeting.reach(plan.processes, until); !reached.is_ok()) return reached;
  Rails data;
  const std::uint32_t peers_max = plan.processes + kSpareHandles;
  if (Status status = open_rails(plan, meeting, peers_max, data); !status.is_ok()) {
    return Met::failed(status.message());
  }
  std::unique_ptr<WatchFabric> watch;
  if (Status status = WatchFabric::open(peers_max, watch); !status.is_ok()) {
    return Met::failed(status.message());
  }
  MetJob job;
  if (Met met = meeting.meet(introduce(plan, data, *watch), until, job); !met.is_ok()) {
    return met;
  }
  if (Met checked = check_addresses(plan.places.fabric, job.members); !checked.is_ok()) {
    return checked;
  }
  if (Status status = find_all_ways(plan.places.fabric, data, addresses_of(job.members));
      !status.is_ok()) {
    return Met::failed(status.message());
  }
  std::vector<std::unique_ptr<CountingFabric>> counted;
  std::vector<CountingFabric*> carrying;
  std::vector<Fabric*> rails;
  for (const auto& rail : data) {
    carrying.push_back(counted.emplace_back(std::make_unique<CountingFabric>(*rail)).get());
    rails.push_back(carrying.back());
  }
  rails.push_back(watch.get());
  const MetAddresses addresses(job.members);
  std::unique_ptr<NodeProgram> program;
  const NodeStart start{plan.configuration, meeting.self(), plan.processes, 0,        plan.seed,
                        job.number,         job.key,        rails,          addresses};
  if (Status status = factory(start, program); !status.is_ok()) {
    return Met::refused(status.message());
  }
  Engine& engine = program->engine();
  const Roster& roster = engine.membership().roster();
  if (Met placed = check_places(roster, job.members); !placed.is_ok()) return placed;
  if (Status status = check_watching(roster); !status.is_ok()) {
    return Met::refused(status.message());
  }
  ShownProcess shown(job.number, meeting.self(), plan.processes, std::move(carrying));
  if (Status status = shown.open(); !status.is_ok()) return Met::refused(status.message());
  if (!shown.warning().empty()) plan.say(shown.warning());
  LoopOptions options;
  options.watcher = &shown.watcher();
  options.start_at = monotonic_now();
  options.stop_at = options.start_at + plan.duration;
  options.lifeline = meeting.lifeline();
  options.leave_within = kFarewell;
  options.polls = program->polls();
  const HeldSignals held;  // who reads that line may send one at once
  plan.say("has met all " + std::to_string(plan.processes) + " processes; its frames arrive at " +
           places_of(job.members[meeting.self().value]));
  SpokenLog log(meeting.self(), options.start_at, plan.duration, plan.say);
  const Status status = run_process(engine, rails, log, options, end);
  return status.is_ok() ? Met{} : Met::failed(status.message());
}

}  // namespace holdfast::hw
