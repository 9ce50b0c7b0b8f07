// What `holdfast bench failover` measures: a stream of messages over two rails whose rates are
// limited, one of which fails and comes back, by ours and by Open MPI where it is installed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/failover/fault_kind.hpp"
#include "experiments/failover/gap_rows.hpp"
#include "experiments/failover/steady_rows.hpp"
#include "stack/base/status.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::failover {

struct Plan {
  std::array<std::uint32_t, 2> megabits{};  // a second, of each rail and direction
  std::uint32_t message_bytes = 0;
  std::uint32_t window_bytes = 0;  // of ours: under way on a rail, at most
  std::vector<const FaultKind*> kinds;
  std::uint32_t times = 1;  // of each kind, the rails in turn; and of streams without a fault
  std::uint64_t seed = 1;   // from which the moments are drawn
  std::vector<reliable::Timers> timers;                 // of ours, each of which is a contender
  std::string mpi_program;                              // mpi_failover; empty: without Open MPI
  std::function<void(const std::string&)> before_each;  // told what is measured next
  std::function<bool()> is_over;                        // the user wants it to end
};

// Bandwidth in one span of kBin; its middle is at_s after the fault.
struct BinRow {
  std::string contender, fault;
  std::uint32_t rail, repetition;
  double at_s, bytes_per_second;
};
inline constexpr Duration kBin = milliseconds(10);

struct Findings {
  std::vector<SteadyRow> steady;
  std::vector<GapRow> gaps;
  std::vector<BinRow> bins;
  std::vector<bench::LimitShow> shows;
  std::uint64_t left_well = 0;  // times that an end left a rail that was well, without a fault too
  std::uint64_t messages = 0;   // compared with their generators
  std::string without_mpi;      // why Open MPI is left out; empty: it is not
};

// Makes the hosts and removes them. An error says what is not possible here.
Status open_network(const Plan& plan, std::unique_ptr<hw::HostNetwork>& network);

// An error if ours cannot go on, or anybody gives a message that is not what was sent.
Status measure(const Plan& plan, hw::HostNetwork& network, Findings& findings);

}  // namespace holdfast::failover
