// The event loop, and what is counted. What faults do is in simulation_faults.cpp, how quiet time
// is skipped in simulation_quiet.cpp.
#include "sim/run/simulation.hpp"

#include <algorithm>

#include "sim/engine/prefetch.hpp"
#include "sim/fabric/sim_event.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {

namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kPhaseStream = 0x7068617365;

// How early what a wake touches is fetched: long enough for memory, short enough for the cache.
constexpr int kWakesAhead = 3;
constexpr int kEventsAhead = 16;  // looked at for that
// The same for what an arrival touches: where news spreads, nearly every event is one.
constexpr int kArrivalsAhead = 6;

}  // namespace

class Simulation::Addresses final : public AddressBook {
 public:
  Address address(std::size_t, ProcessId process) const override {
    return MessageNetwork::address(process);
  }
};

Simulation::Simulation(const SimulationOptions& options, const Roster& roster,
                       const PathTimes& paths, const FaultSchedule& faults, Witness& witness)
    : options_(options),
      roster_(roster),
      faults_(faults),
      windows_(fault_windows(faults, roster)),
      silences_(windows_, verdict_within(options.engine.membership.detection)),
      witness_(witness),
      network_({.nodes = roster.nodes(),
                .per_node = roster.per_node(),
                .by_slot = roster.options().placement == ProcessPlacement::by_slot,
                .local_latency = to_sim_time(options.local_latency)},
               paths, queue_),
      addresses_(std::make_unique<Addresses>()),
      workspace_(*addresses_),
      slots_(options.engine.receive_slots),
      processes_(roster.processes()),
      end_(to_sim_time(options.duration)) {
  HOLDFAST_ASSERT(options.duration > Duration{0});
  HOLDFAST_ASSERT(options.impaired.loss >= 0.0 && options.impaired.loss < 1.0);
  if (options.packets != nullptr) {
    carrier_ = std::make_unique<PacketCarrier>(*options.packets, *options.graph,
                                               *options.forwarding, options.seed);
    network_.set_carrier(*carrier_);
    if (carrier_->has_traffic()) options_.skip_quiet_time = false;
  }
  // Faults first: at equal times a crash comes before what the process would have done.
  for (std::size_t i = 0; i < faults.events.size(); ++i) {
    queue_.push(to_sim_time(faults.events[i].at - Time{}).value, 0,
                sim_payload(SimEventKind::fault, static_cast<std::uint32_t>(i)));
  }
  if (std::any_of(faults.events.begin(), faults.events.end(), is_of_fabric)) {
    HOLDFAST_ASSERT(options.routing != nullptr);
    damage_ = std::make_unique<FabricDamage>(*options.routing, options.subnet_manager,
                                             roster.nodes(), options.seed);
    network_.set_damage(*damage_);
    if (carrier_) damage_->leave_to_packets();
  }
  for (std::uint32_t i = 0; i < roster.processes(); ++i) boot({i}, false);
}

Simulation::~Simulation() = default;

void Simulation::boot(ProcessId id, bool rejoining) {
  Process& process = processes_[id.value];
  EngineOptions engine = options_.engine;
  MembershipOptions& membership = engine.membership;
  membership.self = id;
  membership.incarnation = first_incarnation_of_boot(process.boots);
  membership.rejoining = rejoining;
  Random phases(options_.seed, kPhaseStream, id.value);
  membership.phase = nanoseconds(static_cast<std::int64_t>(
      phases.below(static_cast<std::uint64_t>(membership.detection.period.ns))));
  HOLDFAST_ASSERT(engine.send_slots == 0);  // the simulated rails send inline
  engine.slots = slots_;
  Fabric* rail = &network_.fabric(id);
  process.impaired = impaired(id, *rail);
  process.is_impaired = process.impaired != nullptr;
  if (process.is_impaired) rail = process.impaired.get();
  process.engine.emplace(engine, roster_, std::span<Fabric* const>(&rail, 1), workspace_);
  const auto before =
      reinterpret_cast<const char*>(&*process.engine) - reinterpret_cast<const char*>(&process);
  HOLDFAST_ASSERT(static_cast<std::size_t>(before) + process.engine->hot_bytes() <= kHotBytes);
  process.up = true;
  process.wake = SimTime::never();
  process.engine->start(now());
  schedule_wake(id, process, now());
}

