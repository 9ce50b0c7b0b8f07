// Sizes of rails: a rail holds all that may be under way, so that none is lost for want of room.
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "experiments/netpipe/holdfast_end.hpp"
#include "hw/shm/shm_fabric.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "stack/base/assert.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::uint32_t kPeers = 4;
constexpr std::uint32_t kFramesWithoutData = 16;  // under way beside a window of data
constexpr std::uint32_t kLaneBytes = 1 << 20;     // as in a job (hw/launch/message_lanes.hpp)

template <class RealFabric, class Options>
Status open_as(const Options& options, std::unique_ptr<Fabric>& opened) {
  std::unique_ptr<RealFabric> fabric;
  Status status = RealFabric::open(options, fabric);
  opened = std::move(fabric);
  return status;
}

Status open_shm(const std::string& name, std::uint32_t frame_bytes, std::uint32_t window,
                std::unique_ptr<Fabric>& opened) {
  hw::ShmOptions options;
  options.name = name;
  options.peers_max = kPeers;
  options.geometry.lanes = kPeers;
  options.geometry.frame_bytes = frame_bytes;
  options.geometry.frames =
      std::bit_ceil(std::max(window / frame_bytes + kFramesWithoutData, kLaneBytes / frame_bytes));
  return open_as<hw::ShmFabric>(options, opened);
}

Status open_one(const RailPlan& plan, const hw::UdpEndpoint& local, const std::string& name,
                std::unique_ptr<Fabric>& opened) {
  const std::uint32_t window = options_of(plan, true).limits.window_bytes;
  const auto frame_bytes =
      plan.fragment_bytes + static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
  if (plan.target == "udp") {
    hw::UdpOptions options;
    options.local = local;
    options.frame_bytes_max = frame_bytes;
    options.peers_max = kPeers;
    return open_as<hw::UdpFabric>(options, opened);
  }
  if (plan.target == "tcp") {
    hw::TcpOptions options;
    options.local = local;
    options.frame_bytes_max = frame_bytes;
    options.peers_max = options.incoming_max = kPeers;
    return open_as<hw::TcpFabric>(options, opened);
  }
  HOLDFAST_ASSERT(plan.target == "shm");
  return open_shm(name, frame_bytes, window, opened);
}

}  // namespace

Status open_rails(const RailPlan& plan, const Places& places, OpenRails& opened) {
  static unsigned opened_so_far = 0;
  for (std::uint32_t r = 0; r < plan.rails; ++r) {
    auto& rail = opened.rails.emplace_back();
    auto& addresses = opened.addresses.emplace_back();
    for (std::size_t end = 0; end < rail.size(); ++end) {
      const std::string name =
          "holdfast-bench-" + std::to_string(::getpid()) + "-" + std::to_string(opened_so_far++);
      const Status status =
          places.at(end, [&] { return open_one(plan, places.address(end, r), name, rail[end]); });
      if (!status.is_ok()) return status;
      addresses[end] = rail[end]->local_address();
    }
  }
  return Status::ok();
}

}  // namespace holdfast::netpipe
