// From a seed to a scenario. Every choice comes from one stream in a fixed order, so a seed means
// the same scenario until this file changes.
#include <algorithm>
#include <memory>
#include <vector>

#include "sim/faults/renewal.hpp"
#include "sim/topology/modules.hpp"
#include "sim/topology/pgft_routing.hpp"
#include "stack/base/assert.hpp"
#include "stack/propagate/propagation.hpp"
#include "tests/swarm/dice.hpp"
#include "tests/swarm/draw_packets.hpp"
#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {

namespace {

using sim::FaultAction;
using sim::FaultTarget;

constexpr std::uint64_t kScenarioStream = 0x737761726d;
constexpr std::uint32_t kProcessesMax = 64;
constexpr Routing kRoutings[] = {Routing::computed, Routing::computed, Routing::balanced,
                                 Routing::tables};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : dice_(seed, kScenarioStream, 0), seed_(seed) {
    scenario_.simulation.seed = seed;
  }

  Scenario scenario() {
    job();
    stack();
    losses();
    const std::uint64_t groups = dice_.below(6);
    for (std::uint64_t i = 0; i < groups; ++i) {
      switch (dice_.below(12)) {
        case 0:
          all_but_one();
          break;
        case 1:
          halves();
          break;
        default:
          some();
          break;
      }
    }
    // From another stream, so that the scenarios without a fabric's faults stay what they were.
    dice_ = Dice(seed_, kScenarioStream, 1);
    fabric();
    if (one_in(6)) models();
    if (one_in(6)) slow_nodes();
    // And from a third one, so that those at message fidelity stay what they were.
    dice_ = Dice(seed_, kScenarioStream, 2);
    if (one_in(8)) flap();
    if (one_in(8)) common_cause();
    bool lossless = true;
    if (one_in(3)) lossless = draw_packets(dice_, window_, scenario_);
    scenario_.routing = kRoutings[dice_.below(std::size(kRoutings))];
    scenario_.addresses = 1u << dice_.below(3);
    // And from a fifth one; the fourth is of the tree.
    dice_ = Dice(seed_, kScenarioStream, 4);
    if (one_in(4)) scenario_.routing = Routing::updn;
    if (one_in(4)) frame_faults();
    auto& events = scenario_.faults.events;
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    const FrameFaults& impaired = scenario_.simulation.impaired;
    scenario_.calm = impaired.any() ? scenario_.simulation.impaired_until : Time{};
    scenario_.calm += impaired.delay + impaired.jitter;
    if (!events.empty()) scenario_.calm = std::max(scenario_.calm, events.back().at + settling_);
    scenario_.calm = std::max(scenario_.calm, end_of_traffic(scenario_));
    scenario_.accurate = all_come_in_time(impaired) && !long_pauses_ && lossless;
    return scenario_;
  }

 private:
  bool one_in(std::uint64_t n) { return dice_.one_in(n); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return dice_.between(least, most);
  }
  Duration up_to(Duration most) { return dice_.up_to(most); }

  void job() {
    RosterOptions& roster = scenario_.roster;
    roster.per_node = between(1, 8);
    const std::uint32_t nodes_max = kProcessesMax / roster.per_node;
    roster.nodes = between(roster.per_node == 1 ? 2 : 1, one_in(2) ? nodes_max : 8);
    roster.placement = one_in(2) ? ProcessPlacement::by_slot : ProcessPlacement::by_node;
    roster.agents = !one_in(3);
    roster.order = kRingOrders[dice_.below(kRingOrders.size())].second;
    roster.order_key = dice_.next();
    std::vector<std::uint32_t> leaves(roster.nodes);
    const std::uint32_t leaves_max = between(1, 8);
    for (std::uint32_t& leaf : leaves) leaf = between(1, leaves_max);
    roster.leaf_of_node = std::make_shared<const std::vector<std::uint32_t>>(std::move(leaves));
  }

