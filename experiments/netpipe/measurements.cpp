// Promises: a ratio of two contenders at one length, round by round, and of these the median.
#include "experiments/netpipe/measurements.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::size_t kSmall = 8, kMiddle = 64 << 10, kLarge = 1 << 20;

struct Promise {
  std::string what;
  Pattern pattern;
  std::size_t bytes;
  const std::string& ours;
  const std::string& peer;
  double least;
};

// What a checksum costs from 64 KiB on. The two of a ping-pong find the burst of the wire filled up
// again by the time that the other one has sent: of two bursts or less, processors have time that a
// wire would not leave them.
void promise_checksum(const Compared& by, std::uint64_t burst_bytes, double least,
                      std::vector<Promise>& all) {
  for (std::size_t bytes = kMiddle; bytes <= 4 * kLarge; bytes *= 4) {
    for (const Pattern pattern : {Pattern::ping_pong, Pattern::stream}) {
      if (pattern == Pattern::ping_pong && bytes <= 2 * burst_bytes) continue;
      all.push_back({"checksum / none", pattern, bytes, by.is_protected, by.unprotected, least});
    }
  }
}

std::vector<Promise> promises_of(const Network& network, const Compared& by) {
  constexpr auto kTrip = Pattern::ping_pong;
  constexpr auto kStream = Pattern::stream;
  std::vector<Promise> all;
  if (network.burst_bytes > 0) {
    promise_checksum(by, network.burst_bytes, 0.97, all);
  } else if (network.target == "udp") {
    all.push_back({"checksum / raw", kStream, kLarge, by.is_protected, by.raw, 0.4});
    all.push_back({"checksum / raw", kTrip, kSmall, by.is_protected, by.raw, 1 / 1.35});
    promise_checksum(by, 0, 0.92, all);
  } else if (network.target == "shm") {
    all.push_back({"checksum / ob1", kTrip, kSmall, by.is_protected, by.mpi, 1 / 1.5});
    all.push_back({"checksum / ob1", kTrip, kLarge, by.is_protected, by.mpi, 0.75});
    all.push_back({"checksum / ob1", kStream, kLarge, by.is_protected, by.mpi, 0.75});
    promise_checksum(by, 0, 0.88, all);
  } else if (network.target == "sim-csum") {
    promise_checksum(by, 0, 0.97, all);
  } else if (network.target == "tcp") {
    for (const std::size_t bytes : {kSmall, kMiddle, kLarge})
      all.push_back({"no checksum / ob1", kTrip, bytes, by.unprotected, by.mpi, 1});
    all.push_back({"no checksum / ob1", kStream, kLarge, by.unprotected, by.mpi, 1});
    all.push_back({"checksum / ob1", kTrip, kLarge, by.is_protected, by.mpi, 0.85});
    all.push_back({"checksum / ob1", kStream, kLarge, by.is_protected, by.mpi, 0.85});
  }
  return all;
}

}  // namespace

std::string name_of(Pattern pattern) {
  return pattern == Pattern::ping_pong ? "ping_pong" : "stream";
}

const std::vector<double>* Measurements::find(Pattern pattern, std::size_t bytes,
                                              const std::string& contender) const {
  const auto found = rates_.find({pattern, bytes, contender});
  return found == rates_.end() ? nullptr : &found->second;
}

std::vector<bench::BandwidthRow> Measurements::rows(
    const std::string& network, const std::vector<std::string>& contenders) const {
  std::vector<bench::BandwidthRow> rows;
  for (const auto& [pattern, bytes] : steps()) {
    for (const std::string& contender : contenders) {
      const std::vector<double>* const rates = find(pattern, bytes, contender);
      if (rates == nullptr) continue;
      rows.push_back({network + " " + name_of(pattern), contender, bytes, rates->size(),
                      bench::median(*rates), bench::median_interval(*rates)});
    }
  }
  return rows;
}

std::set<std::pair<Pattern, std::size_t>> Measurements::steps() const {
  std::set<std::pair<Pattern, std::size_t>> steps;
  for (const auto& [key, rates] : rates_) steps.insert({std::get<0>(key), std::get<1>(key)});
  return steps;
}

std::vector<OverheadRow> Measurements::overheads(const std::string& network,
                                                 const std::vector<Protection>& protections) const {
  std::vector<OverheadRow> rows;
  for (const auto& [pattern, bytes] : steps()) {
    for (const Protection& protection : protections) {
      const auto* const with = find(pattern, bytes, protection.with);
      const auto* const without = find(pattern, bytes, protection.without);
      if (with == nullptr || without == nullptr) continue;
      std::vector<double> shares;
      for (std::size_t round = 0; round < with->size(); ++round)
        shares.push_back(1 - (*with)[round] / (*without)[round]);
      rows.push_back({network + " " + name_of(pattern), protection.with, bytes, shares.size(),
                      bench::median(shares), bench::median_interval(shares)});
    }
  }
  return rows;
}

std::vector<bench::ShowRow> promised(const Network& network, const Compared& compared,
                                     const Measurements& measurements) {
  std::vector<bench::ShowRow> shows;
  for (const Promise& promise : promises_of(network, compared)) {
    const auto rates_of = [&](const std::string& contender) {
      return measurements.find(promise.pattern, promise.bytes, contender);
    };
    const auto* const ours = rates_of(promise.ours);
    const auto* const peer = rates_of(promise.peer);
    const auto* const raw = rates_of(compared.raw);
    if (ours == nullptr || peer == nullptr || raw == nullptr) continue;
    std::vector<double> ratios;
    for (std::size_t round = 0; round < ours->size(); ++round)
      ratios.push_back((*ours)[round] / (*peer)[round]);
    shows.push_back({network.name + " " + name_of(promise.pattern) + ": " + promise.what,
                     promise.bytes, bench::median(std::move(ratios)), promise.least,
                     bench::median(*ours), bench::median(*peer), compared.raw,
                     bench::median(*raw)});
  }
  return shows;
}

}  // namespace holdfast::netpipe
