// Routing of a fabric that is written out: its tables, and with dead parts the same tables except
// for hosts whose tree of routes has lost a link. Such a tree is made again by the rules of up/down
// routing, keeping each entry that is still allowed by them; the others go to the allowed port with
// the fewest destinations. A tree is either as it was or all new by one rule, so no mixture leads a
// packet in a circle.
#pragma once

#include "sim/topology/routes.hpp"
#include "sim/topology/routing.hpp"

namespace holdfast::sim {

class WrittenRouting final : public Routing {
 public:
  // Both must outlive the routing; `routes` are of `graph`.
  WrittenRouting(const FabricGraph& graph, const Routes& routes)
      : routes_(routes), wiring_(graph) {}

  const GraphWiring& wiring() const override { return wiring_; }
  const ForwardingTables& tables() const override { return routes_.tables(); }
  std::unique_ptr<const Forwarding> tables_around(const DeadParts& dead) const override;

 private:
  const Routes& routes_;
  GraphWiring wiring_;
};

}  // namespace holdfast::sim
