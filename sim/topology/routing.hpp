// How a fabric is routed: its wiring, the tables of the healthy fabric, and tables that lead around
// what is dead. New tables depend on what is dead only, not on the order in which it died; so when
// all is mended the first tables come back.
//
// Routes never turn down and then up again, dead parts or not: that is what keeps them free of
// deadlock (see switch_order.hpp). Pairs whose only ways would have to are without a route.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/topology/dead_parts.hpp"
#include "sim/topology/forwarding.hpp"
#include "sim/topology/wiring.hpp"

namespace holdfast::sim {

class Routing {
 public:
  virtual ~Routing() = default;

  virtual const Wiring& wiring() const = 0;
  // Of the fabric with no dead part.
  virtual const Forwarding& tables() const = 0;
  // Tables that use none of `dead`, for those who still can be reached. They refer to the routing,
  // which must outlive them.
  virtual std::unique_ptr<const Forwarding> tables_around(const DeadParts& dead) const = 0;
  // Whether the part is known to lie on no way but those of its own hosts, whatever else is dead.
  virtual bool is_at_edge(FabricPart) const { return false; }
};

}  // namespace holdfast::sim
