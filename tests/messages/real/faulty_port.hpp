// A process's port of a real rail to which happens what befalls the ports of a simulated world, and
// ways from it that are cut. What is on its way in the kernel, or in shared memory, still arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sim/pipe/pipe_network.hpp"
#include "stack/outer_fabric.hpp"

namespace holdfast::messages {

class FaultyPort final : public OuterFabric {
 public:
  // `inner` must outlive it; `process_at` says whose an address is.
  FaultyPort(Fabric& inner, std::function<ProcessId(const Address&)> process_at);

  // As sim::PortState says, but a port that is stuck takes nothing.
  void set_state(sim::PortState state);
  // The way to a process, until it has been mended as often.
  void cut(ProcessId to) { ++cuts_[to.value]; }
  void mend(ProcessId to);

  Peer attach(const Address& address, Service service) override;
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;

 private:
  bool is_cut(Peer peer) const;
  void end_at_once(const Operation& operation);

  std::function<ProcessId(const Address&)> process_at_;
  sim::PortState state_ = sim::PortState::well;
  std::map<std::uint32_t, int> cuts_;             // by process: how often, at least once
  std::map<std::uint32_t, ProcessId> processes_;  // by peer
  std::vector<ReceiveSlot> slots_;                // by cookie
  std::vector<Event> events_;                     // of its own
  bool owes_writable_ = false;
};

}  // namespace holdfast::messages
