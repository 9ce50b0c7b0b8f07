// Where the thread that drives an engine leaves what others want to see of it. It does so only
// when it was asked, once for each question, so a process at which nobody looks pays one test of a
// flag a turn; and it never waits, for the lock is held for the exchange of two values.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/run/turn_watcher.hpp"
#include "hw/status/belief_history.hpp"
#include "hw/status/counting_fabric.hpp"
#include "hw/status/process_status.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class StatusBoard final : public TurnWatcher {
 public:
  // The rails are those of the engine, or stand behind them; they must outlive the board.
  StatusBoard(std::uint32_t job, ProcessId self, std::uint32_t processes,
              std::vector<CountingFabric*> rails);
  // `bell`: an eventfd that wakes the thread of the engine; -1: the board makes one. An error says
  // what the system refused.
  Status open(int bell = -1);

  // For the engine's thread.
  void turned(Time now, const Engine& engine) override;
  int bell() const override { return bell_; }

  // For one other thread.
  void ask();
  // Readable once there is an answer that was not taken.
  int answered() const { return answered_.get(); }
  // Exchanges `status` for the answer; false if there is none.
  bool take(ProcessStatus& status);

 private:
  std::uint32_t job_;
  std::int32_t pid_;
  Time started_;
  std::vector<CountingFabric*> rails_;
  BeliefHistory history_;
  std::uint64_t turns_ = 0;
  ProcessStatus draft_;  // of the engine's thread

  int bell_ = -1;
  Descriptor own_bell_;
  Descriptor answered_;
  std::atomic<bool> wanted_{false};
  std::mutex mutex_;
  ProcessStatus answer_;
  bool there_ = false;
};

}  // namespace holdfast::hw
