// Fabrics known by name; see the header.
#include "sim/topology/presets.hpp"

#include <array>
#include <string>
#include <utility>

namespace holdfast::sim {

namespace {

struct NamedTree {
  std::string_view name;
  PgftSpec spec;
};

const std::vector<NamedTree>& named_trees() {
  static const std::vector<NamedTree> trees = {
      {"isr9144", {{12, 12}, {1, 12}, {1, 1}}},
      {"324", {{18, 18}, {1, 9}, {1, 2}}},
      {"1944", {{18, 18, 6}, {1, 18, 3}, {1, 1, 6}}},
      {"8192", {{32, 16, 16}, {1, 16, 8}, {1, 2, 4}}},
      {"65536", {{32, 32, 64}, {1, 32, 32}, {1, 1, 1}}},
      {"262144", {{64, 64, 64}, {1, 64, 64}, {1, 1, 1}}},
  };
  return trees;
}

constexpr std::uint32_t kChips = 12;  // leaf chips of a 144-port switch, and its spine chips
constexpr std::uint32_t kHostsOfLeaf = 8;
constexpr std::uint32_t kCores = 4;  // spine chassis

class Composer {
 public:
  explicit Composer(const LinkSpec& link) : link_(link) {}

  FabricGraph compose() {
    for (std::uint32_t h = 0; h < kChips * kChips * kHostsOfLeaf; ++h) add_host(h);
    std::vector<std::uint32_t> chassis;  // its first leaf chip
    for (std::uint32_t c = 0; c < kChips; ++c) chassis.push_back(add_chassis("chassis-", c));
    for (std::uint32_t c = 0; c < kCores; ++c) chassis.push_back(add_chassis("core-", c));
    for (std::uint32_t c = 0; c < kChips; ++c) {
      for (std::uint32_t leaf = 0; leaf < kChips; ++leaf) {
        const std::uint32_t chip = chassis[c] + leaf;
        for (std::uint32_t h = 0; h < kHostsOfLeaf; ++h) {
          // Adapters come first, so host and adapter have one number.
          const std::uint32_t host = (c * kChips + leaf) * kHostsOfLeaf + h;
          graph_.connect({host, 1}, {chip, 1 + h}, link_);
        }
        for (std::uint32_t core = 0; core < kCores; ++core) {
          graph_.connect({chip, 1 + kHostsOfLeaf + core}, {chassis[kChips + core] + c, 1 + leaf},
                         link_);
        }
      }
    }
    return std::move(graph_);
  }

 private:
  void add_host(std::uint32_t h) {
    const std::string name = "host-" + std::to_string(h);
    const NodeId node = graph_.add_host(name);
    graph_.add_device(Device{DeviceKind::adapter, Pgft::adapter_guid(node, 0), name, "", node, {}},
                      1);
  }

  // Leaf chips, then spine chips, and the links between them: ports 13 to 24 of a leaf chip. The
  // GUIDs count on over all chassis, with the level of a chip as in a tree.
  std::uint32_t add_chassis(const char* kind, std::uint32_t number) {
    const auto first = static_cast<std::uint32_t>(graph_.devices().size());
    const std::string chassis = kind + std::to_string(number);
    for (const std::uint32_t level : {1u, 2u}) {
      for (std::uint32_t i = 0; i < kChips; ++i) {
        const std::string name = chassis + (level == 1 ? "/leaf-" : "/spine-") + std::to_string(i);
        const std::uint64_t guid = Pgft::switch_guid(level, chassis_ * kChips + i);
        graph_.add_device(Device{DeviceKind::switch_chip, guid, name, "", {}, {}}, 2 * kChips);
      }
    }
    for (std::uint32_t leaf = 0; leaf < kChips; ++leaf) {
      for (std::uint32_t spine = 0; spine < kChips; ++spine) {
        graph_.connect({first + leaf, 1 + kChips + spine}, {first + kChips + spine, 1 + leaf},
                       link_);
      }
    }
    ++chassis_;
    return first;
  }

  const LinkSpec link_;
  FabricGraph graph_;
  std::uint32_t chassis_ = 0;
};

}  // namespace

const std::vector<std::string_view>& preset_names() {
  static const std::vector<std::string_view> names = {
      "isr9144", kIbnftOversubscribed, "324", "1944", "8192", "65536", "262144"};
  return names;
}

std::optional<PgftSpec> preset_tree(std::string_view name) {
  for (const NamedTree& tree : named_trees()) {
    if (tree.name == name) return tree.spec;
  }
  return std::nullopt;
}

FabricGraph ibnft_oversubscribed(const LinkSpec& link) {
  return Composer(link).compose();
}

Modules ibnft_oversubscribed_modules() {
  Modules modules;
  std::uint32_t chip = kIbnftOversubscribedHosts;  // adapters come first
  for (std::uint32_t c = 0; c < kChips + kCores; ++c) {
    Module chassis{
        c < kChips ? "chassis-" + std::to_string(c) : "core-" + std::to_string(c - kChips), {}};
    for (std::uint32_t i = 0; i < 2 * kChips; ++i, ++chip) {
      const bool leaf = i < kChips;
      if (leaf) modules.boards.push_back({chassis.name + "/line-" + std::to_string(i), {}});
      if (!leaf && i % kSpineChipsOfBoard == 0) {
        const std::uint32_t board = (i - kChips) / kSpineChipsOfBoard;
        modules.boards.push_back({chassis.name + "/spine-" + std::to_string(board), {}});
      }
      modules.boards.back().chips.push_back(chip);
      chassis.chips.push_back(chip);
    }
    modules.chassis.push_back(std::move(chassis));
  }
  return modules;
}

PgftSpec k_ary_n_tree(std::uint32_t k, std::uint32_t n) {
  PgftSpec spec;
  spec.down.assign(n, k);
  spec.up.assign(n, k);
  spec.parallel.assign(n, 1);
  spec.up.front() = 1;
  return spec;
}

}  // namespace holdfast::sim
