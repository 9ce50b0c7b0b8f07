// One experiment, fully resolved: what a JSON file, its defaults and `--set` say, in types with
// units. Sweeps are expanded before this: an Experiment is one sweep point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/faults/renewal.hpp"
#include "sim/packet/packet_wire_options.hpp"
#include "sim/traffic/traffic.hpp"
#include "stack/base/time.hpp"
#include "stack/impair/frame_faults.hpp"

namespace holdfast::runner {

// Where the processes run.
enum class Target : std::uint8_t {
  simulated,  // "native": the simulated fabric of this project
  udp,        // real processes of this machine, over loopback
  tcp,        // likewise
  shm,        // likewise, over shared memory
  verbs,      // likewise, over its RDMA adapters
};

enum class Fidelity : std::uint8_t { message, packet };

// A link as the generator makes it; an imported topology carries rates of its own.
struct LinkConfig {
  std::int64_t bits_per_second = 100'000'000'000;  // > 0
  Duration latency = nanoseconds(150);             // cable and both ports, >= 0
};

enum class RoutingKind : std::uint8_t { balanced, dmodk, tables, updn };

struct RoutingConfig {
  std::optional<RoutingKind> kind;  // absent: dmodk for a tree, else balanced
  std::uint32_t lmc = 0;            // 2^lmc addresses a host; not with tables
  std::string file;                 // of tables
};

struct SubnetManagerConfig {
  bool sweep_on_trap = true;              // false: changes wait for a light sweep
  Duration sweep_interval = seconds(10);  // between light sweeps, > 0
};

struct FabricConfig {
  Target target = Target::simulated;
  bool separate_hosts = false;  // of udp and tcp: each host is a network namespace with a rail
  std::uint32_t rails = 1;      // likewise, of each process
  bool polls = false;           // of real processes: they look for frames instead of sleeping
  Fidelity fidelity = Fidelity::message;
  LinkConfig link;
  Duration switch_latency = nanoseconds(90);  // header in to header out of a switch chip, >= 0
  Duration local_latency = nanoseconds(500);  // between two processes of one node, >= 0
  FrameFaults faults;                         // of every frame of the job; loss < 1
  sim::PacketWireOptions packet;              // without switch_latency
  std::uint8_t service_level = 1;             // at packet fidelity, of the job's frames
  RoutingConfig routing;
  SubnetManagerConfig subnet_manager;
};

enum class TopologyKind : std::uint8_t { fat_tree, composed, ibnetdiscover };

// fat_tree: the PGFT(h; down; up; parallel) of Zahavi (2010); level 1 is next to the hosts. Also
// what a k-ary n-tree and those presets are that are trees. composed: the preset
// ibnft-oversubscribed. ibnetdiscover: the output of that program in `file`.
struct TopologyConfig {
  TopologyKind kind = TopologyKind::fat_tree;
  std::vector<std::uint32_t> down;
  std::vector<std::uint32_t> up;
  std::vector<std::uint32_t> parallel;
  std::string file;
  std::string names;  // a node-name map: lines of GUID "name"; empty: none
};

enum class Placement : std::uint8_t {
  by_slot,  // process r on node r / per_node
  by_node,  // process r on node r mod nodes
};

struct ProcessesConfig {
  std::uint32_t per_node = 1;          // >= 1
  std::optional<std::uint32_t> nodes;  // how many hosts carry processes; absent: all
  Placement placement = Placement::by_slot;
  bool agents = true;  // one process of each node speaks for it; false: every process for itself
};

struct DetectorConfig {
  std::string kind = "ring";            // a name in the registry of stack/detect
  Duration period = milliseconds(100);  // between heartbeats, > 0
  Duration timeout = seconds(1);        // silence that makes a verdict, >= 2 periods
  std::string order = "rank";           // rank | shuffled | spread
  Duration hold{0};                     // how long a verdict waits before it is told, >= 0
};

struct PropagationConfig {
  std::string kind = "bmg";  // a name in the registry of stack/propagate
  bool backstop = true;      // digests, acknowledgements and repetition below it
  std::optional<Duration> retransmission_timeout;  // absent: the detector's period
};

enum class FaultKind : std::uint8_t { crash, repair, pause, slow, impair };
// experiments/runner/fault_parts.hpp says what each takes along.
enum class FaultTarget : std::uint8_t {
  process,
  node,
  adapter,
  link,
  switch_chip,
  leaf,
  spine,
  board,
  chassis
};

inline bool is_of_job(FaultTarget what) {
  return what == FaultTarget::process || what == FaultTarget::node;
}

// What `which` says where the parts are drawn for each replicate.
inline constexpr const char* kDrawnParts = "random";

// `options` without its target, which is an index, a GUID or a name.
struct TrafficConfig {
  sim::TrafficOptions options;
  std::string target;
};

// One line of a script, or one model. `which` is a process rank, or for nodes an index, a GUID, or
// a name; or kDrawnParts, not with repair.
struct FailureConfig {
  // Draws the times and the repairs; then at and which mean nothing, and all parts of the kind
  // `what` fail, `count` neighbours at once. Absent: a script.
  std::optional<sim::RenewalModel> model;
  Time at;
  FaultKind action = FaultKind::crash;
  FaultTarget what = FaultTarget::process;
  std::string which;
  std::uint32_t count = 1;                 // `which` and those that follow it; >= 1
  std::optional<Duration> repaired_after;  // of a crash: repair follows that much later
  std::optional<Duration> every;  // of a crash that is repaired: again and again; in a model as
                                  // long as its repair takes
  Duration lasts;        // of a pause, a slow time or an impairment; 0: a model's repair says it
  Duration delay;        // of a slow time, > 0
  double share = 0.0;    // of an impairment of links: of the frames; in [0, 1]
  double per_bit = 0.0;  // of an impairment of links: probability of a wrong bit
  FrameFaults frames;    // of an impairment of processes or nodes: of the frames between them
  std::string to;        // likewise: the other side, named as by `which`; empty: everybody else
  bool one_way = false;  // of an impairment: only away from the part
  std::optional<std::uint8_t> rail;  // of a real host, or by which frames go; absent: all
};

enum class TraceFormat : std::uint8_t { csv, lanl };

// Failures from a file. csv: columns at_s, action (crash | repair), what (process | node), which.
struct TraceConfig {
  std::string file;
  TraceFormat format = TraceFormat::csv;
  std::optional<std::uint32_t> system;  // lanl: column System
  std::optional<std::uint32_t> year;    // lanl: failures that start in this year
  std::optional<std::uint32_t> month;   // lanl: 1 … 12, with year
};

// Raw events for events.csv.
struct EventsConfig {
  std::uint32_t replicates = 0;  // of each sweep point, the first ones
  std::uint64_t rows = 100'000;  // at most, of each of these; > 0

