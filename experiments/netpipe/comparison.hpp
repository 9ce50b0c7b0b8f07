// What `holdfast bench netpipe` measures: ping-pongs and streams of messages over their length, as
// NetPIPE does (Snell, Mikler, Gustafson 1996), by several contenders on one kind of network: ours
// protected and not, the raw limit of that network, and Open MPI's ob1 where it is installed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/bench/checksum_figures.hpp"
#include "experiments/bench/checksum_shows.hpp"
#include "experiments/netpipe/measurements.hpp"
#include "experiments/netpipe/places.hpp"
#include "stack/base/status.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::netpipe {

struct Plan {
  std::string target;                         // udp, tcp, shm, verbs
  std::uint32_t rails = 1;                    // of ours; the others have one
  std::vector<std::uint32_t> fragment_bytes;  // of payload; ours are measured with each
  // Registered, each once; ours are measured with each and without one as well. What is promised of
  // a checksum is promised of the first.
  std::vector<std::string> checksums;
  std::string seal;                      // registered
  std::vector<reliable::Timers> timers;  // each once; ours are measured with each
  bool sleeps = false;                   // else all poll, but Open MPI always does
  Places places;                         // of the two processes; with shm both are on this host
  std::vector<std::size_t> sizes;        // of messages, ascending
  std::uint32_t rounds = 1;
  std::string mpi_program;                              // mpi_netpipe; empty: without Open MPI
  std::function<void(const std::string&)> before_each;  // told what is measured next
  std::function<bool()> is_over;                        // the user wants it to end
};

// What is used where the user says nothing. Of verbs, what the narrowest port carries; 0: there is
// none.
std::uint32_t default_fragment_bytes(const std::string& target);
// Most that a frame of this network can carry.
std::uint32_t most_fragment_bytes(const std::string& target);

// Of a wire by which messages of up to that length are measured before anybody has waited for too
// long.
std::uint32_t least_megabits(std::size_t longest);

struct Findings {
  // measurement: "udp ping_pong" or "udp stream"; the bandwidth of a ping-pong is the length over
  // half a round trip.
  std::vector<bench::BandwidthRow> rows;
  std::vector<OverheadRow> overheads;
  std::vector<bench::ShowRow> shows;
  std::uint64_t messages = 0;  // compared with their generators
  // Steps of ours that polled, and those in which one of the two processes was off its processor
  // for more than a tenth of the time: others run there, and what was measured is too low.
  std::uint64_t polled_steps = 0, disturbed_steps = 0;
  std::vector<double> additions_per_cycle;  // after each step, of anybody (Pair::Measured)
  std::map<std::string, std::vector<std::uint32_t>> fragment_bytes;  // of payload, by target
  std::uint64_t fragments_resent = 0;  // by ours in their steps; some perhaps in vain
  std::string without_mpi;             // why Open MPI is left out; empty: it is not
};

// An error if something cannot be opened, hangs, or gives a message that is not what was sent.
Status measure(const Plan& plan, Findings& findings);

}  // namespace holdfast::netpipe
