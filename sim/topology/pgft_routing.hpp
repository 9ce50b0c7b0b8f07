// Routing of a generated tree: D-Mod-K, and with dead parts D-Mod-K again except where its way is
// dead. Then the next living way is computed from what is dead each time it is asked for: no
// tables, memory for the dead parts only.
#pragma once

#include "sim/topology/dmodk.hpp"
#include "sim/topology/routing.hpp"

namespace holdfast::sim {

class PgftRouting final : public Routing {
 public:
  // `paths` addresses a host, >= 1.
  PgftRouting(const Pgft& tree, std::uint32_t paths) : wiring_(tree), tables_(tree, paths) {}

  const PgftWiring& wiring() const override { return wiring_; }
  const DmodkForwarding& tables() const override { return tables_; }
  std::unique_ptr<const Forwarding> tables_around(const DeadParts& dead) const override;
  // An adapter, its link or a leaf switch: ways go up from one leaf switch and down to another.
  bool is_at_edge(FabricPart part) const override {
    return part.kind == FabricPart::Kind::link ? wiring_.level_above(part.index) == 1
                                               : wiring_.level_of(part.index) <= 1;
  }

 private:
  PgftWiring wiring_;
  DmodkForwarding tables_;
};

}  // namespace holdfast::sim
