// Active ports, and which of a port's GIDs is its address: on Ethernet the one that routers forward
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

std::optional<VerbsPort> look_at(ibv_context& context, std::uint8_t number) {
  ibv_port_attr attributes{};
  if (::ibv_query_port(&context, number, &attributes) != 0 || attributes.state != IBV_PORT_ACTIVE ||
      attributes.active_mtu < IBV_MTU_256 || attributes.active_mtu > IBV_MTU_4096) {
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
  VerbsPort port;
  port.device = ::ibv_get_device_name(context.device);
  port.number = number;
  std::memcpy(port.gid.data(), best->gid.raw, port.gid.size());
  port.gid_index = static_cast<std::uint8_t>(best->gid_index);
  port.lid = attributes.lid;
  port.datagram_bytes_max = 128u << static_cast<unsigned>(attributes.active_mtu);
  return port;
}

}  // namespace

Status find_verbs_ports(std::vector<VerbsPort>& ports) {
  ports.clear();
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
      if (auto port = look_at(*context, static_cast<std::uint8_t>(number))) ports.push_back(*port);
    }
  }
  std::sort(ports.begin(), ports.end(), [](const VerbsPort& a, const VerbsPort& b) {
    return std::tie(a.device, a.number) < std::tie(b.device, b.number);
  });
  if (!ports.empty()) return Status::ok();
  return Status::error("verbs: no adapter of this machine has an active port" + refused +
                       "; holdfast info shows what there is");
}

}  // namespace holdfast::hw
