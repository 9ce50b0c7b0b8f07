// Parts of a fabric that can fail, by what people call them. A switch has a name (leaf-3, level2-3,
// spine-3, or that of a node-name map), a GUID, and perhaps a description that no other has. An
// adapter is meant by its host, whose traffic it carries, or by its GUID; a link by a port at one
// of its ends, leaf-3[19] or GUID[19], or by a host, whose traffic it carries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/dead_parts.hpp"
#include "sim/topology/topology.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

enum class PartKind : std::uint8_t { link, switch_chip, adapter };

// The error says what was expected. `part` is set on success.
Status find_part(const Topology& topology, PartKind kind, std::string_view text, FabricPart& part);

// All parts of the kind, in the order of their numbers. Routers are none of these.
std::vector<FabricPart> parts_of(const Topology& topology, PartKind kind);

// "leaf-3" for a switch or an adapter, "leaf-3[19] to spine-1[4]" for a link.
std::string part_name(const Topology& topology, FabricPart part);

}  // namespace holdfast::sim
