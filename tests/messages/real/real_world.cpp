// Processes: their rails, lives and turns, and what they are told of each other.
#include "tests/messages/real/real_world.hpp"

#include <unistd.h>

#include <algorithm>

#include "hw/monotonic_clock.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"
#include "stack/engine.hpp"

namespace holdfast::messages {

namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kNewsStream = 0x726e657773;
constexpr std::uint64_t kRailStream = 0x727261696c;

// A program that commands more often in one turn lets the others go on meanwhile.
constexpr int kTurnsAtOnceMax = 100;

std::string new_name() {
  static unsigned worlds = 0;
  return "holdfast-swarm-" + std::to_string(::getpid()) + "-" + std::to_string(worlds++);
}

}  // namespace

RealWorld::RealWorld(const Scenario& scenario, const std::vector<RealKind>& kinds,
                     sim::Program& program)
    : scenario_(scenario),
      kinds_(kinds),
      program_(program),
      name_(new_name()),
      now_(hw::monotonic_now()),
      processes_(scenario.world.processes),
      addresses_(kinds.size() * scenario.world.processes),
      believed_(std::size_t{scenario.world.processes} * scenario.world.processes),
      told_at_(believed_.size()),
      faults_(scenario.world.faults.size()),
      delays_(scenario.world.seed, kNewsStream, 0) {
  HOLDFAST_ASSERT(kinds.size() == scenario.world.rails.size());
  for (std::size_t i = 0; i < faults_.size(); ++i) faults_[i].next = scenario.world.faults[i].at;
  for (std::uint32_t i = 0; i < scenario.world.processes; ++i) open_rails({i});
  for (std::uint32_t i = 0; i < scenario.world.processes; ++i) boot({i});
  for (std::uint32_t i = 0; i < scenario.world.processes; ++i) tell_of_all({i});
}

RealWorld::~RealWorld() = default;

ProcessId RealWorld::process_at(std::size_t rail, const Address& at) const {
  for (std::uint32_t i = 0; i < scenario_.world.processes; ++i) {
    if (address(rail, {i}) == at) return {i};
  }
  return kNoProcess;
}

void RealWorld::open_rails(ProcessId id) {
  Process& process = processes_[id.value];
  for (std::size_t r = 0; r < kinds_.size(); ++r) {
    const sim::WorldRail& plan = scenario_.world.rails[r];
    const std::string name = name_ + "-" + std::to_string(r) + "-" + std::to_string(id.value) +
                             "-" + std::to_string(process.boots);
    process.real.push_back(
        open_real_rail(kinds_[r], plan.pipe.frame_bytes_max, scenario_.world.processes, name));
    addresses_[r * scenario_.world.processes + id.value] = process.real.back()->local_address();
    process.ports.push_back(std::make_unique<FaultyPort>(
        *process.real.back(), [this, r](const Address& at) { return process_at(r, at); }));
    process.rails.push_back(process.ports.back().get());
    if (!plan.impaired.any() || now_ >= scenario_.calm) continue;
    process.impaired.push_back(std::make_unique<ImpairedFabric>(
        *process.rails.back(),
        ImpairedOptions{.faults = plan.impaired,
                        .seed = mix64(scenario_.world.seed ^ kRailStream) + r,
                        .life = life_number(id, process.boots),
                        .clock = [this] { return now_; }}));
    process.rails.back() = process.impaired.back().get();
  }
}

void RealWorld::boot(ProcessId id) {
  Process& process = processes_[id.value];
  reliable::EndpointOptions options = scenario_.world.endpoint;
  options.self = id;
  options.incarnation = incarnation(id);
  process.endpoint = std::make_unique<reliable::Endpoint>(options, process.rails, *this);
  process.resent = 0;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (faults_[i].state == FaultState::on) afflict(id, scenario_.world.faults[i], true);
  }
  program_.began(id, options.incarnation, now_);
}

// Who begins is told at once of those who run; they are told later.
void RealWorld::tell_of_all(ProcessId id) {
  for (std::uint32_t i = 0; i < scenario_.world.processes; ++i) {
    believed_[id.value * scenario_.world.processes + i].reset();
    const bool runs = processes_[i].endpoint != nullptr;
    if (ProcessId{i} != id && runs) tell({now_, id, {i}, incarnation({i}), false});
  }
}

