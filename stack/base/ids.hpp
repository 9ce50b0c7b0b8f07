// Identities. Each is a number of its own type, so that a process is never taken for a node.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace holdfast {

namespace detail {
template <class Tag>
struct Id {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};
}  // namespace detail

// A process of the job: its rank, 0 … processes-1. It keeps its number when it is restarted.
using ProcessId = detail::Id<struct ProcessTag>;

// A host of the cluster, 0 … nodes-1.
using NodeId = detail::Id<struct NodeTag>;

// What is watched as one and speaks through one process, its agent: a node where there are node
// agents, else a single process. 0 … domains-1.
using DomainId = detail::Id<struct DomainTag>;

// A domain's place in the heartbeat ring, 0 … domains-1.
using Position = detail::Id<struct PositionTag>;

// Which life of a process is meant. A restarted or falsely failed process continues with a higher
// one; of two statements about a process the one with the higher incarnation holds. The upper 16
// bits count boots, the lower 16 the refutations within a boot, so a reboot is always higher.
using Incarnation = detail::Id<struct IncarnationTag>;

constexpr Incarnation first_incarnation_of_boot(std::uint32_t boot) {
  return {boot << 16};
}
constexpr std::uint32_t boot_of(Incarnation i) {
  return i.value >> 16;
}
// The highest stays as it is: no process gets there, but a forged record may say that one did.
constexpr Incarnation next(Incarnation i) {
  return {i.value == 0xffff'ffff ? i.value : i.value + 1};
}

constexpr ProcessId kNoProcess{0xffff'ffff};
constexpr DomainId kNoDomain{0xffff'ffff};

}  // namespace holdfast

template <class Tag>
struct std::hash<holdfast::detail::Id<Tag>> {
  std::size_t operator()(holdfast::detail::Id<Tag> id) const noexcept { return id.value; }
};
