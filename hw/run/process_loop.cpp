// The live loop and the replay loop share the turn, so that what is replayed is what was run.
#include "hw/run/process_loop.hpp"

#include <algorithm>

#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

namespace {

// One turn as it is recorded and replayed; the first one starts the engine.
Time take_turn(Engine& engine, EventLog& log, Time now, bool first) {
  if (first) engine.start(now);
  const Time next = engine.turn(now);
  log.write(now, engine.changes());
  engine.clear_changes();
  return next;
}

LoopEnd end_of(Wake wake) {
  return wake == Wake::signal ? LoopEnd::signal : LoopEnd::abandoned;
}

}  // namespace

Status run_process(Engine& engine, std::span<Fabric* const> rails, EventLog& log,
                   const LoopOptions& options, LoopEnd& end) {
  Sleeper sleeper;
  if (Status opened = sleeper.open({.lifeline = options.lifeline}); !opened.is_ok()) return opened;
  Time now = monotonic_now();
  // The rails are not armed yet: frames of those who started a moment earlier wait for our slots.
  for (; now < options.start_at; now = monotonic_now()) {
    const Wake wake = sleeper.sleep(options.start_at, {});
    if (wake == Wake::work) continue;
    end = end_of(wake);
    return Status::ok();
  }
  for (bool first = true;; first = false) {
    if (options.recording != nullptr) options.recording->turn_begins(now);
    const Time next = take_turn(engine, log, now, first);
    if (options.recording != nullptr) options.recording->turn_ends();
    const Wake wake = sleeper.sleep(std::min(next, options.stop_at), rails);
    if (wake != Wake::work) {
      end = end_of(wake);
      return Status::ok();
    }
    now = monotonic_now();
    if (now >= options.stop_at) {
      end = LoopEnd::stop_time;
      return Status::ok();
    }
  }
}

void replay_process(Engine& engine, Replay& replay, EventLog& log) {
  bool first = true;
  for (Time now; replay.next_turn(now); first = false) take_turn(engine, log, now, first);
}

}  // namespace holdfast::hw