void RealWorld::crash(ProcessId id) {
  Process& process = processes_[id.value];
  const Incarnation life = incarnation(id);
  keep_counts_of(process);
  process.endpoint.reset();
  process.rails.clear();
  process.impaired.clear();
  process.ports.clear();
  process.real.clear();
  program_.ended(id, life, now_);
  tell_others(id, life, true);
}

void RealWorld::round() {
  now_ = hw::monotonic_now();
  tell_what_is_due();
  begin_and_mend_what_is_due();
  for (std::uint32_t i = 0; i < scenario_.world.processes; ++i) {
    Process& process = processes_[i];
    if (process.endpoint == nullptr || process.pauses > 0) continue;
    if (now_ >= scenario_.calm) {
      for (const auto& impaired : process.impaired) impaired->heal();
    }
    take_turn({i});
  }
}

void RealWorld::take_turn(ProcessId id) {
  Process& process = processes_[id.value];
  bool commanded = true;
  for (int turn = 0; commanded && turn < kTurnsAtOnceMax; ++turn) {
    now_ = hw::monotonic_now();
    (void)process.endpoint->turn(now_);
    reliable::Completed some[16];
    while (const std::size_t count = process.endpoint->completed(some)) {
      for (std::size_t i = 0; i < count; ++i) program_.completed(id, some[i], now_);
    }
    commanded = program_.act(id, *process.endpoint, now_).commanded;
  }
  look_for_recovery(process);
}

void RealWorld::tell_others(ProcessId of, Incarnation life, bool over) {
  const sim::WorldOptions& world = scenario_.world;
  for (std::uint32_t i = 0; i < world.processes; ++i) {
    const Duration after =
        world.told_after_min + delays_.up_to(world.told_after_max - world.told_after_min);
    if (ProcessId{i} == of || processes_[i].endpoint == nullptr) continue;
    // What is said of one process arrives in the order in which it happened.
    Time& last = told_at_[i * world.processes + of.value];
    last = std::max(now_ + after, last);
    news_.push_back({last, {i}, of, life, over});
  }
}

void RealWorld::tell_what_is_due() {
  std::vector<News> due;
  std::erase_if(news_, [&](const News& news) {
    if (news.at > now_) return false;
    due.push_back(news);
    return true;
  });
  for (const News& news : due) tell(news);
}

void RealWorld::tell(const News& news) {
  Process& process = processes_[news.to.value];
  if (process.endpoint == nullptr) return;
  std::optional<Incarnation>& believed =
      believed_[news.to.value * scenario_.world.processes + news.of.value];
  if (believed && *believed > news.life) return;  // who began later knows better
  if (news.over) {
    process.endpoint->fail(news.of, news.life, now_);
    if (believed == news.life) believed.reset();
  } else {
    const bool connected = process.endpoint->connect(news.of, news.life, now_);
    HOLDFAST_ASSERT(connected);
    believed = news.life;
  }
}

void RealWorld::keep_counts_of(const Process& process) {
  for (std::size_t r = 0; r < kinds_.size(); ++r) {
    frames_of_ended_lives_ += process.endpoint->traffic(r).frames_sent;
  }
  resent_in_ended_lives_ += process.endpoint->counts().fragments_resent;
  for (const auto& impaired : process.impaired) spoilt_in_ended_lives_ += impaired->counts();
}

std::uint64_t RealWorld::frames() const {
  std::uint64_t sum = frames_of_ended_lives_;
  for (const Process& process : processes_) {
    for (std::size_t r = 0; process.endpoint != nullptr && r < kinds_.size(); ++r) {
      sum += process.endpoint->traffic(r).frames_sent;
    }
  }
  return sum;
}

std::uint64_t RealWorld::frames_spoilt() const {
  FrameFaultCounts sum = spoilt_in_ended_lives_;
  for (const Process& process : processes_) {
    for (const auto& impaired : process.impaired) sum += impaired->counts();
  }
  return sum.lost + sum.duplicated + sum.corrupted + sum.truncated + sum.delayed;
}

std::uint64_t RealWorld::fragments_resent() const {
  std::uint64_t sum = resent_in_ended_lives_;
  for (const Process& process : processes_) {
    if (process.endpoint != nullptr) sum += process.endpoint->counts().fragments_resent;
  }
  return sum;
}

}  // namespace holdfast::messages