  void stack() {
    EngineOptions& engine = scenario_.simulation.engine;
    MembershipOptions& membership = engine.membership;
    const Duration period = microseconds(between(200, 100'000));
    membership.detection.period = period;
    membership.detection.timeout = period * between(2, 20) + up_to(period);
    if (one_in(3)) membership.detection.hold = up_to(one_in(2) ? period * 2 : period * 20);
    membership.propagation = propagations()[dice_.below(propagations().size())].name;
    membership.retransmission_timeout = period * between(1, 8) / 4;
    engine.seal = one_in(4) ? "siphash128" : "none";
    scenario_.simulation.skip_quiet_time = one_in(4);
    window_ = std::max(period * 40, membership.detection.timeout * 6);
  }

  void losses() {
    if (one_in(2)) return;
    scenario_.simulation.impaired.loss = static_cast<double>(between(1, 200)) / 1000.0;
    scenario_.simulation.impaired_until = Time{} + window_;
  }

  // What else may happen to each frame, at any time until the window ends.
  void frame_faults() {
    const Duration period = scenario_.simulation.engine.membership.detection.period;
    const auto share = [&] { return one_in(2) ? 0.0 : static_cast<double>(between(1, 100)) / 1e3; };
    FrameFaults& faults = scenario_.simulation.impaired;
    faults.duplicate = share();
    faults.corrupt = share();
    if (faults.corrupt > 0.0) scenario_.simulation.engine.seal = "siphash128";  // else nobody knows
    faults.truncate = share();
    if (one_in(2)) {
      faults.delay = up_to(period);
      faults.jitter = up_to(period);
      faults.reorder = share();
    }
    scenario_.simulation.impaired_until = Time{} + window_;
  }
  // Copies harm nobody.
  static bool all_come_in_time(const FrameFaults& faults) {
    return faults.loss == 0.0 && faults.corrupt == 0.0 && faults.truncate == 0.0 &&
           !faults.delays();
  }

  // Short enough that nobody may notice, or longer than anybody could overlook.
  Duration pause_length() {
    const DetectorOptions& detection = scenario_.simulation.engine.membership.detection;
    const std::int64_t silent = news_stands_for_heartbeats(detection) ? 2 : 1;  // periods
    const Duration unnoticed =
        detection.timeout - silent * detection.period - detection.period / 10;
    if (unnoticed > Duration{0} && one_in(2)) return up_to(unnoticed);
    long_pauses_ = true;
    return detection.timeout - detection.period + up_to(detection.timeout * 4);
  }

  Duration outage_length() {
    const DetectorOptions& detection = scenario_.simulation.engine.membership.detection;
    return microseconds(10) + up_to(one_in(2) ? detection.period * 2 : detection.timeout * 4);
  }

  void strike(Time at, FaultTarget target, std::uint32_t index, FaultAction action, bool for_good) {
    scenario_.add(at, action, target, index);
    if (action == FaultAction::pause) {
      scenario_.add(at + pause_length(), FaultAction::resume, target, index);
    } else if (!for_good) {
      scenario_.add(at + outage_length(), FaultAction::repair, target, index);
    }
  }

  // One to a few processes or nodes, at one instant or spread over a timeout. One process, drawn
  // once, is never crashed for good, so that somebody is left.
  void some() {
    const RosterOptions& roster = scenario_.roster;
    const Duration spread =
        one_in(2) ? Duration{0} : scenario_.simulation.engine.membership.detection.timeout;
    const Time start = Time{} + up_to(window_);
    const FaultAction action = one_in(3) ? FaultAction::pause : FaultAction::crash;
    const bool nodes = one_in(3);
    const std::uint32_t parts = nodes ? roster.nodes : roster.nodes * roster.per_node;
    const std::uint32_t count = between(1, std::min(parts, one_in(4) ? parts : 5));
    const std::uint32_t first = between(0, parts - 1);
    const bool in_a_row = one_in(2);
    const bool for_good = one_in(2);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t part = in_a_row ? (first + i) % parts : between(0, parts - 1);
      strike(start + up_to(spread), nodes ? FaultTarget::node : FaultTarget::process, part, action,
             for_good && !holds_survivor(nodes, part));
    }
  }

  void all_but_one() {
    const std::uint32_t processes = scenario_.roster.nodes * scenario_.roster.per_node;
    const Time at = Time{} + up_to(window_);
    const FaultAction action = one_in(2) ? FaultAction::pause : FaultAction::crash;
    const bool for_good = one_in(2);
    for (std::uint32_t i = 0; i < processes; ++i) {
      if (i != kSurvivor) strike(at, FaultTarget::process, i, action, for_good);
    }
  }

  // One part of the job sleeps until the other holds it for dead; then the other way round. Both
  // then live and neither expects anything of the other: what a cut through the network leaves.
  void halves() {
    const RosterOptions& roster = scenario_.roster;
    const Time at = Time{} + up_to(window_);
    const Duration sleep =
        scenario_.simulation.engine.membership.detection.timeout * between(2, 2 * roster.nodes);
    const std::uint32_t first = between(1, roster.nodes);
    const bool in_a_row = one_in(2);
    long_pauses_ = true;
    for (std::uint32_t node = 0; node < roster.nodes; ++node) {
      const Time start = (in_a_row ? node < first : one_in(2)) ? at : at + sleep;
      scenario_.add(start, FaultAction::pause, FaultTarget::node, node);
      scenario_.add(start + sleep, FaultAction::resume, FaultTarget::node, node);
    }
  }

  // A tree, and in one of three scenarios something in it that breaks and is mended.
  void fabric() {
    const std::uint32_t nodes = scenario_.roster.nodes;
    scenario_.leaves = one_in(3) ? 1 : between(1, std::min(nodes, 8u));
    scenario_.spines = scenario_.leaves == 1 ? 1 : between(1, 3);
    levels();
    if (!one_in(3)) return;
    subnet_manager();
    const std::uint32_t times = between(1, 4);
    for (std::uint32_t i = 0; i < times; ++i) {
      switch (dice_.below(4)) {
        case 0:
          cut_leaf();
          break;
        case 1:
          impair();
          break;
        default:
          break_parts();
          break;
      }
    }
  }

  // From a stream of its own, so that the scenarios of two levels stay what they were.
  void levels() {
    Dice dice(seed_, kScenarioStream, 3);
    const std::uint32_t leaves = scenario_.leaves;
    if (leaves >= 4 && leaves % 2 == 0 && dice.one_in(2)) {
      scenario_.pods = dice.one_in(2) ? 2 : leaves / 2;
      scenario_.tops = dice.between(1, 2);
    }
    if (leaves > 1 && dice.one_in(4)) scenario_.parallel = 2;
  }

  void subnet_manager() {
    sim::SubnetManagerOptions& manager = scenario_.simulation.subnet_manager;
    manager.sweep_on_trap = !one_in(4);
    manager.sweep_interval = milliseconds(between(10, 2000));
    // A change may wait for the end of one sweep, which had one of a switch before it.
    settling_ = 3 * sim::sweep_time(scenario_.tree().host_count(), true) +
                2 * (manager.sweep_on_trap ? Duration{0} : manager.sweep_interval);
  }

  Duration damage_length() {
    const Duration timeout = scenario_.simulation.engine.membership.detection.timeout;
    return one_in(2) ? up_to(timeout) : up_to(timeout * (2 + 2 * scenario_.roster.nodes));
  }

  // Crash and repair, or begin and end, of a part of the fabric that nothing else has taken yet.
  void damage(Time from, Time until, FaultTarget target, std::uint32_t index) {
    const auto taken = [&](const sim::FaultEvent& event) {
      return event.target == target && event.index == index;
    };
    auto& events = scenario_.faults.events;
    if (std::any_of(events.begin(), events.end(), taken)) return;
    scenario_.add(from, FaultAction::crash, target, index);
    scenario_.add(until, FaultAction::repair, target, index);
  }

  void break_parts() {
    const sim::PgftWiring wiring(scenario_.tree());
    const Time from = Time{} + up_to(window_);
    const Time until = from + damage_length();
    const bool links = one_in(2);
    const std::uint32_t count = between(1, 3);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t part = between(0, (links ? wiring.links() : wiring.devices()) - 1);
      damage(from, until, links ? FaultTarget::link : FaultTarget::device, part);
    }
  }

