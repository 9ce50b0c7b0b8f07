// What the rest of the real target sees of verbs: the adapters' ports, and a fabric at one of them.
// No header of libibverbs is needed here, and a build without that library has these functions too:
// they say so (absent.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

// A port of an adapter.
struct VerbsPort {
  std::string device;             // "rxe0"
  std::uint8_t number = 1;        // ports of a device count from 1
  std::array<std::byte, 16> gid;  // its address, at `gid_index` in the port's table
  std::uint8_t gid_index = 0;
  std::uint16_t lid = 0;                 // 0 on Ethernet
  std::uint32_t datagram_bytes_max = 0;  // 256 … 4096
};

struct VerbsOptions {
  VerbsPort port;
  // Sent with each datagram; those with another are dropped by the adapter. It keeps jobs apart and
  // is no secret. Below 2^31: the others are for privileged users.
  std::uint32_t queue_key = 0;
  std::uint32_t send_depth = 256;     // >= 1
  std::uint32_t receive_depth = 256;  // >= 1; as many frames wait for slots
  std::uint32_t peers_max = 4096;     // handles for datagrams attached at one time
  std::uint32_t connections_max = 0;  // at one time; 0: there is no such service
  // The longest from attach or reset to `attached`; then the peer is down.
  Duration attached_within = seconds(30);
  // The adapter repeats what was not acknowledged within this time, rounded up to its clock's next
  // 4.096 us * 2^n, and gives up after seven times that.
  Duration acknowledged_within = milliseconds(60);
};

// All active ports, in the order of their devices' names and their numbers. An error says why there
// are none.
Status find_verbs_ports(std::vector<VerbsPort>& ports);
// The port that has this GID, an active one if there is one; absent if none has. Its LID is what
// the port has now, which is not the one of before if it is down.
std::optional<VerbsPort> find_verbs_port(const std::array<std::byte, 16>& gid);

// The port need not be active: then it begins with `port_down`. An error names the port, what was
// refused and why.
Status open_verbs(const VerbsOptions& options, std::unique_ptr<Fabric>& opened);

// What a fabric leaves to the next one so that it has the same address: the queue pair, and the
// ways that it knows. Null: none.
class DatagramQueue;
using KeptQueue = std::shared_ptr<DatagramQueue>;
// Likewise, at `kept`, which was left by a fabric of the same options that is gone; what has come
// meanwhile is lost. It stays at its port, active or not, and options.port is not looked at. If it
// is none, the queue pair is made and will be kept there.
Status open_verbs_at(const VerbsOptions& options, KeptQueue& kept, std::unique_ptr<Fabric>& opened);

}  // namespace holdfast::hw
