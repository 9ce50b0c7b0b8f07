// The process: now -> turn -> sleep. It looks at the clock once a turn, lets the engine act, writes
// what it has come to believe, and sleeps until the engine's next deadline or a rail's next event.
#pragma once

#include <span>

#include "hw/record/recording_writer.hpp"
#include "hw/record/replay.hpp"
#include "hw/run/event_log.hpp"
#include "hw/run/sleeper.hpp"
#include "hw/run/turn_watcher.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/engine.hpp"

namespace holdfast::hw {

struct LoopOptions {
  Time start_at;  // CLOCK_MONOTONIC; the engine starts then, or now if later
  Time stop_at = Time::never();
  int lifeline = -1;  // see WakeSources
  TurnWatcher* watcher = nullptr;
  RecordingWriter* recording = nullptr;  // of the rails, which are recorders then
  bool polls = false;                    // see WakeSources
  // Before it ends at stop_at or by a signal it leaves the job in order (PROTOCOL 7.5), for so long
  // at most; zero: it does not. Not with a recording, which has no commands.
  Duration leave_within;
};

enum class LoopEnd : std::uint8_t {
  stop_time,
  signal,
  abandoned,
  unwritable,  // the log or the recording: what they lack nobody would know from them
};

// Runs the engine until one of LoopEnd. An error says what the system refused before the start.
Status run_process(Engine& engine, std::span<Fabric* const> rails, BeliefLog& log,
                   const LoopOptions& options, LoopEnd& end);

// Runs the engine through a recording, whose rails it must have been built on, to the end or to the
// first difference; see Replay for the outcome.
void replay_process(Engine& engine, Replay& replay, BeliefLog& log);

}  // namespace holdfast::hw
