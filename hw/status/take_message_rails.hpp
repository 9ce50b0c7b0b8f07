// Reads off an endpoint and its rails how the messages of a process travel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/status/process_status.hpp"
#include "stack/fabric.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::hw {

// While nobody else is in the endpoint. The rails are those that it stands on; its peers are among
// so many processes.
void take_message_rails(const reliable::Endpoint& endpoint, std::span<Fabric* const> rails,
                        std::uint32_t processes, std::vector<MessageRailStatus>& taken);

}  // namespace holdfast::hw