  friend bool operator==(const EventsConfig&, const EventsConfig&) = default;
};

struct SealConfig {
  std::string kind = "none";  // none | siphash128; the default on real fabrics is siphash128
};

// When a sweep point has been run often enough: the exact 95 % interval of the median of each of
// these columns, from end to end, is at most so wide as a share of the median.
struct PrecisionConfig {
  std::uint32_t until_ppm = 20'000;  // millionths, > 0
  std::vector<std::string> columns;  // of results.csv; at least one
  std::uint32_t least = 20;          // replicates in any case, >= 6
};

struct Experiment {
  std::string name;
  std::uint64_t seed = 1;
  std::uint32_t replicates = 1;              // of each sweep point; with a precision, at most
  std::optional<PrecisionConfig> precision;  // absent: all of them
  Duration duration;  // simulated or real time after the start; 0: until the trace ends
  bool skip_quiet_time = true;
  FabricConfig fabric;
  TopologyConfig topology;
  ProcessesConfig processes;
  DetectorConfig detector;
  PropagationConfig propagation;
  SealConfig seal;
  EventsConfig events;
  std::vector<TrafficConfig> traffic;  // only at packet fidelity
  std::vector<FailureConfig> failures;
  std::optional<TraceConfig> trace;
};

}  // namespace holdfast::runner
