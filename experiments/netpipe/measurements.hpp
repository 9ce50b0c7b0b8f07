// The seconds of each contender in each round, and what they come to.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/bench/checksum_figures.hpp"
#include "experiments/bench/checksum_shows.hpp"
#include "experiments/netpipe/worker.hpp"

namespace holdfast::netpipe {

// What a checksum takes of the bandwidth of messages of one length, a share of what there is
// without: the median of the rounds, and its interval if it has one. Negative: it was faster.
struct OverheadRow {
  std::string measurement;  // as of bandwidth
  std::string contender;    // with the checksum
  std::size_t message_bytes;
  std::size_t samples;
  double median_share;
  std::optional<bench::Interval> share;
};

// Names of two contenders that differ in the checksum only.
struct Protection {
  std::string with, without;
};

// Bytes a second, in the order of the rounds.
class Measurements {
 public:
  void add(Pattern pattern, std::size_t bytes, const std::string& contender, double rate) {
    rates_[{pattern, bytes, contender}].push_back(rate);
  }
  // Null: there are none.
  const std::vector<double>* find(Pattern pattern, std::size_t bytes,
                                  const std::string& contender) const;
  // `network` begins the names of what was measured.
  std::vector<bench::BandwidthRow> rows(const std::string& network,
                                        const std::vector<std::string>& contenders) const;
  // In the order of the patterns, lengths and protections.
  std::vector<OverheadRow> overheads(const std::string& network,
                                     const std::vector<Protection>& protections) const;

 private:
  std::set<std::pair<Pattern, std::size_t>> steps() const;

  std::map<std::tuple<Pattern, std::size_t, std::string>, std::vector<double>> rates_;
};

std::string name_of(Pattern pattern);

// Names of those that are compared with each other.
struct Compared {
  std::string is_protected, unprotected, raw, mpi;
};

// What was measured.
struct Network {
  std::string target;  // udp, tcp, shm, verbs, or simulated (simulated.hpp)
  std::string name;    // for people
  // Of a wire that is slower than the processors, what it carries at once after a silence, over all
  // rails. 0: there is no such wire.
  std::uint64_t burst_bytes = 0;
};

// What is promised of this network, as ratios of speeds; those for which something was not
// measured are left out.
std::vector<bench::ShowRow> promised(const Network& network, const Compared& compared,
                                     const Measurements& measurements);

}  // namespace holdfast::netpipe
