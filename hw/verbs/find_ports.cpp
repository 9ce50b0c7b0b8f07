// Ports, and which of a port's GIDs is its address: on Ethernet the one that routers forward
// (RoCE v2), of an IPv4 address if there is one; on InfiniBand the first.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <tuple>

#include "hw/verbs/resources.hpp"
#include "hw/verbs/verbs.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kGidsMax = 256;

bool is_mapped_ipv4(const ibv_gid& gid) {
  constexpr std::array<std::uint8_t, 12> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kPrefix.begin(), kPrefix.end(), std::begin(gid.raw));
}

bool is_link_local(const ibv_gid& gid) {
  return gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;
}

// The greater, the better.
int rank(const ibv_gid_entry& entry, bool ethernet) {
  if (!ethernet) return entry.gid_index == 0 ? 1 : 0;
  if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) return 0;
  if (is_mapped_ipv4(entry.gid)) return 3;
  return is_link_local(entry.gid) ? 1 : 2;
}

struct Seen {
  VerbsPort port;
  bool is_active = false;
};

std::optional<Seen> look_at(ibv_context& context, std::uint8_t number) {
  ibv_port_attr attributes{};
  if (::ibv_query_port(&context, number, &attributes) != 0 || attributes.active_mtu < IBV_MTU_256 ||
      attributes.active_mtu > IBV_MTU_4096) {
    return std::nullopt;
  }
  const bool ethernet = attributes.link_layer == IBV_LINK_LAYER_ETHERNET;
  std::array<ibv_gid_entry, kGidsMax> gids{};
  const ssize_t count = ::ibv_query_gid_table(&context, gids.data(), gids.size(), 0);
  const ibv_gid_entry* best = nullptr;
  for (std::size_t i = 0; count > 0 && i < static_cast<std::size_t>(count); ++i) {
    if (gids[i].port_num != number || rank(gids[i], ethernet) == 0) continue;
    if (best == nullptr || rank(gids[i], ethernet) > rank(*best, ethernet)) best = &gids[i];
  }
  if (best == nullptr || best->gid_index > 0xff) return std::nullopt;
  Seen seen;
  VerbsPort& port = seen.port;
  port.device = ::ibv_get_device_name(context.device);
  port.number = number;
  std::memcpy(port.gid.data(), best->gid.raw, port.gid.size());
  port.gid_index = static_cast<std::uint8_t>(best->gid_index);
  port.lid = attributes.lid;
  port.datagram_bytes_max = 128u << static_cast<unsigned>(attributes.active_mtu);
  seen.is_active = attributes.state == IBV_PORT_ACTIVE;
  return seen;
}

// In no order. Which devices cannot be opened, as part of a sentence.
std::string look_at_all(std::vector<Seen>& all) {
  std::string refused;
  for (ibv_device* device : DeviceList()) {
    const Owned<ibv_context> context(::ibv_open_device(device));
    if (context == nullptr) {
      refused = std::string("; ") + ::ibv_get_device_name(device) +
                " cannot be opened: " + std::strerror(errno) +
                " (it takes access to /dev/infiniband/uverbs*)";
      continue;
    }
    ibv_device_attr attributes{};
    if (::ibv_query_device(context.get(), &attributes) != 0) continue;
    for (unsigned number = 1; number <= attributes.phys_port_cnt; ++number) {
      if (auto seen = look_at(*context, static_cast<std::uint8_t>(number))) all.push_back(*seen);
    }
  }
  return refused;
}

}  // namespace

Status find_verbs_ports(std::vector<VerbsPort>& ports) {
  std::vector<Seen> all;
  const std::string refused = look_at_all(all);
  ports.clear();
  for (const Seen& seen : all) {
    if (seen.is_active) ports.push_back(seen.port);
  }
  std::sort(ports.begin(), ports.end(), [](const VerbsPort& a, const VerbsPort& b) {
    return std::tie(a.device, a.number) < std::tie(b.device, b.number);
  });
  if (!ports.empty()) return Status::ok();
  return Status::error("verbs: no adapter of this machine has an active port" + refused +
                       "; holdfast info shows what there is");
}

std::optional<VerbsPort> find_verbs_port(const std::array<std::byte, 16>& gid) {
  std::vector<Seen> all;
  static_cast<void>(look_at_all(all));
  std::erase_if(all, [&](const Seen& seen) { return seen.port.gid != gid; });
  if (all.empty()) return std::nullopt;
  return std::ranges::max(all, {}, &Seen::is_active).port;
}

}  // namespace holdfast::hw