  // A part of the fabric that comes and goes, at times faster than anybody sees.
  void flap() {
    if (settling_ == Duration{0}) subnet_manager();
    const sim::PgftWiring wiring(scenario_.tree());
    const bool link = one_in(2);
    const std::uint32_t part = between(0, (link ? wiring.links() : wiring.devices()) - 1);
    const Duration longest =
        one_in(2) ? microseconds(10) : scenario_.simulation.engine.membership.detection.timeout;
    Time at = Time{} + up_to(window_);
    const std::uint32_t times = between(2, 10);
    for (std::uint32_t i = 0; i < times; ++i) {
      const FaultTarget target = link ? FaultTarget::link : FaultTarget::device;
      scenario_.add(at, FaultAction::crash, target, part);
      scenario_.add(at + up_to(longest), FaultAction::repair, target, part);
      at = scenario_.faults.events.back().at + up_to(longest);
    }
  }

  // What dies together: the chips of a board or of the chassis, or a leaf switch and its nodes.
  void common_cause() {
    if (settling_ == Duration{0}) subnet_manager();
    const sim::Pgft tree = scenario_.tree();
    const sim::Modules modules = sim::modules_of(tree);
    const Time from = Time{} + up_to(window_);
    const Time until = from + damage_length();
    const auto down = [&](FaultTarget target, std::uint32_t index) {
      scenario_.add(from, FaultAction::crash, target, index);
      scenario_.add(until, FaultAction::repair, target, index);
    };
    if (modules.boards.empty() || one_in(2)) {
      const std::uint32_t leaf = between(0, scenario_.leaves - 1);
      down(FaultTarget::device, sim::PgftWiring(tree).device_of(1, leaf));
      const std::uint32_t hosts = tree.host_count() / scenario_.leaves;
      for (std::uint32_t i = leaf * hosts; i < (leaf + 1) * hosts; ++i) {
        if (i < scenario_.roster.nodes) down(FaultTarget::node, i);
      }
      return;
    }
    const auto& kind = one_in(3) ? modules.chassis : modules.boards;
    for (const std::uint32_t chip : kind[dice_.below(kind.size())].chips) {
      down(FaultTarget::device, chip);
    }
  }

