// A place that a process finds by PMIx: it meets all others that mpirun or srun has started in this
// job, and its node is its machine. Frames and messages travel on each rail each by a socket or
// queue pair of their own; that of the messages may be closed and opened again. Nobody hands down a
// period and a timeout, so they come from the environment, which must be the same for all, and so
// do the fabric and the rails.
#include <memory>
#include <utility>
#include <vector>

#include "hw/launch/engine_program.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/joined_node.hpp"
#include "hw/launch/met_addresses.hpp"
#include "hw/launch/met_roster.hpp"
#include "hw/launch/pmix_meeting.hpp"
#include "hw/launch/rail_places.hpp"
#include "hw/launch/socket_rail.hpp"
#include "hw/library/place.hpp"
#include "hw/library/settings.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/watch/watch_fabric.hpp"

namespace holdfast::hw {

namespace {

// Of what processes draw: their phases.
constexpr std::uint64_t kSeed = 1;

Outcome outcome_of(const Met& met, Time until) {
  if (met.is_ok()) return {};
  if (met.fault == MeetingFault::refused) return {HOLDFAST_BAD_ASSIGNMENT, met.message};
  return {monotonic_now() < until ? HOLDFAST_SYSTEM : HOLDFAST_TIMED_OUT, met.message};
}

// What must be the same for all.
Digest digest_of_settings(const Settings& settings) {
  ByteWriter same;
  same.put(static_cast<std::uint64_t>(settings.period.ns));
  same.put(static_cast<std::uint64_t>(settings.timeout.ns));
  same.put(settings.per_node);
  same.put(static_cast<std::uint8_t>(settings.places.fabric));
  return digest_of(same.bytes());
}

class MessageAddresses final : public AddressBook {
 public:
  explicit MessageAddresses(const std::vector<std::vector<Address>>& by_rank) : by_rank_(by_rank) {}
  Address address(std::size_t rail, ProcessId process) const override {
    return by_rank_[process.value][rail];
  }

 private:
  const std::vector<std::vector<Address>>& by_rank_;
};

// As check_addresses, of the rails of frames and of those of messages.
Met check_both(JobFabric fabric, const MetJob& job) {
  if (Met checked = check_addresses(fabric, job.members); !checked.is_ok()) return checked;
  std::vector<JobMember> members = job.members;
  for (std::size_t i = 0; i < members.size(); ++i) members[i].addresses = job.messages[i];
  return check_addresses(fabric, members);
}

class MetPlace final : public Place {
 public:
  Outcome take(Time until, std::unique_ptr<NodeProgram>& program) override {
    Settings settings;
    if (std::string wrong = read_settings(settings); !wrong.empty()) {
      return {HOLDFAST_BAD_ASSIGNMENT, wrong};
    }
    if (Outcome outcome = meet(settings, until); !outcome.is_ok()) return outcome;
    return build(settings, program);
  }

  // Whoever begins a moment earlier is waited for: its frames lie in the socket.
  Outcome wait_for_start(Time, Time& start_at) override {
    start_at = monotonic_now();
    return {};
  }

  std::span<Fabric* const> rails() const override { return rails_; }
  std::uint32_t job() const override { return job_.number; }
  std::vector<CountingFabric*> counted_rails() override {
    std::vector<CountingFabric*> carrying;
    for (const auto& fabric : counted_) carrying.push_back(fabric.get());
    return carrying;
  }
  JobKey key() const override { return job_.key; }
  Status open_message_rails(std::vector<std::unique_ptr<Fabric>>& rails) override {
    for (ReopenedRail& rail : message_rails_) {
      if (Status status = rail.open(rails.emplace_back()); !status.is_ok()) return status;
    }
    return find_all_ways(fabric_, rails, job_.messages);
  }
  const AddressBook& message_addresses() const override { return message_addresses_; }
  int lifeline() const override { return meeting_.lifeline(); }

 private:
  Outcome meet(Settings& settings, Time until);
  Outcome build(const Settings& settings, std::unique_ptr<NodeProgram>& program);
  Status open_places(RailPlaces& places, std::uint32_t queue_key);
  std::uint32_t handles() const { return meeting_.processes() + kSpareHandles; }

