// Over loopback, at ports that the kernel chooses.
#include "tests/messages/real/real_rail.hpp"

#include <stdexcept>

#include "hw/shm/shm_fabric.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::messages {

namespace {

constexpr std::uint32_t kLivesMax = 64;  // of one process, with room to spare

template <class RealFabric, class Options>
std::unique_ptr<Fabric> open_as(const Options& options) {
  std::unique_ptr<RealFabric> fabric;
  const Status status = RealFabric::open(options, fabric);
  if (!status.is_ok()) throw std::runtime_error(status.message());
  return fabric;
}

}  // namespace

const char* name_of(RealKind kind) {
  static constexpr const char* kNames[kRealKinds] = {"udp", "tcp", "shm"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::unique_ptr<Fabric> open_real_rail(RealKind kind, std::uint32_t frame_bytes_max,
                                       std::uint32_t processes, const std::string& name) {
  const std::uint32_t handles = processes * kLivesMax;
  if (kind == RealKind::udp) {
    hw::UdpOptions options;
    options.frame_bytes_max = frame_bytes_max;
    options.peers_max = handles;
    return open_as<hw::UdpFabric>(options);
  }
  if (kind == RealKind::tcp) {
    hw::TcpOptions options;
    options.frame_bytes_max = frame_bytes_max;
    options.peers_max = options.incoming_max = handles;
    return open_as<hw::TcpFabric>(options);
  }
  hw::ShmOptions options;
  options.name = name;
  options.peers_max = handles;
  options.geometry.lanes = processes * 2;  // a lane may be of a life that has just ended
  options.geometry.frame_bytes = frame_bytes_max;
  return open_as<hw::ShmFabric>(options);
}

}  // namespace holdfast::messages
