// A place that a process finds by PMIx: it meets all others that mpirun or srun has started in this
// job, and its node is its machine. Frames and messages travel over UDP, on each rail each on a
// socket of their own; that of the messages may be closed and opened again, so its port is
// reserved. Nobody hands down a period and a timeout, so they come from the environment, which must
// be the same for all, and so do the rails.
#include <optional>
#include <utility>
#include <vector>

#include "hw/launch/engine_program.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/joined_node.hpp"
#include "hw/launch/met_addresses.hpp"
#include "hw/launch/met_roster.hpp"
#include "hw/launch/pmix_meeting.hpp"
#include "hw/launch/reserved_port.hpp"
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
Met check_both(const MetJob& job) {
  if (Met checked = check_addresses(JobFabric::udp, job.members); !checked.is_ok()) return checked;
  std::vector<JobMember> members = job.members;
  for (std::size_t i = 0; i < members.size(); ++i) members[i].addresses = job.messages[i];
  return check_addresses(JobFabric::udp, members);
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
    for (const UdpEndpoint& endpoint : message_endpoints_) {
      if (Status status = open_socket_rail(JobFabric::udp, endpoint, PortOwner::reserver, handles(),
                                           rails.emplace_back());
          !status.is_ok()) {
        return status;
      }
    }
    return Status::ok();
  }
  const AddressBook& message_addresses() const override { return message_addresses_; }
  int lifeline() const override { return meeting_.lifeline(); }

 private:
  Outcome meet(const Settings& settings, Time until);
  Outcome build(const Settings& settings, std::unique_ptr<NodeProgram>& program);
  Status open_places(std::vector<IpAddress> ips);
  std::uint32_t handles() const { return meeting_.processes() + kSpareHandles; }

  PmixMeeting meeting_;
  MetJob job_;
  MetAddresses addresses_{job_.members};
  MessageAddresses message_addresses_{job_.messages};
  std::vector<ReservedPort> message_ports_;               // by rail
  std::vector<UdpEndpoint> message_endpoints_;            // there
  std::vector<std::unique_ptr<Fabric>> data_;             // by rail
  std::vector<std::unique_ptr<CountingFabric>> counted_;  // around data_
  std::optional<WatchFabric> watch_;
  std::vector<Fabric*> rails_;
};

Status MetPlace::open_places(std::vector<IpAddress> ips) {
  if (ips.empty()) ips.push_back(meeting_.local_ip());
  for (const IpAddress& ip : ips) {
    ReservedPort& port = message_ports_.emplace_back();
    if (Status status = port.reserve(ReservedPort::Kind::udp, ip); !status.is_ok()) return status;
    message_endpoints_.push_back({ip, port.port()});
    if (Status status = open_socket_rail(JobFabric::udp, {ip, 0}, PortOwner::rail, handles(),
                                         data_.emplace_back());
        !status.is_ok()) {
      return status;
    }
  }
  return Status::ok();
}

Outcome MetPlace::meet(const Settings& settings, Time until) {
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
  if (Status status = open_places(settings.addresses); !status.is_ok()) {
    return {HOLDFAST_SYSTEM, status.message()};
  }
  std::vector<Address> frames;
  for (const auto& rail : data_) frames.push_back(rail->local_address());
  introduction.self = self_at(std::move(frames));
  for (const UdpEndpoint& endpoint : message_endpoints_) {
    introduction.messages.push_back(to_address(endpoint));
  }
  introduction.processes = processes;
  ByteWriter same;
  same.put(static_cast<std::uint64_t>(settings.period.ns));
  same.put(static_cast<std::uint64_t>(settings.timeout.ns));
  same.put(settings.per_node);
  introduction.configuration = digest_of(same.bytes());
  if (Met met = meeting_.meet(introduction, until, job_); !met.is_ok()) {
    return outcome_of(met, until);
  }
  return outcome_of(check_both(job_), until);
}

Outcome MetPlace::build(const Settings& settings, std::unique_ptr<NodeProgram>& program) {
  NodeConfiguration configuration;
  configuration.roster = roster_of(job_.members, settings.per_node);
  configuration.membership.detection.period = settings.period;
  configuration.membership.detection.timeout = settings.timeout;
  configuration.membership.retransmission_timeout = settings.period;
  if (Met placed = check_places(Roster(configuration.roster), job_.members); !placed.is_ok()) {
    return {HOLDFAST_BAD_ASSIGNMENT, placed.message};
  }
  const std::uint32_t processes = meeting_.processes();
  for (const auto& rail : data_) {
    rails_.push_back(counted_.emplace_back(std::make_unique<CountingFabric>(*rail)).get());
  }
  watch_.emplace(handles());
  rails_.push_back(&*watch_);
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
