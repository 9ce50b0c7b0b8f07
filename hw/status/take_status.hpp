// Reads off an engine and its rails what a process shows of itself.
#pragma once

#include <span>

#include "hw/status/belief_history.hpp"
#include "hw/status/counting_fabric.hpp"
#include "hw/status/process_status.hpp"
#include "stack/engine.hpp"

namespace holdfast::hw {

// On the thread that drives the engine. Fills in all but the job, the pid, the start, the turns
// and the rails of messages.
void take_status(Time now, const Engine& engine, const BeliefHistory& history,
                 std::span<CountingFabric* const> rails, ProcessStatus& status);

// What a rail says of itself: kind, address and losses.
RailStatus status_of_fabric(const Fabric& fabric);

// "127.0.0.1:4000", "shm:process-3"; empty if it is none that people know.
std::string text_of_address(const Address& address);

}  // namespace holdfast::hw
