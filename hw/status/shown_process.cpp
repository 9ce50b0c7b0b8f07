// Places, then the server.
#include "hw/status/shown_process.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace holdfast::hw {

namespace {

// Process 0 clears away what jobs that were killed have left.
Status listen_in_folder(const StatusPlace& place, const std::string& folder,
                        Descriptor& listening) {
  if (Status status = make_status_folder(folder); !status.is_ok()) return status;
  if (place.process.value == 0) remove_dead_places(folder);
  return listen_at(place, listening);
}

}  // namespace

ShownProcess::ShownProcess(std::uint32_t job, ProcessId self, std::uint32_t processes,
                           std::vector<CountingFabric*> rails)
    : place_{job, self, {}}, board_(job, self, processes, std::move(rails)) {}

ShownProcess::~ShownProcess() {
  if (!place_.path.empty()) ::unlink(place_.path.c_str());
}

Status ShownProcess::open(int bell, ShowMessageRails messages) {
  if (Status status = board_.open(bell); !status.is_ok()) return status;
  std::vector<Descriptor> listening;
  const std::string folder = status_folder();
  const StatusPlace place = place_of(folder, place_.job, place_.process);
  Descriptor local;
  if (Status status = listen_in_folder(place, folder, local); status.is_ok()) {
    place_.path = place.path;
    listening.push_back(std::move(local));
  } else {
    warning_ = "holdfast status will not see this process: " + status.message();
  }
  const char* const metrics = std::getenv(kMetricsVariable);
  if (metrics != nullptr && *metrics != '\0') {
    LoopbackPort port;
    if (Status status = parse_metrics_place(metrics, place_.process, port); !status.is_ok()) {
      return Status::error(std::string(kMetricsVariable) + " is " + status.message());
    }
    Descriptor socket;
    if (Status status = listen_at(port, socket); !status.is_ok()) return status;
    listening.push_back(std::move(socket));
  }
  return listening.empty() ? Status::ok()
                           : server_.start(board_, std::move(messages), std::move(listening));
}

}  // namespace holdfast::hw
