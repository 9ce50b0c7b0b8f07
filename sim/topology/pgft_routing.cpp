// Ways around dead parts of a tree. In a PGFT a switch above a host has exactly one child towards
// it, whose parents towards it are above it too; so whoever is above and cannot go down has no way
// at all, and what remains to be chosen is the parallel link down and the way up.
#include "sim/topology/pgft_routing.hpp"

#include <utility>

namespace holdfast::sim {

namespace {

class Detours final : public Forwarding {
 public:
  Detours(const PgftRouting& routing, const DeadParts& dead)
      : wiring_(routing.wiring()), chosen_(routing.tables()), dead_(dead) {}

  std::uint32_t paths() const override { return chosen_.paths(); }

  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t path) const override {
    if (!dead_.reaches_switch(wiring_, to)) return 0;  // saves a search
    const std::uint16_t first = chosen_.port(device, to, path);
    if (first == 0) return 0;
    const PgftSwitch at = chosen_.switch_of(device);
    if (chosen_.above(at, to)) return port_down(device, at.level, to, path);
    return port_up(device, at.level, to, path);
  }

 private:
  bool passes(std::uint32_t device, std::uint16_t port) const {
    return dead_.passes(wiring_, {device, port});
  }

  // `device` of `level` is above the host. The port of its first living link towards it, beginning
  // with the chosen one; 0 if there is none, or the way below it is dead.
  std::uint16_t port_down(std::uint32_t device, std::uint32_t level, NodeId to,
                          std::uint32_t path) const {
    const std::uint32_t links = level == 1 ? 1 : chosen_.tree().parallel(level);
    const std::uint32_t chosen = chosen_.parallel_down(level, to, path);
    const std::uint32_t child = chosen_.child(level, to);
    for (std::uint32_t i = 0; i < links; ++i) {
      const std::uint16_t port = chosen_.port_down(level, child, (chosen + i) % links);
      if (!passes(device, port)) continue;
      if (level == 1) return port;
      const std::uint32_t below = wiring_.far_end({device, port}).device;
      return port_down(below, level - 1, to, path) != 0 ? port : std::uint16_t{0};
    }
    return 0;
  }

  std::uint16_t port_up(std::uint32_t device, std::uint32_t level, NodeId to,
                        std::uint32_t path) const {
    for (std::uint32_t i = 0; i < chosen_.ways_up(level); ++i) {
      const std::uint16_t port = chosen_.port_up(level, chosen_.way_up(level, to, path, i));
      if (!passes(device, port)) continue;
      const std::uint32_t parent = wiring_.far_end({device, port}).device;
      const bool above = chosen_.above(chosen_.switch_of(parent), to);
      const std::uint16_t next =
          above ? port_down(parent, level + 1, to, path) : port_up(parent, level + 1, to, path);
      if (next != 0) return port;
    }
    return 0;
  }

  const PgftWiring& wiring_;
  const DmodkForwarding& chosen_;
  const DeadParts dead_;
};

}  // namespace

std::unique_ptr<const Forwarding> PgftRouting::tables_around(const DeadParts& dead) const {
  return std::make_unique<Detours>(*this, dead);
}

}  // namespace holdfast::sim
