// Two processes that exchange messages when they are told to, seen from the one that tells them.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/netpipe/worker.hpp"
#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"

namespace holdfast::netpipe {

// Of a processor, for a process that polls: with less something else has run there.
constexpr double kQuietShare = 0.9;

class Pair {
 public:
  // Makes the end of one of the two processes, in that process; may throw.
  using MakeEnd = std::function<std::unique_ptr<End>(bool is_first)>;
  // Two copies of this process, which must have one thread.
  static Status fork(const MakeEnd& make, std::unique_ptr<Pair>& made);
  // A program that starts two processes, each of which connects to the unix socket whose path is
  // the program's last argument, and says its rank there (32 bits) before it serves.
  static Status start(std::vector<std::string> words, std::unique_ptr<Pair>& made);
  // Ends them.
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  struct Measured {
    double seconds = 0;
    std::uint32_t wrong = 0;
    std::array<Traffic, 2> traffic;  // of the first end and of the other one
    double round_trip_s = 0;         // of the first end, afterwards; 0: not known
    // Of its time, how much the process that had less of it was on a processor, 0 to 1.
    double processor_share = 0;
    double additions_per_cycle = 0;  // afterwards, of the processor that does fewer
  };
  // One step; both sleep when it is over. An error says what one of them said.
  Status measure(Order order, Measured& measured);

 private:
  Pair() = default;
  Status ask_both(const Order& order, std::array<Report, 2>& reports);

  std::array<hw::Descriptor, 2> sockets_;  // the first is who begins
  std::vector<pid_t> processes_;
};

}  // namespace holdfast::netpipe
