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

 private:
  PgftWiring wiring_;
  DmodkForwarding tables_;
};

}  // namespace holdfast::sim
