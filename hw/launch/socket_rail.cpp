// UDP or TCP, with room for all processes of the job.
#include "hw/launch/socket_rail.hpp"

#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

template <class Opened, class Options>
Status open_as(const Options& options, std::unique_ptr<Fabric>& rail) {
  std::unique_ptr<Opened> opened;
  const Status status = Opened::open(options, opened);
  rail = std::move(opened);
  return status;
}

}  // namespace

Status open_socket_rail(JobFabric fabric, UdpEndpoint local, PortOwner owner,
                        std::uint32_t peers_max, std::unique_ptr<Fabric>& rail) {
  HOLDFAST_ASSERT(fabric != JobFabric::shm);
  if (fabric == JobFabric::udp) {
    UdpOptions options;
    options.local = local;
    options.share_port = owner == PortOwner::reserver;
    options.peers_max = peers_max;
    options.port = PortWatching::where_possible;
    return open_as<UdpFabric>(options, rail);
  }
  TcpOptions options;
  options.local = local;
  options.peers_max = options.incoming_max = peers_max;
  options.port = PortWatching::where_possible;
  return open_as<TcpFabric>(options, rail);
}

}  // namespace holdfast::hw
