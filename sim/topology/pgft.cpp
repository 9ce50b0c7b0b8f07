// Parallel-ports generalised fat trees; see the header.
#include "sim/topology/pgft.hpp"

#include <utility>

#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

Status check_lists(const PgftSpec& spec) {
  const std::size_t levels = spec.down.size();
  if (spec.up.size() != levels || spec.parallel.size() != levels || levels == 0 ||
      levels > Pgft::kLevelsMax) {
    return Status::error(
        "a fat tree needs the lists down, up and parallel with one entry for each level, 1 to " +
        std::to_string(Pgft::kLevelsMax) + " levels; down has " + std::to_string(levels) + ", up " +
        std::to_string(spec.up.size()) + ", parallel " + std::to_string(spec.parallel.size()));
  }
  for (const auto& [name, list] :
       {std::pair{"down", &spec.down}, {"up", &spec.up}, {"parallel", &spec.parallel}}) {
    for (std::size_t i = 0; i < levels; ++i) {
      if ((*list)[i] != 0) continue;
      return Status::error("a fat tree's " + std::string(name) + "[" + std::to_string(i) +
                           "] is 0; expected 1 or more");
    }
  }
  return Status::ok();
}

Status too_large(const std::string& what, std::uint64_t limit) {
  return Status::error("the fat tree has more than " + std::to_string(limit) + " " + what +
                       "; choose smaller values in down, up or parallel");
}

// The product, or limit + 1 if it is above `limit`; limit < 2^32.
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b, std::uint64_t limit) {
  return a * b > limit ? limit + 1 : a * b;
}

}  // namespace

Status Pgft::create(const PgftSpec& spec, Pgft& tree) {
  if (Status lists = check_lists(spec); !lists.is_ok()) return lists;
  const std::size_t levels = spec.down.size();
  Pgft made;
  made.spec_ = spec;
  made.hosts_below_ = {1};
  for (const std::uint32_t m : spec.down) {
    const std::uint64_t hosts = bounded_product(made.hosts_below_.back(), m, kHostsMax);
    if (hosts > kHostsMax) return too_large("hosts", kHostsMax);
    made.hosts_below_.push_back(static_cast<std::uint32_t>(hosts));
  }
  for (const std::uint32_t hosts : made.hosts_below_) {
    made.reciprocal_.push_back((std::uint64_t{1} << 40) / hosts + 1);
  }
  for (std::size_t level = 0; level <= levels; ++level) {
    std::uint64_t nodes = 1;
    for (std::size_t i = 1; i <= levels; ++i) {
      nodes = bounded_product(nodes, i <= level ? spec.up[i - 1] : spec.down[i - 1], kHostsMax);
    }
    if (nodes > kHostsMax)
      return too_large("switches on level " + std::to_string(level), kHostsMax);
    made.nodes_.push_back(static_cast<std::uint32_t>(nodes));
    std::uint64_t ports = 0;
    if (level > 0)
      ports += bounded_product(spec.down[level - 1], spec.parallel[level - 1], kPortsMax);
    if (level < levels) ports += bounded_product(spec.up[level], spec.parallel[level], kPortsMax);
    if (ports > kPortsMax) {
      return too_large("ports on each node of level " + std::to_string(level), kPortsMax);
    }
    if (level > 0 && made.links(static_cast<std::uint32_t>(level)) > kLinksMax) {
      return too_large("links below level " + std::to_string(level), kLinksMax);
    }
  }
  tree = std::move(made);
  return Status::ok();
}

std::uint32_t Pgft::switch_count() const {
  std::uint32_t count = 0;
  for (std::uint32_t level = 1; level <= levels(); ++level) count += nodes(level);
  return count;
}

std::uint64_t Pgft::links(std::uint32_t level) const {
  return std::uint64_t{nodes(level)} * down(level) * parallel(level);
}

std::uint64_t Pgft::pairs(std::uint32_t level) const {
  return std::uint64_t{host_count()} * (hosts_below_[level] - hosts_below_[level - 1]);
}

std::string Pgft::switch_name(std::uint32_t level, std::uint32_t index) const {
  if (level == 1) return "leaf-" + std::to_string(index);
  if (level == levels()) return "spine-" + std::to_string(index);
  return "level" + std::to_string(level) + "-" + std::to_string(index);
}

std::uint64_t Pgft::adapter_guid(NodeId node, std::uint32_t adapter) {
  return std::uint64_t{1} << 48 | std::uint64_t{node.value} << 20 | adapter;
}

std::uint64_t Pgft::switch_guid(std::uint32_t level, std::uint32_t index) {
  return std::uint64_t{2} << 48 | std::uint64_t{level} << 40 | index;
}

