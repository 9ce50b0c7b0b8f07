// A process of a live job that can be looked at: what it shows, and where. Made before the engine
// starts, and told of each of its turns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/status/counting_fabric.hpp"
#include "hw/status/status_board.hpp"
#include "hw/status/status_places.hpp"
#include "hw/status/status_server.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class ShownProcess {
 public:
  // The rails are those that carry the engine's frames, and must outlive this.
  ShownProcess(std::uint32_t job, ProcessId self, std::uint32_t processes,
               std::vector<CountingFabric*> rails);
  // Nobody finds it any more.
  ~ShownProcess();
  ShownProcess(const ShownProcess&) = delete;
  ShownProcess& operator=(const ShownProcess&) = delete;

  // Begins to serve. `bell`: see StatusBoard; `messages`: see StatusServer. An error: what was
  // asked for in the environment's HOLDFAST_METRICS cannot be had. A process that has no unix
  // socket is no error, but has a warning.
  Status open(int bell = -1, ShowMessageRails messages = {});
  // Why it cannot be looked at by holdfast status; empty: it can.
  const std::string& warning() const { return warning_; }

  TurnWatcher& watcher() { return board_; }

 private:
  StatusPlace place_;
  std::string warning_;
  StatusBoard board_;
  StatusServer server_;
};

}  // namespace holdfast::hw
