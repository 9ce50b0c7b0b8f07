// The rails of a real world: fabrics of this machine, each life of a process with its own and a new
// address.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"

namespace holdfast::messages {

enum class RealKind : std::uint8_t { udp, tcp, shm };
constexpr std::size_t kRealKinds = 3;
const char* name_of(RealKind kind);

// With room for all that `processes` may have under way in a few lives. Throws std::runtime_error
// if the machine does not let it be opened. `name`: no other fabric's.
std::unique_ptr<Fabric> open_real_rail(RealKind kind, std::uint32_t frame_bytes_max,
                                       std::uint32_t processes, const std::string& name);

}  // namespace holdfast::messages
