// Which process has which rank right now: memory that the launcher writes and all its processes
// read. It tells those of a node whom to watch, and all, where addresses are not known before a
// process runs, what is missing in them; also after a restart.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "hw/descriptor.hpp"
#include "hw/watch/process_identity.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/several_rails.hpp"

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

  // Of the adapter that the process uses on that rail, one of at most kRailsMax. It is set before
  // the process may speak, so whoever has heard a life of it finds that life's number here, or a
  // later one's.
  static constexpr std::size_t kRailsMax = SeveralRails::kRailsMax;
  void set_queue_pair(ProcessId process, std::size_t rail, std::uint32_t number);
  // 0 until set.
  std::uint32_t queue_pair(ProcessId process, std::size_t rail) const;
  // Likewise, of its messages.
  void set_message_queue_pair(ProcessId process, std::size_t rail, std::uint32_t number);
  std::uint32_t message_queue_pair(ProcessId process, std::size_t rail) const;

 private:
  using Numbers = std::array<std::atomic<std::uint32_t>, kRailsMax>;
  struct Entry {
    // Number in the lower 22 bits (Linux has no larger ones), start time above; 0: none.
    std::atomic<std::uint64_t> identity;
    Numbers queue_pairs;
    Numbers message_queue_pairs;
  };

  Status map_shared(std::uint32_t processes, bool writable);

  Descriptor memory_;
  Entry* entries_ = nullptr;
  std::uint32_t processes_ = 0;
};

}  // namespace holdfast::hw
