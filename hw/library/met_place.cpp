// A place that a process finds by PMIx: it meets all others that mpirun or srun has started in this
// job, and its node is its machine. Nobody hands down a period and a timeout, so they come from the
// environment, which must be the same for all.
#include <array>
#include <optional>

#include "hw/launch/engine_program.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/joined_node.hpp"
#include "hw/launch/met_addresses.hpp"
#include "hw/launch/met_roster.hpp"
#include "hw/launch/pmix_meeting.hpp"
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
  std::vector<CountingFabric*> counted_rails() override { return {&*counted_}; }
  int lifeline() const override { return meeting_.lifeline(); }

 private:
  Outcome meet(const Settings& settings, Time until);
  Outcome build(const Settings& settings, std::unique_ptr<NodeProgram>& program);

  PmixMeeting meeting_;
  MetJob job_;
  MetAddresses addresses_{job_.members};
  std::unique_ptr<Fabric> data_;
  std::optional<CountingFabric> counted_;  // data_
  std::optional<WatchFabric> watch_;
  std::array<Fabric*, 2> rails_{};
};

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
  if (Status status = open_socket_rail(JobFabric::udp, {meeting_.local_ip(), 0}, PortOwner::process,
                                       processes + kSpareHandles, data_);
      !status.is_ok()) {
    return {HOLDFAST_SYSTEM, status.message()};
  }
  introduction.self = self_at(data_->local_address());
  introduction.processes = processes;
  ByteWriter same;
  same.put(static_cast<std::uint64_t>(settings.period.ns));
  same.put(static_cast<std::uint64_t>(settings.timeout.ns));
  same.put(settings.per_node);
  introduction.configuration = digest_of(same.bytes());
  if (Met met = meeting_.meet(introduction, until, job_); !met.is_ok()) {
    return outcome_of(met, until);
  }
  return outcome_of(check_addresses(JobFabric::udp, job_.members), until);
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
  watch_.emplace(processes + kSpareHandles);
  counted_.emplace(*data_);
  rails_ = {&*counted_, &*watch_};
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
