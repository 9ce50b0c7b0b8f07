// The text of `ibnetdiscover` as sections and port lines, each checked by itself; how they fit
// together is ibnetdiscover.cpp's. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

// One line of a section: port `port` is cabled to port `peer_port` of the device `peer_guid`.
struct PortLine {
  std::size_t line = 0;
  std::uint32_t port = 0;
  std::uint64_t port_guid = 0;  // 0: not said
  std::uint64_t peer_guid = 0;
  std::uint32_t peer_port = 0;
  std::int64_t bits_per_second = 0;
  std::uint32_t lanes = 0;
};

struct DeviceSection {
  std::size_t line = 0;
  DeviceKind kind = DeviceKind::adapter;
  bool kept = true;  // false: left out, with its links: of an unknown kind, or no device of its own
  std::uint32_t port_count = 0;
  std::uint64_t guid = 0;
  std::uint64_t system_guid = 0;  // 0: not said
  std::uint32_t chassis = 0;      // 0: not said, as without -g
  std::string board;              // "line-3", "spine-1" or "srbd-1"; empty: not said
  std::string description;
  std::vector<PortLine> ports;
};

constexpr std::uint32_t kIbPortsMax =
    254;  // a port number has 8 bits; 0 and 255 have other meanings

// Adds to `errors` each line that is none of the file's kinds.
std::vector<DeviceSection> read_sections(std::string_view text, ErrorList& errors);

}  // namespace holdfast::sim
