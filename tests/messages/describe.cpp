// A scenario in words, for people.
#include <cstdio>
#include <ostream>

#include "tests/messages/scenario.hpp"

namespace holdfast::messages {

namespace {

const char* name_of(sim::PortState state) {
  switch (state) {
    case sim::PortState::well:
      return "well";
    case sim::PortState::down:
      return "down";
    case sim::PortState::failing:
      return "failing";
    case sim::PortState::stuck:
      return "stuck";
  }
  return "";
}

std::string whom(ProcessId process) {
  return process == kNoProcess ? "everybody" : std::to_string(process.value);
}

std::string what(const sim::WorldFault& fault) {
  const std::string rail =
      fault.rail == sim::kAllRails ? "all rails" : "rail " + std::to_string(fault.rail);
  switch (fault.kind) {
    case sim::WorldFaultKind::cut:
      return rail + " is cut from " + whom(fault.process) + " to " + whom(fault.other);
    case sim::WorldFaultKind::port:
      return rail + ": the port of " + whom(fault.process) + " is " + name_of(fault.state);
    case sim::WorldFaultKind::pause:
      return whom(fault.process) + " pauses";
    case sim::WorldFaultKind::crash:
      return whom(fault.process) + " ends and comes back";
  }
  return "";
}

}  // namespace

std::string seconds_text(Time time) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%09lld s  ",
                static_cast<long long>(time.ns / 1'000'000'000),
                static_cast<long long>(time.ns % 1'000'000'000));
  return text;
}

void describe(const Scenario& scenario, std::ostream& out) {
  const reliable::EndpointOptions& endpoint = scenario.world.endpoint;
  out << scenario.world.processes << " processes, " << scenario.sends.size() << " messages of "
      << scenario.fragments_per_message << " fragments, " << scenario.receives.size()
      << " receives, eager up to " << endpoint.limits.eager_bytes_max << " bytes, first number "
      << endpoint.first_number << ", checksum " << endpoint.checksum << ", seal " << endpoint.seal
      << "; calm at " << seconds_text(scenario.calm) << '\n';
  for (const sim::WorldRail& rail : scenario.world.rails) {
    out << "rail of " << rail.pipe.bits_per_second << " bit/s, latency " << rail.pipe.latency.ns
        << " ns, frames of " << rail.pipe.frame_bytes_max << " bytes; lost " << rail.impaired.loss
        << ", doubled " << rail.impaired.duplicate << ", corrupted " << rail.impaired.corrupt
        << ", cut short " << rail.impaired.truncate << ", delayed by up to "
        << rail.impaired.jitter.ns << " ns but for " << rail.impaired.reorder << '\n';
  }
  for (const sim::WorldFault& fault : scenario.world.faults) {
    out << seconds_text(fault.at) << what(fault)
        << (fault.in_recovery ? " when something has been sent again," : "") << " for "
        << fault.lasts.ns / 1000 << " us\n";
  }
}

}  // namespace holdfast::messages