// Null if nothing will happen to what the process sends.
std::unique_ptr<ImpairedFabric> Simulation::impaired(ProcessId id, Fabric& rail) {
  const bool planned =
      std::any_of(windows_.begin(), windows_.end(), [&](const FaultWindow& window) {
        return now() - Time{} < window.until && window.concerns_sender(id);
      });
  if (!planned && !impairing()) return nullptr;
  auto fabric = std::make_unique<ImpairedFabric>(
      rail, ImpairedOptions{.faults = impairing() ? options_.impaired : FrameFaults{},
                            .windows = windows_,
                            .self = id,
                            .process_at = MessageNetwork::process_at,
                            .seed = options_.seed,
                            .life = life_number(id, processes_[id.value].boots),
                            .clock = [this] { return clock_; }});
  fabric->start(Time{});
  return fabric;
}

inline void Simulation::push_wake(SimTime at, ProcessId id, const Process& process) {
  queue_.push(at.value, id.value, sim_payload(SimEventKind::wake, process.last_receiver.value));
}

inline void Simulation::schedule_wake(ProcessId id, Process& process, Time at) {
  if (at == Time::never()) return;
  const SimTime wake = std::max(to_sim_time(at - Time{}), now_);
  if (process.wake <= wake) return;  // it wakes before that anyway, and will say when next
  process.wake = wake;
  push_wake(wake, id, process);
}

// Whoever is slow gets to everything that has come meanwhile some time after the first of it.
bool Simulation::gets_to_it(ProcessId id, Process& process) {
  if (process.paused) return false;
  if (process.due == SimTime::never()) process.due = now_ + to_sim_time(process.delay);
  if (process.due <= now_) {
    process.due = SimTime::never();
    return true;
  }
  process.wake = process.due;
  push_wake(process.due, id, process);
  return false;
}

// Inlined whatever its length: a call would cost half as much again, for the saving of registers.
[[gnu::always_inline]] inline void Simulation::take_turn(ProcessId id, Process& process) {
  ++turns_;
  if (process.is_impaired && !impairing()) process.impaired->heal();
  Time next = process.engine->turn(clock_);
  if (process.is_impaired) next = std::min(next, process.impaired->next_due());
  network_.flush(id);
  // A turn that sent nothing says nothing about the next receiver.
  if (network_.posted_by() == id) process.last_receiver = network_.posted_to();
  if (process.engine->changed()) {
    witness_.believed(clock_, id, process.engine->changes());
    process.engine->clear_changes();
  }
  schedule_wake(id, process, next);
}

void Simulation::turn(ProcessId id, Process& process) {
  take_turn(id, process);
}

void Simulation::turn_unless_impeded(ProcessId id, Process& process) {
  if (!process.impeded || gets_to_it(id, process)) take_turn(id, process);
}

inline void Simulation::prefetch(ProcessId process) const {
  network_.prefetch(process);
  const char* const hot = reinterpret_cast<const char*>(&processes_[process.value]);
  static_assert(kHotBytes == 4 * 64);  // lines
  prefetch_line(hot);
  prefetch_line(hot + 64);
  prefetch_line(hot + 128);
  prefetch_line(hot + 192);
}

// Of the wakes to come, the one with that number; null if it is not at hand.
inline const QueuedEvent* Simulation::wake_ahead(int wakes) const {
  const QueuedEvent* found = nullptr;
  int seen = 0;
  queue_.visit_upcoming([&](const QueuedEvent& event) {
    if (sim_event_kind(event.payload) != SimEventKind::wake || --wakes > 0) {
      return ++seen < kEventsAhead;
    }
    found = &event;
    return false;
  });
  return found;
}

// The states of many processes do not fit into a cache, but the queue knows who wakes soon, and the
// event to whom it will speak: the state of both is on its way while other events are handled.
inline void Simulation::prefetch_upcoming() const {
  if (const QueuedEvent* const wake = wake_ahead(kWakesAhead)) {
    prefetch({wake->target});
    prefetch({wake->payload & kSimEventNumberMask});
  }
}

// Who receives a heartbeat has been fetched at its sender's wake. News goes from each to many, and
// arrives at other moments than it was sent at.
inline void Simulation::prefetch_arrival() const {
  int ahead = kArrivalsAhead;
  queue_.visit_upcoming([&](const QueuedEvent& event) {
    if (--ahead > 0) return true;
    if (sim_event_kind(event.payload) == SimEventKind::deliver) {
      prefetch({event.target});
      network_.prefetch_frame(event.payload & kSimEventNumberMask);
    }
    return false;
  });
}

// The ports of a large fabric do not fit either. Which ones lie on the way is known only when its
// beginning is there.
void Simulation::prefetch_packets() const {
  if (const QueuedEvent* const wake = wake_ahead(kWakesAhead)) {
    carrier_->prefetch_beginning(roster_.node_of({wake->target}));
  }
  if (const QueuedEvent* const wake = wake_ahead(1)) {
    carrier_->prefetch_way(roster_.node_of({wake->target}));
  }
}