std::uint32_t Pgft::host_of_guid(std::string_view text) const {
  const auto part = parse_part(text);
  if (!part || part->port.value_or(1) > parallel(1)) return kNone;
  const NodeId host{static_cast<std::uint32_t>(part->guid >> 20 & 0xfff'ffff)};
  const auto adapter = static_cast<std::uint32_t>(part->guid & 0xf'ffff);
  const bool is_there =
      host.value < host_count() && adapter < up(1) && part->guid == adapter_guid(host, adapter);
  return is_there ? host.value : kNone;
}

Status Pgft::find_host(std::string_view text, NodeId& node) const {
  constexpr std::string_view kPrefix = "host-";
  const bool named = text.substr(0, kPrefix.size()) == kPrefix;
  const auto number = parse_decimal(named ? text.substr(kPrefix.size()) : text, host_count() - 1);
  std::uint32_t found = number ? static_cast<std::uint32_t>(*number) : kNone;
  // "host-07" is nobody's name, though "07" is an index.
  if (named && text != host_name(NodeId{found})) found = kNone;
  if (found == kNone) found = host_of_guid(text);
  if (found == kNone) {
    return Status::error("no host is called '" + excerpt(text) + "': expected an index 0 to " +
                         std::to_string(host_count() - 1) +
                         ", a name such as host-0, or the GUID of an adapter");
  }
  node = NodeId{found};
  return Status::ok();
}

namespace {

class PgftWriter {
 public:
  PgftWriter(const Pgft& tree, const LinkSpec& link) : tree_(tree), link_(link) {}

  FabricGraph write() {
    add_hosts();
    add_switches();
    for (std::uint32_t level = 1; level <= tree_.levels(); ++level) connect_level(level);
    return std::move(graph_);
  }

 private:
  void add_hosts() {
    for (std::uint32_t i = 0; i < tree_.host_count(); ++i) {
      const NodeId node = graph_.add_host(tree_.host_name(NodeId{i}));
      for (std::uint32_t adapter = 0; adapter < tree_.up(1); ++adapter) {
        Device device{DeviceKind::adapter, Pgft::adapter_guid(node, adapter), "", "", node, {}};
        device.name = tree_.host_name(node);
        if (tree_.up(1) > 1) device.name += "/" + std::to_string(adapter);
        graph_.add_device(std::move(device), tree_.parallel(1));
      }
    }
  }

  void add_switches() {
    first_switch_.assign(tree_.levels() + 1, 0);
    for (std::uint32_t level = 1; level <= tree_.levels(); ++level) {
      first_switch_[level] = static_cast<std::uint32_t>(graph_.devices().size());
      std::uint32_t ports = tree_.down(level) * tree_.parallel(level);
      if (level < tree_.levels()) ports += tree_.up(level + 1) * tree_.parallel(level + 1);
      for (std::uint32_t i = 0; i < tree_.nodes(level); ++i) {
        graph_.add_device(Device{DeviceKind::switch_chip,
                                 Pgft::switch_guid(level, i),
                                 tree_.switch_name(level, i),
                                 "",
                                 {},
                                 {}},
                          ports);
      }
    }
  }

  // The links between level-1 and level. An upper node's number is low + below*(own + w*high), the
  // lower one's low + below*(child + m*high): `below` counts the values of the digits under
  // `level`, `high` is the digits above it.
  void connect_level(std::uint32_t level) {
    std::uint32_t below = 1;
    for (std::uint32_t i = 1; i < level; ++i) below *= tree_.up(i);
    const std::uint32_t w = tree_.up(level);
    const std::uint32_t m = tree_.down(level);
    for (std::uint32_t upper = 0; upper < tree_.nodes(level); ++upper) {
      const std::uint32_t low = upper % below;
      const std::uint32_t own = upper / below % w;
      const std::uint32_t high = upper / below / w;
      for (std::uint32_t child = 0; child < m; ++child) {
        const std::uint32_t lower = low + below * (child + m * high);
        for (std::uint32_t k = 0; k < tree_.parallel(level); ++k) {
          const LinkEnd top{first_switch_[level] + upper, child * tree_.parallel(level) + k + 1};
          graph_.connect(up_port(level - 1, lower, own, k), top, link_);
        }
      }
    }
  }

  // Port of node `index` of `level` to its parent number `parent`, parallel link k.
  LinkEnd up_port(std::uint32_t level, std::uint32_t index, std::uint32_t parent,
                  std::uint32_t k) const {
    if (level == 0) return {index * tree_.up(1) + parent, k + 1};
    const std::uint32_t down_ports = tree_.down(level) * tree_.parallel(level);
    return {first_switch_[level] + index, down_ports + parent * tree_.parallel(level + 1) + k + 1};
  }

  const Pgft& tree_;
  const LinkSpec link_;
  FabricGraph graph_;
  std::vector<std::uint32_t> first_switch_;  // device of node 0, by level
};

}  // namespace

FabricGraph build_pgft(const Pgft& tree, const LinkSpec& link) {
  return PgftWriter(tree, link).write();
}

std::vector<std::uint32_t> pgft_levels(const Pgft& tree) {
  std::vector<std::uint32_t> levels(std::size_t{tree.host_count()} * tree.up(1), 0);
  for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
    levels.insert(levels.end(), tree.nodes(level), level);
  }
  return levels;
}

}  // namespace holdfast::sim
