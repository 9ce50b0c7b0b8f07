// What the processes of a scenario do: they send and receive as planned, as far as there is room,
// and from the calm on they receive whatever waits, so that everything can complete.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/messages/world.hpp"
#include "tests/messages/ledger.hpp"
#include "tests/messages/lives.hpp"
#include "tests/messages/scenario.hpp"

namespace holdfast::messages {

class Workload final : public sim::Program {
 public:
  Workload(const Scenario& scenario, Ledger& ledger);

  // Before its first event.
  void set_lives(const Lives& lives) { lives_ = &lives; }
  // Who asks for what, and what ends, line by line; null: nothing is written.
  void set_trace(std::ostream* trace) { trace_ = trace; }

  void began(ProcessId process, Incarnation life, Time now) override;
  void ended(ProcessId process, Incarnation life, Time now) override;
  Wish act(ProcessId process, reliable::Endpoint& endpoint, Time now) override;
  void completed(ProcessId process, const reliable::Completed& completed, Time now) override;

  // Everything that was to be sent has been, and nothing is outstanding.
  bool finished() const;
  // Of whom and what is not; empty if nothing.
  std::string unfinished() const;

 private:
  struct Process {
    std::vector<std::uint64_t> sends;     // numbers in order of their times
    std::vector<std::uint64_t> receives;  // likewise
    std::size_t next_send = 0;
    std::size_t next_receive = 0;
    std::vector<std::pair<Time, std::uint64_t>> cancels;  // receives of the ledger
    bool drains = false;
  };

  // What somebody's turn to act is about.
  struct Turn {
    ProcessId id;
    Process& process;
    reliable::Endpoint& endpoint;
    Time now;
    Wish wish;

    void ask_at(Time at) { wish.next = std::min(wish.next, std::max(at, now + nanoseconds(1))); }
  };

  void send_due(Turn& turn);
  reliable::Request send(Turn& turn, const PlannedSend& plan, std::uint64_t number);
  void receive_due(Turn& turn);
  void cancel_due(Turn& turn);
  void drain(Turn& turn);
  // The number of the receive in the ledger, if it was accepted.
  std::optional<std::uint64_t> receive(Turn& turn, const reliable::Pattern& pattern,
                                       std::uint64_t memory);
  void write(const std::string& what) const;
  bool knows(ProcessId process, ProcessId other) const {
    return other == kNoProcess || lives_->believes(process, other).has_value();
  }

  const Scenario& scenario_;
  Ledger& ledger_;
  const Lives* lives_ = nullptr;
  std::ostream* trace_ = nullptr;
  std::vector<Process> processes_;
};

}  // namespace holdfast::messages