// What the packets do before the next event outside them; false if there is nothing.
bool Simulation::step_packets() {
  const SimTime next = queue_.empty() ? end_ : std::min(end_, SimTime{queue_.next_time()});
  if (!carrier_->precedes(next)) return false;
  carrier_->step();
  ++events_;
  for (const CarriedFrame& carried : carrier_->done()) {
    if (carried.fate == PacketFate::delivered) {
      set_now(carried.at);
    } else if (damage_ && is_of_faults(carried.fate)) {
      damage_->packet_lost(carried.from_node, roster_.node_of(carried.to), carried.at);
    }
    if (network_.deliver(carried)) turn_unless_impeded(carried.to, processes_[carried.to.value]);
  }
  carrier_->clear_done();
  return true;
}

// Inlined for the same reason as take_turn.
[[gnu::always_inline]] inline bool Simulation::handle_next() {
  if (carrier_ != nullptr && step_packets()) return true;
  if (queue_.empty() || queue_.next_time() > end_.value) {
    set_now(end_);
    return false;
  }
  const QueuedEvent event = queue_.pop();
  set_now({event.time});
  ++events_;
  const ProcessId id{event.target};
  const std::uint32_t number = event.payload & kSimEventNumberMask;
  Process& process = processes_[id.value];
  bool acts = false;
  switch (sim_event_kind(event.payload)) {
    case SimEventKind::wake:
      // An event of an earlier life, or one that an earlier one has overtaken, is nobody's.
      if (process.wake != now_) break;
      process.wake = SimTime::never();
      prefetch_upcoming();
      if (carrier_ != nullptr) prefetch_packets();
      acts = process.up;
      break;
    case SimEventKind::deliver:
      prefetch_arrival();
      acts = network_.deliver(id, number);
      break;
    case SimEventKind::ended:
      acts = network_.tell_ended(id, {number});
      break;
    case SimEventKind::fault:
      if (number == kNewTables) {
        expect_new_tables();
        break;
      }
      next_fault_ = number + 1;
      play(faults_.events[number]);
      witness_.played(now(), faults_.events[number]);
      break;
  }
  if (acts && (!process.impeded || gets_to_it(id, process))) take_turn(id, process);
  if (options_.skip_quiet_time && now_ >= next_skip_attempt_) skip_if_quiet();
  return true;
}

bool Simulation::step(std::uint64_t events) {
  do {
    if (!handle_next()) return false;
  } while (--events > 0);
  return true;
}

void Simulation::run() {
  while (step(UINT64_MAX)) {
  }
}

const Engine* Simulation::engine(ProcessId process) const {
  const auto& engine = processes_[process.value].engine;
  return engine ? &*engine : nullptr;
}

FrameCounts Simulation::frame_counts() const {
  FrameCounts sum = of_ended_lives_;
  for (const Process& process : processes_) {
    if (process.up) sum += process.engine->membership().counts();
  }
  return sum;
}

std::uint64_t Simulation::state_hash() const {
  std::uint64_t h = 0;
  for (const Process& process : processes_) {
    h = mix64(h ^ (process.up ? process.engine->hash() : process.boots));
  }
  return h;
}

std::uint64_t Simulation::frames_lost() const {
  const FrameFaultCounts faults = frame_faults();
  std::uint64_t lost = faults.lost + faults.overflowed + network_.overflows();
  if (damage_) lost += damage_->lost();
  if (carrier_) lost += carrier_->frames().lost();
  return lost;
}

FrameFaultCounts Simulation::frame_faults() const {
  FrameFaultCounts sum = faults_of_ended_lives_;
  for (const Process& process : processes_) {
    if (process.impaired) sum += process.impaired->counts();
  }
  return sum;
}

std::uint64_t Simulation::frames_rejected() const {
  std::uint64_t sum = rejected_by_ended_lives_;
  for (const Process& process : processes_) {
    if (process.up) sum += process.engine->drops().rejected();
  }
  return sum;
}

bool Simulation::kept_apart(ProcessId a, ProcessId b) const {
  if (silences_.silent(now() - Time{}, 0, a, b)) return true;
  if (!damage_) return false;
  const auto last = damage_->last_loss_between(roster_.node_of(a), roster_.node_of(b));
  return last && now_ <= *last + to_sim_time(verdict_within(options_.engine.membership.detection));
}

}  // namespace holdfast::sim
