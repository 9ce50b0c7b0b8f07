// One step of a process of a parallel program: it computes, sends, receives or waits. Steps are
// values, taken one after the other; whoever has them (a simulated process, a real one, a test)
// does each and goes on to the next.
//
// Two messages from one process to another with one tag arrive in the order in which they were
// sent, as MPI promises; messages of different tags may be received in any order.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

enum class StepKind : std::uint8_t {
  compute,       // for `duration`
  send,          // goes on when the buffer may be used again
  receive,       // goes on when the message is there
  post_send,     // goes on at once; done by the next wait_all
  post_receive,  // goes on at once; done by the next wait_all
  wait_all,      // goes on when all that was posted before is done
  enter,         // nothing to do: the messages of a collective operation follow
};

enum class Collective : std::uint8_t {
  none,
  barrier,
  broadcast,
  reduce,
  all_reduce,
  all_to_all,
  all_to_all_v,
};

struct Step {
  StepKind kind = StepKind::wait_all;
  // Of enter, which one begins; of messages, which one they belong to.
  Collective collective = Collective::none;
  std::uint32_t tag = 0;
  // Of messages. It may be the process itself: the benchmarks leave it to MPI to notice that.
  ProcessId peer = kNoProcess;
  // Of a message, both where it is sent and where it is received; 0 is a message too. Of enter,
  // what the calling process hands in: the whole buffer, as tools that count calls count it.
  std::uint64_t bytes = 0;
  Duration duration = {};

  friend bool operator==(const Step&, const Step&) = default;
};

// Tags from here on are those of collective operations, one for each kind.
constexpr std::uint32_t kCollectiveTags = 1u << 16;

}  // namespace holdfast::sim
