// How a process of a job comes up: assignment, rails, engine, "ready", start time, loop. A replay
// builds the same engine on replayed rails.
#include "hw/launch/node.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>

#include "hw/launch/assignment.hpp"
#include "hw/launch/process_table.hpp"
#include "hw/record/recorder.hpp"
#include "hw/record/replay_fabric.hpp"
#include "hw/run/process_loop.hpp"
#include "hw/run/recorded_addresses.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "hw/watch/watch_fabric.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kUdpRail = 0;
constexpr std::size_t kRails = 2;

// Every process can be watched by every other, and each of them may be sent to.
constexpr std::uint32_t kSpareHandles = 8;

class LaunchedAddresses final : public AddressBook {
 public:
  LaunchedAddresses(const Assignment& assignment, const ProcessTable& table)
      : assignment_(assignment), table_(table) {}

  Address address(std::size_t rail, ProcessId process) const override {
    if (rail == kUdpRail)
      return to_address(UdpEndpoint{kLoopback, assignment_.ports[process.value]});
    // A process that was never started has ended, as far as a watcher is concerned; no process has
    // this number, which is above Linux's limit.
    constexpr ProcessIdentity kNobody{0x7fff'ffff, 0};
    return to_address(table_.get(process).value_or(kNobody));
  }

 private:
  const Assignment& assignment_;
  const ProcessTable& table_;
};

NodeStart start_of(const Assignment& assignment, std::span<Fabric* const> rails,
                   const AddressBook& addresses) {
  return {assignment.configuration, assignment.self, assignment.processes(),
          assignment.boot,          assignment.seed, assignment.job,
          assignment.key,           rails,           addresses};
}

// What the engine of a process stands on, recorded if so assigned. Members in the order in which
// they refer to each other.
struct Ground {
  ProcessTable table;
  std::unique_ptr<UdpFabric> udp;
  std::unique_ptr<WatchFabric> watch;
  std::unique_ptr<AddressBook> addresses;
  std::unique_ptr<RecordingWriter> recording;
  std::unique_ptr<AddressBook> recorded_addresses;
  std::array<std::unique_ptr<Recorder>, kRails> recorders;
  std::array<Fabric*, kRails> rails{};

  // The assignment must outlive this.
  Status open(const Assignment& assignment);
  Status record(const Assignment& assignment);
  const AddressBook& book() const { return recorded_addresses ? *recorded_addresses : *addresses; }
};

Status Ground::open(const Assignment& assignment) {
  if (Status status = table.map(kTableDescriptor, assignment.processes()); !status.is_ok()) {
    return status;
  }
  UdpOptions options;
  options.local = {kLoopback, assignment.ports[assignment.self.value]};
  options.share_port = true;  // the launcher keeps it reserved
  options.peers_max = assignment.processes() + kSpareHandles;
  if (Status status = UdpFabric::open(options, udp); !status.is_ok()) return status;
  watch = std::make_unique<WatchFabric>(assignment.processes() + kSpareHandles);
  addresses = std::make_unique<LaunchedAddresses>(assignment, table);
  rails = {udp.get(), watch.get()};
  return assignment.recording.empty() ? Status::ok() : record(assignment);
}

Status Ground::record(const Assignment& assignment) {
  RecordingOpening opening;
  opening.configuration = assignment.configuration;
  opening.seed = assignment.seed;
  opening.self = assignment.self;
  opening.incarnation = first_incarnation_of_boot(assignment.boot);
  ByteWriter roster;
  encode_roster(assignment, roster);
  opening.roster.assign(roster.bytes().begin(), roster.bytes().end());
  if (Status status = RecordingWriter::create(assignment.recording, opening, recording);
      !status.is_ok()) {
    return status;
  }
  recorded_addresses = std::make_unique<RecordedAddresses>(*addresses, *recording);
  for (std::size_t i = 0; i < kRails; ++i) {
    recorders[i] = std::make_unique<Recorder>(*rails[i], *recording, static_cast<std::uint8_t>(i));
    rails[i] = recorders[i].get();
  }
  return Status::ok();
}

Status run_assigned(const NodeFactory& factory) {
  Assignment assignment;
  if (Status status = receive_assignment(kControlDescriptor, assignment); !status.is_ok()) {
    return status;
  }
  Ground ground;
  if (Status status = ground.open(assignment); !status.is_ok()) return status;
  std::unique_ptr<NodeProgram> program;
  const NodeStart start = start_of(assignment, ground.rails, ground.book());
  if (Status status = factory(start, program); !status.is_ok()) return status;
  EventLog log(kLogDescriptor);
  if (Status status = send_bytes(kControlDescriptor, {&kReady, 1}); !status.is_ok()) return status;
  std::array<std::byte, 8> start_at;
  if (Status status = receive_bytes(kControlDescriptor, start_at); !status.is_ok()) return status;
  LoopOptions options;
  options.start_at = {static_cast<std::int64_t>(load_le<std::uint64_t>(start_at.data()))};
  options.lifeline = kControlDescriptor;
  options.recording = ground.recording.get();
  LoopEnd end = LoopEnd::signal;
  Status status = run_process(program->engine(), ground.rails, log, options, end);
  log.write_notes(program->notes());
  if (status.is_ok() && ground.recording) status = ground.recording->status();
  return status;
}

bool was_launched() {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(kControlDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
         type == SOCK_STREAM && ::fcntl(kLogDescriptor, F_GETFD) >= 0 &&
         ::fcntl(kTableDescriptor, F_GETFD) >= 0;
}

}  // namespace

int node_main(const NodeFactory& factory) {
  if (!was_launched()) {
    std::fputs("node: this command is started by `launch`, which gives it its place in a job\n",
               stderr);
    return 2;
  }
  const Status status = run_assigned(factory);
  if (status.is_ok()) return 0;
  std::fprintf(stderr, "node: %s\n", status.message().c_str());
  return 2;
}

Status replay_node(const std::string& recording, const NodeFactory& factory, NodeReplay& outcome) {
  std::unique_ptr<Replay> replay;
  if (Status status = Replay::open(recording, replay); !status.is_ok()) return status;
  Assignment assignment;
  ByteReader roster(replay->opening().roster);
  decode_roster(roster, assignment);
  assignment.configuration = replay->opening().configuration;
  if (!roster.good() || replay->rails().size() != kRails) {
    return Status::error("the recording " + recording + " is not of a launched process");
  }
  std::array<std::unique_ptr<ReplayFabric>, kRails> fabrics;
  std::array<Fabric*, kRails> rails{};
  for (std::size_t i = 0; i < kRails; ++i) {
    fabrics[i] = std::make_unique<ReplayFabric>(*replay, static_cast<std::uint8_t>(i));
    rails[i] = fabrics[i].get();
  }
  const ReplayedAddresses addresses(*replay);
  std::unique_ptr<NodeProgram> program;
  if (Status status = factory(start_of(assignment, rails, addresses), program); !status.is_ok()) {
    return status;
  }
  EventLog nowhere(-1);
  replay_process(program->engine(), *replay, nowhere);
  outcome.turns = replay->turns();
  outcome.truncated = replay->truncated();
  outcome.difference = replay->difference();
  outcome.self = assignment.self;
  outcome.boot = assignment.boot;
  return Status::ok();
}

}  // namespace holdfast::hw
