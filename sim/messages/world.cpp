// The event loop, and what is counted. What faults do is in world_faults.cpp.
#include "sim/messages/world.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/engine.hpp"

namespace holdfast::sim {

namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kNewsStream = 0x6e657773;
constexpr std::uint64_t kRailStream = 0x7261696c;

// Longer than simulated time reaches: deadlines of limits that are none.
constexpr Time kAfterTheEnd = Time{} + Duration{SimTime::never().value / kSimUnitsPerNanosecond};

// More turns than that at one moment are no progress.
constexpr std::uint32_t kTurnsAtOnceMax = 10'000;

void add(reliable::EndpointCounts& sum, const reliable::EndpointCounts& more) {
  sum.fragments_sent += more.fragments_sent;
  sum.fragments_resent += more.fragments_resent;
  sum.fragments_duplicate += more.fragments_duplicate;
  sum.payload_bytes_sent += more.payload_bytes_sent;
  sum.payload_bytes_delivered += more.payload_bytes_delivered;
  sum.acknowledgements_sent += more.acknowledgements_sent;
  sum.malformed += more.malformed;
  sum.unverified += more.unverified;
  sum.corrupt_payload += more.corrupt_payload;
  sum.out_of_place += more.out_of_place;
}

}  // namespace

class World::Addresses final : public AddressBook {
 public:
  Address address(std::size_t, ProcessId process) const override {
    return PipeNetwork::address(process);
  }
};

World::World(const WorldOptions& options, Program& program)
    : options_(options),
      program_(program),
      addresses_(std::make_unique<Addresses>()),
      processes_(options.processes),
      faults_(options.faults.size(), FaultState::waits),
      told_at_(std::size_t{options.processes} * options.processes),
      believed_(std::size_t{options.processes} * options.processes),
      delays_(options.seed, kNewsStream, 0),
      least_latency_(options.rails.at(0).pipe.latency) {
  HOLDFAST_ASSERT(options.processes >= 2 && !options.rails.empty());
  for (WorldRail& rail : options_.rails) {
    rail.pipe.processes = options.processes;
    const auto first = static_cast<std::uint32_t>(networks_.size()) * options.processes;
    networks_.push_back(std::make_unique<PipeNetwork>(rail.pipe, queue_, first));
    least_latency_ = std::min(least_latency_, rail.pipe.latency);
  }
  for (std::uint32_t i = 0; i < options.faults.size(); ++i) {
    HOLDFAST_ASSERT(options.faults[i].lasts > Duration{0});
    queue_.push(to_sim_time(options.faults[i].at - Time{}).value,
                own_target(options.processes + kFaultBegins), i);
  }
  for (std::uint32_t i = 0; i < options.processes; ++i) boot({i});
}

World::~World() = default;

void World::set_now(SimTime now) {
  now_ = now;
  clock_ = Time{} + round_up(now);
  for (auto& network : networks_) network->set_now(now);
}

std::vector<Fabric*> World::make_rails(ProcessId id, Process& process) {
  std::vector<Fabric*> rails;
  process.wrapped.clear();
  process.impaired.clear();
  for (std::size_t r = 0; r < networks_.size(); ++r) {
    Fabric* rail = &networks_[r]->fabric(id);
    if (options_.rails[r].impaired.any() && clock_ < options_.impaired_until) {
      process.impaired.push_back(std::make_unique<ImpairedFabric>(
          *rail, ImpairedOptions{.faults = options_.rails[r].impaired,
                                 .seed = mix64(options_.seed ^ kRailStream) + r,
                                 .life = life_number(id, process.boots),
                                 .clock = [this] { return clock_; }}));
      rail = process.impaired.back().get();
    }
    if (options_.wrap) {
      process.wrapped.push_back(options_.wrap(*rail, r, id));
      rail = process.wrapped.back().get();
    }
    rails.push_back(rail);
  }
  return rails;
}

// Who begins is told at once of those who run; they are told later.
void World::boot(ProcessId id) {
  Process& process = processes_[id.value];
  process.rails = make_rails(id, process);
  reliable::EndpointOptions endpoint = options_.endpoint;
  endpoint.self = id;
  endpoint.incarnation = first_incarnation_of_boot(process.boots);
  process.endpoint = std::make_unique<reliable::Endpoint>(endpoint, process.rails, *addresses_);
  process.resent = 0;
  process.busy_until = now_;
  process.wake = SimTime::never();
  program_.began(id, endpoint.incarnation, clock_);
  for (std::uint32_t i = 0; i < options_.processes; ++i) {
    const ProcessId other{i};
    believed_[id.value * options_.processes + i].reset();
    // In the beginning all know of all, also of those that boot after them.
    const bool runs =
        processes_[i].endpoint != nullptr || (now_ == SimTime{} && process.boots == 0);
    if (other != id && runs) tell({id, other, incarnation(other), false});
  }
  schedule_wake(id, clock_);
}

void World::heal(Process& process) {
  if (clock_ < options_.impaired_until) return;
  for (auto& impaired : process.impaired) impaired->heal();
}

void World::schedule_wake(ProcessId id, Time at) {
  Process& process = processes_[id.value];
  if (at >= kAfterTheEnd || process.endpoint == nullptr || process.pauses > 0) return;
  const SimTime wake = std::max({to_sim_time(at - Time{}), now_, process.busy_until});
  if (process.wake <= wake) return;  // it wakes before that anyway, and will say when next
  process.wake = wake;
  queue_.push(wake.value, own_target(id.value), 0);
}

bool World::spins(ProcessId id) {
  Process& process = processes_[id.value];
  if (process.last_turn != now_) process.turns_at_once = 0;
  process.last_turn = now_;
  if (++process.turns_at_once <= kTurnsAtOnceMax) return false;
  failure_ = "process " + std::to_string(id.value) + " takes turns without end at one moment";
  return true;
}

