// Round by round until it is calm, then until everything has completed.
#include "tests/messages/real/real_play.hpp"

#include "hw/monotonic_clock.hpp"
#include "tests/messages/ledger.hpp"
#include "tests/messages/real/real_world.hpp"
#include "tests/messages/workload.hpp"
#include "tests/swarm/dice.hpp"

namespace holdfast::messages {

namespace {

constexpr std::uint64_t kKindsStream = 0x726b696e6473;

// After everything has completed: long enough for what may come twice.
constexpr Duration kAfterwards = milliseconds(20);
// Beyond the bound of the simulated run, as other programs have the processors, too: a request that
// has not completed by then never will.
constexpr Duration kPatience = seconds(60);

// Times count from the beginning, in a scenario that is drawn; here they are of the clock.
Scenario from_now(Scenario scenario) {
  const Duration by = hw::monotonic_now() - Time{};
  const auto shift = [&](Time& time) {
    if (time < Time::never()) time += by;
  };
  shift(scenario.calm);
  for (PlannedSend& send : scenario.sends) shift(send.at);
  for (PlannedReceive& receive : scenario.receives) {
    shift(receive.at);
    shift(receive.cancelled_at);
  }
  for (sim::WorldFault& fault : scenario.world.faults) {
    shift(fault.at);
    shift(fault.latest);
  }
  return scenario;
}

class RealPlay {
 public:
  RealPlay(const std::vector<RealKind>& kinds, const Scenario& scenario)
      : scenario_(from_now(scenario)),
        ledger_(scenario_),
        workload_(scenario_, ledger_),
        world_(scenario_, kinds, workload_) {
    workload_.set_lives(world_);
  }

  RealPlayed play() {
    const Time deadline = scenario_.calm + scenario_.bound + kPatience;
    while (is_right() && !(world_.is_calm() && workload_.finished())) {
      world_.round();
      if (world_.now() > deadline) {
        played_.failure = "not everything has completed in time:" + workload_.unfinished();
      }
    }
    const Time end = world_.now() + kAfterwards;
    while (is_right() && world_.now() < end) world_.round();
    if (is_right()) {
      std::vector<Incarnation> lives;
      for (std::uint32_t i = 0; i < scenario_.world.processes; ++i) {
        lives.push_back(world_.incarnation({i}));
      }
      ledger_.check_in_the_end(lives);
    }
    (void)is_right();
    played_.frames = world_.frames();
    played_.messages = ledger_.received();
    played_.resent = world_.fragments_resent();
    played_.spoilt = world_.frames_spoilt();
    played_.faults = world_.faults_begun();
    played_.faults_in_recovery = world_.faults_in_recovery();
    return played_;
  }

 private:
  bool is_right() {
    if (played_.failure.empty()) played_.failure = ledger_.failure();
    return played_.failure.empty();
  }

  const Scenario scenario_;
  Ledger ledger_;
  Workload workload_;
  RealWorld world_;
  RealPlayed played_;
};

}  // namespace

std::vector<RealKind> draw_kinds(const Scenario& scenario) {
  swarm::Dice dice(scenario.world.seed, kKindsStream, 0);
  std::vector<RealKind> kinds;
  // UDP as often as the others together: it is the one that loses by itself.
  for (const sim::WorldRail& rail : scenario.world.rails) {
    static constexpr RealKind kDrawn[] = {RealKind::udp, RealKind::udp, RealKind::tcp,
                                          RealKind::shm};
    const RealKind drawn = kDrawn[dice.below(std::size(kDrawn))];
    kinds.push_back(is_long(rail) ? RealKind::tcp : drawn);
  }
  return kinds;
}

RealPlayed play_on(const std::vector<RealKind>& kinds, const Scenario& scenario) {
  return RealPlay(kinds, scenario).play();
}

}  // namespace holdfast::messages
