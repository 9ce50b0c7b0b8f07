// Registered memory: what the adapter may read and write by itself, and what peers may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/verbs/resources.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class Regions {
 public:
  // `domain` must outlive this.
  explicit Regions(ibv_pd& domain) : domain_(domain) {}

  // kNoRegion if the kernel refuses, which it does where too little memory may be locked.
  Region add(std::span<std::byte> memory) {
    Owned<ibv_mr> mine(registered(memory, IBV_ACCESS_LOCAL_WRITE));
    if (mine == nullptr) return kNoRegion;
    regions_.push_back({memory, std::move(mine), nullptr});
    return Region{static_cast<std::uint32_t>(regions_.size() - 1)};
  }

  // Peers get a key of their own, so that memory that was not exposed stays out of their reach.
  RemoteMemory expose(Region region) {
    if (region.value >= regions_.size()) return {};
    Registered& chosen = regions_[region.value];
    if (chosen.peers == nullptr) {
      chosen.peers.reset(registered(chosen.memory, IBV_ACCESS_LOCAL_WRITE |
                                                       IBV_ACCESS_REMOTE_WRITE |
                                                       IBV_ACCESS_REMOTE_READ));
    }
    if (chosen.peers == nullptr) return {};
    return {reinterpret_cast<std::uintptr_t>(chosen.memory.data()), chosen.peers->rkey};
  }

  bool holds(Region region, const std::byte* data, std::size_t size) const {
    if (region.value >= regions_.size()) return false;
    const std::span<std::byte> memory = regions_[region.value].memory;
    const std::less_equal<const std::byte*> is_before;
    return is_before(memory.data(), data) && is_before(data, memory.data() + memory.size()) &&
           size <= static_cast<std::size_t>(memory.data() + memory.size() - data);
  }

  // Of one that add returned.
  std::uint32_t local_key(Region region) const { return regions_[region.value].mine->lkey; }

 private:
  struct Registered {
    std::span<std::byte> memory;
    Owned<ibv_mr> mine;
    Owned<ibv_mr> peers;  // null until it is exposed
  };

  // (ibv_reg_mr is a macro, and picks a function by whether its flags are constant.)
  ibv_mr* registered(std::span<std::byte> memory, int access) {
    return (::ibv_reg_mr)(&domain_, memory.data(), memory.size(), access);
  }

  ibv_pd& domain_;
  std::vector<Registered> regions_;
};

}  // namespace holdfast::hw