void World::take_turn(ProcessId id) {
  Process& process = processes_[id.value];
  heal(process);
  Time next;
  bool commanded = true;
  while (commanded && !spins(id)) {
    next = process.endpoint->turn(clock_);
    reliable::Completed some[16];
    while (const std::size_t count = process.endpoint->completed(some)) {
      for (std::size_t i = 0; i < count; ++i) {
        note(some[i].cookie ^ static_cast<std::uint64_t>(some[i].outcome) << 56);
        note(some[i].bytes);
        program_.completed(id, some[i], clock_);
      }
    }
    const Program::Wish wish = program_.act(id, *process.endpoint, clock_);
    commanded = wish.commanded;
    next = std::min(next, wish.next);
    if (wish.computes > Duration{0}) {
      HOLDFAST_ASSERT(!commanded);
      // What is due now is not owed until it comes back.
      if (next <= clock_) (void)process.endpoint->turn(clock_);
      compute(id, wish.computes);
      next = clock_;  // as soon as it is done
    }
  }
  for (const auto& impaired : process.impaired) next = std::min(next, impaired->next_due());
  schedule_wake(id, next);
  look_for_recovery(process);
}

void World::compute(ProcessId id, Duration takes) {
  SimTime& busy_until = processes_[id.value].busy_until;
  for (auto& network : networks_) {
    busy_until = std::max(busy_until, network->compute(id, to_sim_time(takes)));
  }
}

bool World::step(Time end) {
  const SimTime until = to_sim_time(end - Time{});
  if (!failure_.empty()) return false;
  if (queue_.empty() || queue_.next_time() > until.value) {
    set_now(std::max(now_, until));
    return false;
  }
  const QueuedEvent event = queue_.pop();
  set_now({event.time});
  handle(event);
  return true;
}

void World::handle(const QueuedEvent& event) {
  const std::uint32_t processes = options_.processes;
  if (event.target < own_target(0)) {
    note(static_cast<std::uint64_t>(event.time) ^ std::uint64_t{event.target} << 48);
    if (!networks_[event.target / processes]->handle(event)) return;
    schedule_wake({event.target % processes}, clock_ + options_.response);
    return;
  }
  const std::uint32_t own = event.target - own_target(0);
  if (own < processes) {
    Process& process = processes_[own];
    // An event of an earlier life, or one that an earlier one has overtaken, is nobody's.
    if (process.wake != now_) return;
    process.wake = SimTime::never();
    if (process.endpoint != nullptr && process.pauses == 0) take_turn({own});
    return;
  }
  note(static_cast<std::uint64_t>(event.time) ^ std::uint64_t{event.payload} << 32);
  if (own == processes + kFaultBegins) begin(event.payload);
  if (own == processes + kFaultEnds) mend(event.payload);
  if (own == processes + kNews) tell(news_[event.payload]);
}

void World::tell_others(ProcessId of, Incarnation life, bool over) {
  const auto spread = options_.told_after_max - options_.told_after_min;
  for (std::uint32_t i = 0; i < options_.processes; ++i) {
    const auto extra = delays_.below(static_cast<std::uint64_t>(spread.ns) + 1);
    if (ProcessId{i} == of || processes_[i].endpoint == nullptr) continue;
    const Duration after = options_.told_after_min + nanoseconds(static_cast<std::int64_t>(extra));
    // What is said of one process arrives in the order in which it happened.
    SimTime& last = told_at_[i * options_.processes + of.value];
    last = std::max(now_ + to_sim_time(after), last);
    queue_.push(last.value, own_target(options_.processes + kNews),
                static_cast<std::uint32_t>(news_.size()));
    news_.push_back({{i}, of, life, over});
  }
}

void World::tell(const News& news) {
  Process& process = processes_[news.to.value];
  if (process.endpoint == nullptr) return;
  std::optional<Incarnation>& believed =
      believed_[news.to.value * options_.processes + news.of.value];
  if (believed && *believed > news.life) return;  // who began later knows better
  if (news.over) {
    process.endpoint->fail(news.of, news.life, clock_);
    if (believed == news.life) believed.reset();
  } else {
    const bool connected = process.endpoint->connect(news.of, news.life, clock_);
    HOLDFAST_ASSERT(connected);
    believed = news.life;
  }
  schedule_wake(news.to, clock_);
}

const reliable::Endpoint* World::endpoint(ProcessId process) const {
  return processes_[process.value].endpoint.get();
}

Incarnation World::incarnation(ProcessId process) const {
  return first_incarnation_of_boot(processes_[process.value].boots);
}

std::optional<Incarnation> World::believes(ProcessId process, ProcessId other) const {
  return believed_[process.value * options_.processes + other.value];
}

void World::keep_counts_of(const Process& process) {
  add(of_ended_lives_, process.endpoint->counts());
  for (const auto& impaired : process.impaired) impaired_of_ended_lives_ += impaired->counts();
}

reliable::EndpointCounts World::counts() const {
  reliable::EndpointCounts sum = of_ended_lives_;
  for (const Process& process : processes_) {
    if (process.endpoint != nullptr) add(sum, process.endpoint->counts());
  }
  return sum;
}

FrameFaultCounts World::impaired() const {
  FrameFaultCounts sum = impaired_of_ended_lives_;
  for (const Process& process : processes_) {
    for (const auto& impaired : process.impaired) sum += impaired->counts();
  }
  return sum;
}

std::uint64_t World::frames(PipeFate fate) const {
  std::uint64_t sum = 0;
  for (const auto& network : networks_) sum += network->frames(fate);
  return sum;
}

}  // namespace holdfast::sim
