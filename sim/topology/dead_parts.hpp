// Which links and devices of a fabric are dead. A part may be dead for several reasons at once (its
// own fault, and that of the board it sits on): it lives again when it has been mended as often as
// it was broken.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/topology/wiring.hpp"

namespace holdfast::sim {

// A part that can fail by itself: a link, or a device (a switch chip or an adapter), by its number
// in FabricGraph.
struct FabricPart {
  enum class Kind : std::uint8_t { link, device };
  Kind kind = Kind::link;
  std::uint32_t index = 0;
  friend bool operator==(const FabricPart&, const FabricPart&) = default;
};

class DeadParts {
 public:
  // True if the part was alive before.
  bool add(FabricPart part) { return counts(part)[part.index]++ == 0; }
  // True if the part is alive now; it was dead.
  bool remove(FabricPart part);

  bool empty() const { return links_.empty() && devices_.empty(); }
  bool link(std::uint32_t index) const { return links_.contains(index); }
  bool device(std::uint32_t index) const { return devices_.contains(index); }
  bool contains(FabricPart part) const {
    return part.kind == FabricPart::Kind::link ? link(part.index) : device(part.index);
  }
  // Whether a packet that leaves living device port.device by this port gets to a living device.
  bool passes(const Wiring& wiring, LinkEnd port) const {
    return empty() || (!link(wiring.link_at(port)) && !device(wiring.far_end(port).device));
  }

  // Whether the host is cabled, and its adapter, link and leaf switch live.
  bool reaches_switch(const Wiring& wiring, NodeId host) const {
    const LinkEnd endpoint = wiring.endpoint(host);
    return endpoint.device != kNone && !device(endpoint.device) && passes(wiring, endpoint);
  }

  friend bool operator==(const DeadParts&, const DeadParts&) = default;

 private:
  // Part to how many reasons. Looked up, never walked over, so their order is of no consequence.
  using Counts = std::unordered_map<std::uint32_t, std::uint32_t>;
  Counts& counts(FabricPart part) {
    return part.kind == FabricPart::Kind::link ? links_ : devices_;
  }

  Counts links_;
  Counts devices_;
};

}  // namespace holdfast::sim
