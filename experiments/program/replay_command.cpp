// holdfast replay: processes of a job out of their recordings.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/commands.hpp"
#include "experiments/runner/node_program.hpp"
#include "experiments/runner/recordings.hpp"
#include "hw/launch/node.hpp"

namespace holdfast::program {
namespace {

// What became of one recording.
enum class Replayed : std::uint8_t { equal, different, unreadable };

// Why a recording cannot be replayed is told here.
Replayed replay_one(const std::string& file, hw::NodeReplay& replayed) {
  const Status status = hw::replay_node(file, runner::make_node_program, replayed);
  if (!status.is_ok()) {
    std::fprintf(stderr, "holdfast replay: %s\n", status.message().c_str());
    return Replayed::unreadable;
  }
  if (!replayed.difference) return Replayed::equal;
  if (!replayed.difference->damaged) return Replayed::different;
  std::fprintf(stderr, "holdfast replay: the recording %s: %s\n", file.c_str(),
               replayed.difference->message.c_str());
  return Replayed::unreadable;
}

int replay_file(const std::string& file) {
  hw::NodeReplay replayed;
  const Replayed end = replay_one(file, replayed);
  if (end == Replayed::unreadable) return kRefused;
  std::printf("process %u, boot %u: %llu turns replayed, every call equal\n", replayed.self.value,
              replayed.boot, static_cast<unsigned long long>(replayed.turns));
  if (end == Replayed::different) {
    std::printf("then a difference: %s\n", replayed.difference->message.c_str());
    return kFailed;
  }
  if (replayed.truncated)
    std::printf("the recording ends within a turn, as it does after kill -9\n");
  return kDone;
}

// A line for each, the unreadable ones' on stderr.
int replay_folder(const std::string& folder) {
  std::vector<std::string> recordings;
  if (const Status status = runner::find_recordings(folder, recordings); !status.is_ok()) {
    std::fprintf(stderr, "holdfast replay: %s\n", status.message().c_str());
    return kRefused;
  }
  std::size_t equal = 0, different = 0;
  unsigned long long turns = 0;
  for (const std::string& name : recordings) {
    hw::NodeReplay replayed;
    const Replayed end = replay_one((std::filesystem::path(folder) / name).string(), replayed);
    if (end == Replayed::unreadable) continue;
    ++(end == Replayed::equal ? equal : different);
    turns += replayed.turns;
    std::string after = replayed.truncated ? "; it ends within a turn, as after kill -9" : "";
    if (end == Replayed::different) after = ", then a difference: " + replayed.difference->message;
    std::printf("%s: %llu turns replayed, every call equal%s\n", name.c_str(),
                static_cast<unsigned long long>(replayed.turns), after.c_str());
  }
  const std::size_t unreadable = recordings.size() - equal - different;
  std::printf(
      "%zu of %zu recordings are equal to their ends; %zu differ, %zu cannot be replayed; "
      "%llu turns\n",
      equal, recordings.size(), different, unreadable, turns);
  if (different > 0) return kFailed;
  return unreadable > 0 ? kRefused : kDone;
}

int replay(const Arguments& arguments) {
  const std::string& path = arguments.operands()[0];
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? replay_folder(path) : replay_file(path);
}

}  // namespace

const Command kReplayCommand = {
    "replay",
    "PATH [options]",
    "run recorded processes again and compare",
    "Gives the engine of a recorded process everything that it was given then, and compares every\n"
    "call that it makes, byte for byte. PATH is a recording, or a folder: then every recording in\n"
    "it, and in the folders in it, is replayed, a line each.\n\n"
    "Exit status: 0 if every call was equal; 1, with the turn, the call and the byte, if one\n"
    "differs; else 2 if a recording is damaged (with the turn and the call) or is none.\n\n"
    "examples:\n"
    "  holdfast run my.json --set fabric.kind=udp --record recordings\n"
    "  holdfast replay recordings\n"
    "  holdfast replay recordings/0-0/process-3.boot-0.recording",
    {},
    1,
    1,
    replay};

}  // namespace holdfast::program
