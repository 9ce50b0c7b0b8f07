// Union-find over the devices.
#include "sim/topology/islands.hpp"

#include <algorithm>
#include <numeric>

namespace holdfast::sim {

namespace {

class Unions {
 public:
  explicit Unions(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t device) {
    while (parent_[device] != device)
      device = parent_[device] = parent_[parent_[device]];  // halves the way
    return device;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::vector<std::uint32_t> islands_of(const Wiring& wiring, const DeadParts& dead,
                                      std::uint32_t nodes) {
  Unions unions(wiring.devices());
  for (std::uint32_t link = 0; link < wiring.links(); ++link) {
    const auto ends = wiring.ends(link);
    if (dead.link(link) || dead.device(ends[0].device) || dead.device(ends[1].device)) continue;
    unions.join(ends[0].device, ends[1].device);
  }
  // Islands in the order of their lowest nodes; a dead or missing adapter joins nobody.
  std::vector<std::uint32_t> island_of_root(wiring.devices(), kNone);
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> islands(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t device = wiring.endpoint({node}).device;
    std::uint32_t alone = kNone;
    std::uint32_t& island = device == kNone ? alone : island_of_root[unions.find(device)];
    if (island == kNone) {
      island = static_cast<std::uint32_t>(sizes.size());
      sizes.push_back(0);
    }
    ++sizes[islands[node] = island];
  }
  const auto largest =
      static_cast<std::uint32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  for (std::uint32_t& island : islands)
    island = island == largest ? 0 : island < largest ? island + 1 : island;
  return islands;
}

}  // namespace holdfast::sim
