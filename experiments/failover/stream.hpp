// Messages from one process to another, each on a host of its own, over some of the rails between
// the hosts: by an endpoint of ours, or by Open MPI. It runs until it is destroyed.
//
// The sender has kUnderWay messages under way, and the receiver as many receives. Each message is
// generated from its number (netpipe/generator.hpp), and compared with it when all before it have
// been delivered.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/failover/stream_log.hpp"
#include "hw/inject/host_network.hpp"
#include "stack/base/status.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::failover {

inline constexpr std::size_t kUnderWay = 8;

struct StreamPlan {
  std::vector<std::uint32_t> rails;  // of the network
  std::uint32_t message_bytes = 0;
  std::uint32_t window_bytes = 0;  // of ours: under way on a rail, at most
  std::uint64_t batch = 0;         // names what the messages hold, and their job
  bool watches_ports = false;
  reliable::Timers timers = reliable::Timers::measured;  // of ours
};

class Stream {
 public:
  virtual ~Stream() = default;
  // Why a process of it has ended or cannot go on; empty: none has.
  virtual std::string failure() = 0;
};

// The network and the log must outlive the stream. This process must have one thread.
Status start_holdfast(const StreamPlan& plan, const hw::HostNetwork& network, const SharedLog& log,
                      std::unique_ptr<Stream>& started);

// By mpirun and `program`, mpi_failover. Its processes find one another over the rail `control` of
// the network, and no message goes there. An error: mpirun is not installed.
Status start_mpi(const StreamPlan& plan, const hw::HostNetwork& network, std::uint32_t control,
                 const std::string& program, const SharedLog& log,
                 std::unique_ptr<Stream>& started);

}  // namespace holdfast::failover
