// Where the processes of this user's jobs can be asked on this machine: unix sockets in a folder
// that only the user can enter, job-JOB.process-R.sock each. And TCP places for monitors, which
// must be asked for.
//
// The folder is /tmp/holdfast-UID, as for tmux and screen, or what HOLDFAST_RUNTIME_DIR names. Not
// $XDG_RUNTIME_DIR: that ends with the user's last login, and a job may last longer.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/descriptor.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

inline constexpr const char* kRuntimeVariable = "HOLDFAST_RUNTIME_DIR";
// Where each process serves its counters over TCP beside its unix socket: ADDRESS:PORT of process
// 0, the others at the ports after it.
inline constexpr const char* kMetricsVariable = "HOLDFAST_METRICS";

// Of unix sockets.
std::string status_folder();

struct StatusPlace {
  std::uint32_t job = 0;
  ProcessId process;
  std::string path;
};

// Whether the folder is the user's alone; a folder that is not there is, once it is made. An error
// says what is wrong with it and how to mend it.
Status check_status_folder(const std::string& folder);
Status make_status_folder(const std::string& folder);

// A listening socket at its place; what an earlier life has left there gives way to it. An error
// names the path and the reason.
Status listen_at(const StatusPlace& place, Descriptor& listening);
StatusPlace place_of(const std::string& folder, std::uint32_t job, ProcessId process);

// Those that a folder has, ascending by job and process; whether anybody listens is not known.
std::vector<StatusPlace> status_places(const std::string& folder);
// Connects without waiting. `gone`: nobody listens there any more, and the file has been removed.
Descriptor connect_to(const StatusPlace& place, bool& gone);
// Removes what processes that were killed have left.
void remove_dead_places(const std::string& folder);

// A loopback address of this machine and a port.
struct LoopbackPort {
  sockaddr_storage name{};
  socklen_t size = 0;
  std::uint16_t port = 0;
};
// "127.0.0.1:9100" or "[::1]:9100", of process 0; `place` becomes that of `process`. An error is a
// sentence about the text. Only loopback addresses: the counters have no password.
Status parse_metrics_place(std::string_view text, ProcessId process, LoopbackPort& place);
Status listen_at(const LoopbackPort& place, Descriptor& listening);

}  // namespace holdfast::hw
