// How fast the packet fabric is: packet-hops, that is packets through a port, a second; and the
// memory of a fabric of 65,536 hosts.
//
// `uniform`: every host of a tree sends packets of 2,048 bytes to random others at the given share
// of its link's rate, credits, cut-through; `shift`: to the host a fixed number away. Collapse off:
// every packet goes through every port as an event of its own. `heartbeats`: 66 bytes to the next
// host, every host once a 100 ms; with the collapse, and without.
//
// Rates are per second of processor time; medians over the rounds.
//
// usage: packet_bench [rounds (5)] [text in the name of a load]
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "sim/packet/packet_wire.hpp"
#include "sim/topology/dmodk.hpp"
#include "sim/topology/pgft.hpp"
#include "stack/base/random.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::sim;

constexpr LinkSpec kLink{100'000'000'000, nanoseconds(150)};
constexpr std::uint32_t kBytes = 2'048;
constexpr std::int64_t kTakes = 8 * (2'048 + 34);

struct Load {
  const char* name;
  PgftSpec tree;
  bool uniform;
  double share;     // of the link's rate
  bool heartbeats;  // instead: one small packet each
  bool collapse;
  std::uint32_t packets;  // of each host
};

struct Measured {
  double hops_per_second = 0;
  std::uint64_t hops = 0;
  std::uint64_t delivered = 0;
};

Pgft make_tree(const PgftSpec& spec) {
  Pgft tree;
  if (!Pgft::create(spec, tree).is_ok()) std::abort();
  return tree;
}

void drain(PacketWire& wire, SimTime until) {
  while (wire.precedes(until)) {
    wire.step();
    wire.clear_reports();
  }
}

// Of this process: others on the machine take none of it.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Measured measure(const Load& load) {
  const Pgft tree = make_tree(load.tree);
  const FabricGraph graph = build_pgft(tree, kLink);
  const DmodkForwarding forwarding(tree, 1);
  PacketWireOptions options;
  options.collapse = load.collapse;
  PacketWire wire(graph, forwarding, options);
  Random random(1, 2, 3);
  const std::uint32_t hosts = tree.host_count();
  const double gap =
      load.heartbeats ? 10e9 : static_cast<double>(kTakes) / load.share;  // 100 ms in 10 ps
  // Hosts send in turns, the next one a host's part of the gap later.
  const double step = gap / hosts;
  const double start = cpu_seconds();
  for (std::uint64_t i = 0; i < std::uint64_t{load.packets} * hosts; ++i) {
    const auto from = static_cast<std::uint32_t>(i % hosts);
    const std::uint32_t shift = load.uniform
                                    ? 1 + static_cast<std::uint32_t>(random.below(hosts - 1))
                                    : (load.heartbeats ? 1 : hosts / 3 + 1);
    const SimTime now{static_cast<std::int64_t>(static_cast<double>(i) * step)};
    drain(wire, now);
    wire.inject(
        now,
        {.from = {from}, .to = {(from + shift) % hosts}, .bytes = load.heartbeats ? 66 : kBytes});
  }
  drain(wire, SimTime::never());
  const double took = cpu_seconds() - start;
  if (!wire.at_rest()) std::abort();
  return {static_cast<double>(wire.hops()) / took, wire.hops(), wire.count(PacketFate::delivered)};
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* only = argc > 2 ? argv[2] : "";
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const PgftSpec small{{18, 18}, {1, 9}, {1, 2}};              // 324 hosts
  const PgftSpec middle{{32, 16, 16}, {1, 16, 8}, {1, 2, 4}};  // 8,192
  const PgftSpec large{{32, 32, 64}, {1, 32, 32}, {1, 1, 1}};  // 65,536
  const Load loads[] = {
      {"uniform 0.5, 324 hosts", small, true, 0.5, false, false, 1'000},
      {"uniform 0.9, 324 hosts", small, true, 0.9, false, false, 1'000},
      {"shift 1.0, 324 hosts", small, false, 1.0, false, false, 1'000},
      {"uniform 0.5, 8,192 hosts", middle, true, 0.5, false, false, 40},
      {"shift 1.0, 8,192 hosts", middle, false, 1.0, false, false, 40},
      {"uniform 0.5, 65,536 hosts", large, true, 0.5, false, false, 6},
      {"heartbeats, 65,536 hosts", large, false, 0, true, false, 6},
      {"heartbeats collapsed, 65,536 hosts", large, false, 0, true, true, 6},
  };
  std::printf("%-36s %12s %12s %16s %12s\n", "load", "packets", "hops", "million hops/s",
              "peak MB");
  for (const Load& load : loads) {
    if (std::strstr(load.name, only) == nullptr) continue;
    std::vector<double> rates;
    Measured last;
    for (int round = 0; round < rounds; ++round) {
      last = measure(load);
      rates.push_back(last.hops_per_second);
    }
    std::sort(rates.begin(), rates.end());
    std::printf("%-36s %12llu %12llu %16.2f %12.0f\n", load.name,
                static_cast<unsigned long long>(last.delivered),
                static_cast<unsigned long long>(last.hops), rates[rates.size() / 2] / 1e6,
                peak_megabytes());
    std::fflush(stdout);
  }
}