  PmixMeeting meeting_;
  JobFabric fabric_ = JobFabric::udp;
  MetJob job_;
  MetAddresses addresses_{job_.members};
  MessageAddresses message_addresses_{job_.messages};
  std::vector<ReopenedRail> message_rails_;
  std::vector<std::unique_ptr<Fabric>> data_;             // by rail
  std::vector<std::unique_ptr<CountingFabric>> counted_;  // around data_
  std::unique_ptr<WatchFabric> watch_;
  std::vector<Fabric*> rails_;
};

Status MetPlace::open_places(RailPlaces& places, std::uint32_t queue_key) {
  fabric_ = places.fabric;
  if (places.rails() == 0) places.ips.push_back(meeting_.local_ip());
  for (std::size_t rail = 0; rail < places.rails(); ++rail) {
    if (Status status = message_rails_.emplace_back().reserve(places, rail, queue_key, handles());
        !status.is_ok()) {
      return status;
    }
  }
  if (Status status = open_rails(places, queue_key, handles(), data_); !status.is_ok()) {
    return status;
  }
  return WatchFabric::open(handles(), watch_);
}

Outcome MetPlace::meet(Settings& settings, Time until) {
  Introduction introduction;
  if (Status status = find_job_key("", introduction.key); !status.is_ok()) {
    return {HOLDFAST_BAD_ASSIGNMENT, status.message()};
  }
  if (Met reached = meeting_.reach(kAnyNumber, until); !reached.is_ok()) {
    return outcome_of(reached, until);
  }
  const std::uint32_t processes = meeting_.processes();
  if (settings.per_node > 0 && processes % settings.per_node != 0) {
    return {HOLDFAST_BAD_ASSIGNMENT, std::string(kPerNodeVariable) + " is " +
                                         std::to_string(settings.per_node) +
                                         ", which does not divide the " +
                                         std::to_string(processes) + " processes of the job"};
  }
  introduction.processes = processes;
  introduction.configuration = digest_of_settings(settings);
  if (Status status = open_places(settings.places, queue_key_of(introduction.configuration));
      !status.is_ok()) {
    return {HOLDFAST_SYSTEM, status.message()};
  }
  introduction.self = self_at(local_addresses(data_), watch_->local_address());
  for (const ReopenedRail& rail : message_rails_) introduction.messages.push_back(rail.address());
  if (Met met = meeting_.meet(introduction, until, job_); !met.is_ok()) {
    return outcome_of(met, until);
  }
  if (Met checked = check_both(fabric_, job_); !checked.is_ok()) return outcome_of(checked, until);
  if (Status status = find_all_ways(fabric_, data_, addresses_of(job_.members)); !status.is_ok()) {
    return {HOLDFAST_SYSTEM, status.message()};
  }
  return {};
}

Outcome MetPlace::build(const Settings& settings, std::unique_ptr<NodeProgram>& program) {
  NodeConfiguration configuration;
  configuration.roster = roster_of(job_.members, settings.per_node);
  configuration.membership.detection.period = settings.period;
  configuration.membership.detection.timeout = settings.timeout;
  configuration.membership.retransmission_timeout = settings.period;
  const Roster roster(configuration.roster);
  if (Met placed = check_places(roster, job_.members); !placed.is_ok()) {
    return {HOLDFAST_BAD_ASSIGNMENT, placed.message};
  }
  if (Status status = check_watching(roster); !status.is_ok()) {
    return {HOLDFAST_SYSTEM, status.message()};
  }
  const std::uint32_t processes = meeting_.processes();
  for (const auto& rail : data_) {
    rails_.push_back(counted_.emplace_back(std::make_unique<CountingFabric>(*rail)).get());
  }
  rails_.push_back(watch_.get());
  const std::string text = text_of(configuration);
  const NodeStart start{text,        meeting_.self(), processes, 0,         kSeed,
                        job_.number, job_.key,        rails_,    addresses_};
  if (Status made = make_engine_program(start, program); !made.is_ok()) {
    return {HOLDFAST_SYSTEM, made.message()};
  }
  return {};
}

}  // namespace

std::unique_ptr<Place> place_of_pmix() {
  return std::make_unique<MetPlace>();
}

}  // namespace holdfast::hw
