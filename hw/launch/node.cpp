// How a process of a job comes up: assignment, rails, engine, "ready", start time, loop. A replay
// builds the same engine on replayed rails.
#include "hw/launch/node.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "hw/launch/assignment.hpp"
#include "hw/launch/ground.hpp"
#include "hw/record/replay_fabric.hpp"
#include "hw/run/process_loop.hpp"
#include "hw/run/recorded_addresses.hpp"
#include "hw/status/shown_process.hpp"

namespace holdfast::hw {

namespace {

// What cannot be written is told to the launcher, which tells the person once for all processes.
Status tell_unwritable(const Status& failure, bool& told) {
  const std::string why = failure.message().substr(0, kSentenceBytesMax);
  const Word word{kUnwritable, static_cast<std::uint32_t>(why.size())};
  told = send_word(kControlDescriptor, word, why).is_ok();
  return failure;
}

// It lies beside the recording, or is in the launcher's memory.
std::string name_of_log(const Assignment& assignment) {
  if (assignment.recording.empty()) return "the event log";
  return std::filesystem::path(assignment.recording).replace_extension(".csv").string();
}

// `told`: of an error the launcher knows already.
Status run_assigned(const NodeFactory& factory, bool& told) {
  Assignment assignment;
  if (HandOver given = receive_assignment(kControlDescriptor, assignment); !given.is_ok()) {
    return given.status();
  }
  Ground ground;
  if (Status status = ground.open(assignment, kTableDescriptor); !status.is_ok()) return status;
  if (Status status = ground.record(assignment); !status.is_ok())
    return tell_unwritable(status, told);
  std::unique_ptr<NodeProgram> program;
  const NodeStart start = start_of(assignment, ground.rails, ground.book());
  if (Status status = factory(start, program); !status.is_ok()) return status;
  ShownProcess shown(assignment.job, assignment.self, assignment.processes(),
                     ground.counted_rails());
  if (Status status = shown.open(); !status.is_ok()) return status;
  if (assignment.self.value == 0 && !shown.warning().empty()) {
    std::fprintf(stderr, "node: %s\n", shown.warning().c_str());
  }
  EventLog log(kLogDescriptor, name_of_log(assignment));
  if (Status status = ground.say_ready(kControlDescriptor); !status.is_ok()) return status;
  std::array<std::byte, 8> start_at;
  if (HandOver given = receive_bytes(kControlDescriptor, start_at); !given.is_ok()) {
    return given.status();
  }
  LoopOptions options;
  options.start_at = {static_cast<std::int64_t>(load_le<std::uint64_t>(start_at.data()))};
  ground.start(options.start_at);
  options.lifeline = kControlDescriptor;
  options.watcher = &shown.watcher();
  options.recording = ground.recording.get();
  options.polls = program->polls();
  LoopEnd end = LoopEnd::signal;
  if (Status status = run_process(program->engine(), ground.rails, log, options, end);
      !status.is_ok())
    return status;
  log.write_notes(program->notes() + ground.notes());
  const Status recorded = ground.recording ? ground.recording->status() : Status::ok();
  const Status& written = recorded.is_ok() ? log.status() : recorded;
  return written.is_ok() ? written : tell_unwritable(written, told);
}

bool was_launched() {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(kControlDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
         type == SOCK_STREAM && ::fcntl(kLogDescriptor, F_GETFD) >= 0 &&
         ::fcntl(kTableDescriptor, F_GETFD) >= 0;
}

// The last boot that an incarnation can count.
constexpr std::uint32_t kBootsMax = 0xffff;

// As Ground makes them: those for frames, then one that watches.
bool are_rails_of_node(std::span<const RecordedRail> rails, const Assignment& assignment) {
  const bool several = assignment.addresses.size() > 1;  // which have to send inline
  return rails.size() == assignment.addresses.size() + 1 && rails.back().caps.watch &&
         !rails.back().caps.datagram &&
         std::all_of(rails.begin(), rails.end() - 1, [several](const RecordedRail& rail) {
           return rail.caps.datagram && rail.caps.frame_bytes_max >= kFrameBytesMax &&
                  (!several || rail.caps.inline_bytes_max >= kFrameBytesMax);
         });
}

}  // namespace

int node_main(const NodeFactory& factory) {
  if (!was_launched()) {
    std::fputs(
        "holdfast node: an experiment is missing; expected: mpirun -n N holdfast node CONFIG\n"
        "(without one, holdfast run starts this command and gives it its place in a job)\n",
        stderr);
    return 2;
  }
  bool told = false;
  const Status status = run_assigned(factory, told);
  if (status.is_ok()) return 0;
  if (!told) std::fprintf(stderr, "node: %s\n", status.message().c_str());
  return 2;
}

Status replay_node(const std::string& recording, const NodeFactory& factory, NodeReplay& outcome) {
  std::unique_ptr<Replay> replay;
  if (Status status = Replay::open(recording, replay); !status.is_ok()) return status;
  Assignment assignment;
  ByteReader roster(replay->opening().roster);
  decode_roster(roster, assignment);
  assignment.configuration = replay->opening().configuration;
  if (!roster.good() || !roster.at_end() || assignment.self.value >= assignment.processes() ||
      assignment.boot > kBootsMax || !are_rails_of_node(replay->rails(), assignment)) {
    return Status::error("the recording " + recording + " is not of a launched process");
  }
  std::vector<std::unique_ptr<ReplayFabric>> fabrics;
  std::vector<Fabric*> rails;
  for (std::size_t i = 0; i < replay->rails().size(); ++i) {
    fabrics.push_back(std::make_unique<ReplayFabric>(*replay, static_cast<std::uint8_t>(i)));
    rails.push_back(fabrics[i].get());
  }
  const ReplayedAddresses addresses(*replay);
  std::unique_ptr<NodeProgram> program;
  if (Status status = factory(start_of(assignment, rails, addresses), program); !status.is_ok()) {
    return Status::error("the recording " + recording + ": " + status.message());
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
