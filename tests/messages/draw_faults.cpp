// What befalls rails and processes: each fault alone and several at a time.
#include <algorithm>

#include "tests/messages/draw.hpp"

namespace holdfast::messages {

namespace {

using sim::PortState;
using sim::WorldFault;
using sim::WorldFaultKind;

class Faults {
 public:
  Faults(swarm::Dice& dice, Scenario& scenario)
      : dice_(dice), scenario_(scenario), span_(scenario.calm - Time{}) {}

  void draw() {
    const std::uint64_t count = dice_.below(5);
    for (std::uint64_t i = 0; i < count; ++i) add_one();
    if (dice_.one_in(3)) add_in_recovery();
    if (dice_.one_in(16)) all_down();
    for (const WorldFault& fault : scenario_.world.faults) {
      const Time begins = fault.in_recovery ? fault.latest + fault.after_resending : fault.at;
      scenario_.calm = std::max(scenario_.calm, begins + fault.lasts + nanoseconds(1));
    }
  }

 private:
  void add_one() {
    switch (dice_.below(8)) {
      case 0:
        return add(whole_rail());
      case 1:
        return add(one_way());
      case 2:
        return add(port(PortState::down));
      case 3:
        return add(port(PortState::failing));
      case 4:
        return add(port(PortState::stuck));
      case 5:
        return flap();
      case 6:
        return add(of_process(WorldFaultKind::pause, milliseconds(200)));
      default:
        return add(of_process(WorldFaultKind::crash, milliseconds(200)));
    }
  }

  void add(const WorldFault& fault) { scenario_.world.faults.push_back(fault); }

  WorldFault at_any_time(WorldFaultKind kind, Duration most) {
    WorldFault fault;
    fault.kind = kind;
    fault.at = Time{} + dice_.up_to(span_);
    // As likely a moment as long.
    fault.lasts = nanoseconds(1) + dice_.up_to(most / (dice_.one_in(2) ? 1 : 50));
    return fault;
  }
  ProcessId process() {
    return {static_cast<std::uint32_t>(dice_.below(scenario_.world.processes))};
  }
  std::uint32_t rail() {
    return static_cast<std::uint32_t>(dice_.below(scenario_.world.rails.size()));
  }

  // Nobody says anything: a switch is dead.
  WorldFault whole_rail() {
    WorldFault fault = at_any_time(WorldFaultKind::cut, milliseconds(500));
    fault.rail = rail();
    return fault;
  }
  WorldFault one_way() {
    WorldFault fault = whole_rail();
    fault.process = process();
    if (dice_.one_in(2)) fault.other = process();
    return fault;
  }
  WorldFault port(PortState state) {
    WorldFault fault = at_any_time(WorldFaultKind::port, milliseconds(500));
    fault.rail = rail();
    fault.process = process();
    fault.state = state;
    return fault;
  }
  WorldFault of_process(WorldFaultKind kind, Duration most) {
    WorldFault fault = at_any_time(kind, most);
    fault.process = process();
    return fault;
  }

  // A cable that comes and goes.
  void flap() {
    WorldFault fault = dice_.one_in(2) ? whole_rail() : port(PortState::down);
    fault.lasts = nanoseconds(1) + dice_.up_to(milliseconds(20));
    for (std::uint64_t times = 2 + dice_.below(8); times > 0; --times) {
      add(fault);
      fault.at += fault.lasts + nanoseconds(1) + dice_.up_to(milliseconds(20));
    }
  }

  // A rail dies when something has just been sent again: what is being recovered from is a loss, or
  // another rail's death.
  void add_in_recovery() {
    WorldFault fault = dice_.one_in(3) ? port(PortState::down) : whole_rail();
    if (dice_.one_in(2)) {
      WorldFault first = whole_rail();
      first.at = Time{} + dice_.up_to(span_ / 2);
      add(first);
    }
    fault.in_recovery = true;
    fault.at = Time{} + dice_.up_to(span_ / 2);
    Duration least = scenario_.world.rails.front().pipe.latency;
    for (const sim::WorldRail& each : scenario_.world.rails) {
      least = std::min(least, each.pipe.latency);
    }
    fault.after_resending = dice_.up_to(least);
    fault.latest = Time{} + span_;
    add(fault);
  }

  void all_down() {
    WorldFault fault = sim::cut_all(Time{} + dice_.up_to(span_), seconds(5));
    if (dice_.one_in(2)) {
      fault.kind = WorldFaultKind::port;
      fault.state = dice_.one_in(2) ? PortState::down : PortState::failing;
    }
    add(fault);
  }

  swarm::Dice& dice_;
  Scenario& scenario_;
  Duration span_;
};

}  // namespace

void draw_faults(swarm::Dice& dice, Scenario& scenario) {
  Faults(dice, scenario).draw();
}

}  // namespace holdfast::messages
