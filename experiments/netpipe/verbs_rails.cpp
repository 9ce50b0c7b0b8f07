// A queue pair for each rail, with room for a window of data.
#include "experiments/netpipe/verbs_rails.hpp"

#include <algorithm>

#include "stack/reliable/message_frame.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::uint32_t kQueueKey = 7;  // a process hears those of its own kind only
constexpr std::uint32_t kPeers = 4;
constexpr std::uint32_t kFramesWithoutData = 16;

void need(const Status& status) {
  if (!status.is_ok()) throw EndFailed(status.message());
}

}  // namespace

Status verbs_fragment_bytes(std::uint32_t& bytes) {
  std::vector<hw::VerbsPort> ports;
  if (Status status = hw::find_verbs_ports(ports); !status.is_ok()) return status;
  const auto narrowest = std::ranges::min_element(ports, {}, &hw::VerbsPort::datagram_bytes_max);
  bytes = narrowest->datagram_bytes_max - static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
  return Status::ok();
}

Status verbs_port_of(std::size_t end, std::size_t rail, hw::VerbsPort& port) {
  std::vector<hw::VerbsPort> ports;
  if (Status status = hw::find_verbs_ports(ports); !status.is_ok()) return status;
  port = ports[(2 * rail + end) % ports.size()];
  return Status::ok();
}

std::vector<std::string> verbs_port_names(std::uint32_t rails) {
  std::vector<std::string> names;
  for (std::uint32_t r = 0; r < rails; ++r) {
    for (std::size_t end = 0; end < 2; ++end) {
      hw::VerbsPort port;
      if (verbs_port_of(end, r, port).is_ok())
        names.push_back(port.device + ":" + std::to_string(port.number));
    }
  }
  return names;
}

void open_verbs_rails(const RailPlan& plan, bool is_first, AddressBoard& board, OpenRails& opened) {
  const std::size_t end = is_first ? 0 : 1;
  opened.rails.resize(plan.rails);
  opened.addresses.resize(plan.rails);
  for (std::uint32_t r = 0; r < plan.rails; ++r) {
    hw::VerbsOptions options{.port = {}, .queue_key = kQueueKey};
    need(verbs_port_of(end, r, options.port));
    options.port.datagram_bytes_max =
        plan.fragment_bytes + static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
    options.peers_max = kPeers;
    // A window of full frames, so that none of a long message is lost for want of room.
    options.receive_depth =
        options_of(plan, is_first).limits.window_bytes / options.port.datagram_bytes_max +
        kFramesWithoutData;
    need(hw::open_verbs(options, opened.rails[r][end]));
    board.tell(r, end, opened.rails[r][end]->local_address());
  }
  for (std::uint32_t r = 0; r < plan.rails; ++r) {
    for (std::size_t i = 0; i < 2; ++i) opened.addresses[r][i] = board.hear(r, i);
  }
}

}  // namespace holdfast::netpipe