  // One leaf loses all its ways up, and its hosts the rest of the job.
  void cut_leaf() {
    if (scenario_.leaves == 1) return;
    const sim::PgftWiring wiring(scenario_.tree());
    const std::uint32_t leaf = wiring.device_of(1, between(0, scenario_.leaves - 1));
    const Time from = Time{} + up_to(window_);
    const Time until = from + damage_length();
    for (std::uint32_t port = 1; port <= wiring.ports(leaf); ++port) {
      if (!wiring.is_switch(wiring.far_end({leaf, port}).device)) continue;
      damage(from, until, FaultTarget::link, wiring.link_at({leaf, port}));
    }
  }

  void impair() {
    sim::Impairment impairment;
    impairment.link = between(0, sim::PgftWiring(scenario_.tree()).links() - 1);
    if (one_in(2)) impairment.direction = between(0, 1);
    if (one_in(2)) impairment.share = one_in(2) ? 1.0 : static_cast<double>(between(1, 500)) / 1e3;
    if (impairment.share == 0.0 || one_in(4)) impairment.per_bit = between(1, 1000) * 1e-6;
    const Time from = Time{} + up_to(window_);
    auto& impairments = scenario_.faults.impairments;
    damage(from, from + damage_length(), FaultTarget::impairment,
           static_cast<std::uint32_t>(impairments.size()));
    impairments.push_back(impairment);
  }

  // Every node but the survivor's fails by a model, about once, and comes back.
  void models() {
    const sim::LifeKind kinds[] = {sim::LifeKind::exponential, sim::LifeKind::weibull,
                                   sim::LifeKind::lognormal};
    const Duration timeout = scenario_.simulation.engine.membership.detection.timeout;
    const sim::RenewalModel model{
        {kinds[dice_.below(3)], window_ * between(1, 8) / 2, 0.7, 1.4},
        {},
        sim::RepairModel{sim::RepairKind::lognormal, timeout * between(1, 20) / 10, 1.0}};
    std::vector<sim::DownTime> down;
    for (std::uint32_t node = 1; node < scenario_.roster.nodes; ++node) {
      down.clear();
      sim::draw_down_times(sim::Lives(model.life), model, {seed_, 0, node}, window_, down);
      for (const sim::DownTime& each : down) {
        scenario_.add(each.from, FaultAction::crash, FaultTarget::node, node);
        scenario_.add(*each.until, FaultAction::repair, FaultTarget::node, node);
      }
    }
  }

  void slow_nodes() {
    const DetectorOptions& detection = scenario_.simulation.engine.membership.detection;
    const Duration unnoticed = (detection.timeout - detection.period) / 4;
    const bool noticed = one_in(2);
    long_pauses_ = long_pauses_ || noticed;
    const std::uint32_t count = between(1, 3);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t node = between(0, scenario_.roster.nodes - 1);
      const Time from = Time{} + up_to(window_);
      scenario_.add(from, FaultAction::slow, FaultTarget::node, node);
      scenario_.faults.events.back().delay =
          nanoseconds(1) + up_to(noticed ? detection.timeout * 2 : unnoticed);
      scenario_.add(from + damage_length(), FaultAction::normal, FaultTarget::node, node);
    }
  }

  // Process 0 is on node 0 whatever the placement.
  static constexpr std::uint32_t kSurvivor = 0;
  static bool holds_survivor(bool, std::uint32_t part) { return part == kSurvivor; }

  Dice dice_;
  Scenario scenario_;
  Duration window_;
  bool long_pauses_ = false;
  std::uint64_t seed_;
  Duration settling_;  // how long the subnet manager may take after the last repair
};

}  // namespace

Scenario draw(std::uint64_t seed) {
  return Draw(seed).scenario();
}

}  // namespace holdfast::swarm
