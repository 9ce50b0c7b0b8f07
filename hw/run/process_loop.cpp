// The live loop and the replay loop share the turn, so that what is replayed is what was run.
#include "hw/run/process_loop.hpp"

#include <algorithm>

#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

namespace {

// One turn as it is recorded and replayed; the first one starts the engine.
Time take_turn(Engine& engine, BeliefLog& log, TurnWatcher* watcher, Time now, bool first) {
  if (first) engine.start(now);
  const Time next = engine.turn(now);
  log.write(now, engine.changes());
  if (watcher != nullptr) watcher->turned(now, engine);
  engine.clear_changes();
  return next;
}

LoopEnd end_of(Wake wake) {
  return wake == Wake::signal ? LoopEnd::signal : LoopEnd::abandoned;
}

// Turns until everybody has been told, which the second signal cuts short. What this process comes
// to believe meanwhile, such as that the others leave too, is no part of its run.
void leave(Engine& engine, std::span<Fabric* const> rails, TurnWatcher* watcher, Sleeper& sleeper,
           Time until) {
  Time now = monotonic_now();
  for (engine.leave(now); now < until; now = monotonic_now()) {
    const Time next = engine.turn(now);
    if (watcher != nullptr) watcher->turned(now, engine);
    engine.clear_changes();
    if (engine.membership().told()) return;
    if (sleeper.sleep(std::min(next, until), rails) != Wake::work) return;
  }
}

bool is_written(const BeliefLog& log, const RecordingWriter* recording) {
  return log.is_whole() && (recording == nullptr || recording->status().is_ok());
}

// Turns until the end.
LoopEnd take_turns(Engine& engine, std::span<Fabric* const> rails, BeliefLog& log, Sleeper& sleeper,
                   const LoopOptions& options) {
  Time now = monotonic_now();
  for (bool first = true;; first = false) {
    if (options.recording != nullptr) options.recording->turn_begins(now);
    const Time next = take_turn(engine, log, options.watcher, now, first);
    if (options.recording != nullptr) options.recording->turn_ends();
    if (!is_written(log, options.recording)) return LoopEnd::unwritable;
    const Wake wake = sleeper.sleep(std::min(next, options.stop_at), rails);
    if (wake != Wake::work) return end_of(wake);
    now = monotonic_now();
    if (now >= options.stop_at) return LoopEnd::stop_time;
  }
}

}  // namespace

Status run_process(Engine& engine, std::span<Fabric* const> rails, BeliefLog& log,
                   const LoopOptions& options, LoopEnd& end) {
  Sleeper sleeper;
  const int bell = options.watcher != nullptr ? options.watcher->bell() : -1;
  if (Status opened =
          sleeper.open({.lifeline = options.lifeline, .bell = bell, .polls = options.polls});
      !opened.is_ok()) {
    return opened;
  }
  // The rails are not armed yet: frames of those who started a moment earlier wait for our slots.
  while (monotonic_now() < options.start_at) {
    const Wake wake = sleeper.sleep(options.start_at, {});
    if (wake == Wake::work) continue;
    end = end_of(wake);
    return Status::ok();
  }
  end = take_turns(engine, rails, log, sleeper, options);
  if (end != LoopEnd::abandoned && end != LoopEnd::unwritable &&
      options.leave_within > Duration{0}) {
    leave(engine, rails, options.watcher, sleeper, monotonic_now() + options.leave_within);
  }
  return Status::ok();
}

void replay_process(Engine& engine, Replay& replay, BeliefLog& log) {
  bool first = true;
  for (Time now; replay.next_turn(now); first = false) take_turn(engine, log, nullptr, now, first);
}

}  // namespace holdfast::hw
