// Which process has which rank right now: memory that the launcher writes and all its processes
// read. It tells those of a node whom to watch, also after a restart.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "hw/descriptor.hpp"
#include "hw/watch/process_identity.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class ProcessTable {
 public:
  ProcessTable() = default;
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  // For the launcher: new, without processes.
  Status create(std::uint32_t processes);
  // For a process: the one that it has inherited at `descriptor`.
  Status map(int descriptor, std::uint32_t processes);
  int descriptor() const { return memory_.get(); }

  void set(ProcessId process, const ProcessIdentity& identity);
  // Absent until set.
  std::optional<ProcessIdentity> get(ProcessId process) const;

 private:
  Status map_shared(std::uint32_t processes, bool writable);

  Descriptor memory_;
  // Number in the lower 22 bits (Linux has no larger ones), start time above; 0: none.
  std::atomic<std::uint64_t>* entries_ = nullptr;
  std::uint32_t processes_ = 0;
};

}  // namespace holdfast::hw
