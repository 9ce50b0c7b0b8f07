// A fabric written out: hosts with their adapters, switches, ports and links. What the importers
// and the generator make, and what routing, summaries and pictures read.
//
// Devices (adapters, switches, routers) share one numbering; hosts have one of their own, NodeId. A
// host may have several adapters. Its traffic uses its *endpoint*: the first cabled port of the
// first adapter that has one, adapters in order of GUID. The other adapters are part of the
// description (and of the warnings) but carry nothing while there is one rail.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

constexpr std::uint32_t kNone = 0xffff'ffff;  // no such device, link or host

enum class DeviceKind : std::uint8_t {
  adapter,
  switch_chip,
  router,  // leads to another subnet; an end of the fabric that belongs to no host
};

struct Port {
  std::uint32_t link = kNone;  // kNone: nothing plugged in
  std::uint64_t guid = 0;      // of adapters; 0: none
};

struct Device {
  DeviceKind kind = DeviceKind::adapter;
  std::uint64_t guid = 0;   // unique in the fabric
  std::string name;         // from the generator or a node-name map; empty: none
  std::string description;  // what the device says of itself; may repeat
  NodeId host;              // adapters only
  std::vector<Port> ports;  // by port number; ports[0] is not used
};

struct LinkEnd {
  std::uint32_t device = 0;
  std::uint32_t port = 0;  // >= 1
};

// A cable; both directions have the same rate.
struct Link {
  std::array<LinkEnd, 2> ends;
  std::int64_t bits_per_second = 0;  // of data, > 0
  Duration latency;                  // cable and both ports, >= 0
  std::uint32_t lanes = 0;           // 0: not said

  const LinkEnd& end_away_from(std::uint32_t device) const {
    return ends[0].device == device ? ends[1] : ends[0];
  }
};

struct Host {
  std::string name;  // unique among hosts
  std::vector<std::uint32_t> adapters;
};

// What a generator gives to all its links.
struct LinkSpec {
  std::int64_t bits_per_second = 0;  // > 0
  Duration latency;                  // >= 0
  std::uint32_t lanes = 0;           // 0: not said
};

class FabricGraph {
 public:
  // Building. Callers have checked what comes from outside: names and GUIDs are unique, ports exist
  // and are free. A device may not be linked to itself.
  NodeId add_host(std::string name);
  // Adds ports 1 … ports. An adapter's host exists.
  std::uint32_t add_device(Device device, std::uint32_t ports);
  void set_port_guid(LinkEnd port, std::uint64_t guid);
  std::uint32_t connect(LinkEnd a, LinkEnd b, const LinkSpec& spec);

  const std::vector<Host>& hosts() const { return hosts_; }
  const std::vector<Device>& devices() const { return devices_; }
  const std::vector<Link>& links() const { return links_; }
  const Host& host(NodeId node) const { return hosts_[node.value]; }
  const Device& device(std::uint32_t index) const { return devices_[index]; }
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  std::uint32_t count(DeviceKind kind) const;

  // The link that carries the host's traffic; kNone if no adapter of it is cabled.
  std::uint32_t endpoint_link(NodeId node) const;

  // The device with this node GUID, else the one with a port of this GUID, else kNone.
  std::uint32_t find_device(std::uint64_t guid) const;

  // The host that `text` means, tried in this order: the name of a host or of an adapter (generator
  // or node-name map), an index 0 … hosts-1 in decimal digits, a GUID of an adapter or its port
  // (with or without 0x, leading zeros, H-; [port] may follow), a description that only one host
  // has. The error says what was expected, and lists the GUIDs where a name is ambiguous.
  Status find_host(std::string_view text, NodeId& node) const;

  // "leaf-3", or the description and GUID where there is no name of its own.
  std::string part_text(std::uint32_t device) const;
  std::string part_text(LinkEnd port) const;  // the same with [port]

 private:
  std::vector<std::uint32_t> hosts_called(std::string_view text, bool by_description) const;
  Status find_host_by_guid(std::string_view text, NodeId& node, bool& matched) const;

  std::vector<Host> hosts_;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::map<std::uint64_t, std::uint32_t> device_of_guid_;
  std::map<std::uint64_t, std::uint32_t> device_of_port_guid_;
};

}  // namespace holdfast::sim
