// Failure detectors: who is watched by whom, and when silence becomes a verdict.
//
// A detector runs in the process that speaks for its domain. It is a function of its inputs: it is
// told of heartbeats, requests and changes of the view, and answers through `poll` with what to
// send and whom to judge. It never changes the view itself: the verdict goes to the membership,
// which merges it and tells the detector that the view has changed.
//
// Adding a detector is a file and a line in the registry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "stack/base/ids.hpp"
#include "stack/base/in_place.hpp"
#include "stack/base/time.hpp"
#include "stack/view/ring.hpp"

namespace holdfast {

struct DetectorOptions {
  Duration period = milliseconds(100);  // between heartbeats, > 0
  Duration timeout = seconds(1);        // silence that makes a verdict, >= 2 periods
  // How long a verdict waits for others before it is told, >= 0 (specification, clause 4.9).
  Duration hold{0};
  // Whether domains believed dead are asked now and then if they are, and the processes of the own
  // domain if they believe the same (the backstop's healing).
  bool probes = true;
  // Of each process, which its heartbeats take in turn (section 12), >= 1.
  std::uint32_t rails = 1;
};

// Whether other frames may stand for heartbeats (clause 4.1). Two periods may then pass between
// signs of life, which a timeout must bear; in turns over several rails it would be too many.
constexpr bool news_stands_for_heartbeats(const DetectorOptions& options) {
  return options.rails == 1 && options.timeout >= 3 * options.period;
}

// How long after the last frame that could not arrive between two processes one of them may still
// tell a verdict on the other for the lack of it.
constexpr Duration verdict_within(const DetectorOptions& options) {
  return 2 * options.timeout + 2 * options.period + options.hold;
}

struct DetectorAction {
  enum class Kind : std::uint8_t {
    heartbeat,  // to `process`: the observer, or one of the own domain who is to compare views
    observe,    // tell `process` that we observe it
    probe,      // send `process`, believed dead, what we believe; if it lives it will object
    verdict,    // `domain` has been silent for too long
    suspicion,  // likewise, but the verdict is held (options.hold)
    trust,      // `domain` was suspected and has been heard: nothing is held against it any more
  };
  Kind kind = Kind::heartbeat;
  ProcessId process = kNoProcess;
  DomainId domain = kNoDomain;

  friend bool operator==(const DetectorAction&, const DetectorAction&) = default;
};

// How a detector begins.
enum class DetectorStart : std::uint8_t {
  with_everyone,  // all processes start together and know it
  taking_over,    // after a repair or the death of the node's agent: neighbours have to be told
};

// Whom a detector watches and who watches it, as it stands; for people, nobody decides by it.
struct Watching {
  DomainId emitter = kNoDomain;     // none: nobody else lives, or the detector says nothing
  ProcessId observer = kNoProcess;  // likewise
  std::optional<Time> heard_at;     // its last sign of life, since it is the emitter
  Time verdict_at = Time::never();  // when its silence becomes a verdict
};

class Detector {
 public:
  // Of a detector, heartbeats should touch the first bytes only, no more than these.
  static constexpr std::size_t kHotBytes = 64;

  virtual ~Detector() = default;

  // `phase`, 0 <= phase < period, delays the first heartbeat, so that processes that start together
  // do not send together; taking over, the first leaves at once.
  virtual void start(Time now, DetectorStart how, Duration phase, const Ring& ring) = 0;
  virtual void stop() = 0;

  // A valid heartbeat of `from`, whom the view believes live; `at` is its arrival.
  virtual void heartbeat(Time at, ProcessId from, const Ring& ring) = 0;
  // A valid frame of another type, newer than what was heard of `from` before, likewise. Need not
  // count: who sends it may not know that it is watched.
  virtual void other_frame(Time, ProcessId, const Ring&) {}
  // A frame that this detector has not asked for leaves for that process, where it may stand for a
  // heartbeat.
  virtual void told(ProcessId) {}
  // `from` says that it observes this domain.
  virtual void observe(Time now, ProcessId from, const Ring& ring) = 0;
  virtual void view_changed(Time now, const Ring& ring) = 0;
  // A life of `process`, which is another than the one that this detector runs in, has become
  // known, after view_changed: whoever starts takes some time until its heartbeats come.
  virtual void new_life(Time now, ProcessId process, const Ring& ring) = 0;

  // Writes the next thing to do at `now`; false if there is none, and then `action` means nothing.
  // (In place: what is returned by value is put together and read back in other pieces, for which
  // the processor waits.)
  virtual bool poll(Time now, const Ring& ring, DetectorAction& action) = 0;
  // When to poll again at the latest.
  virtual Time next_deadline() const = 0;

  virtual Watching watching() const { return {}; }

  // True if, as long as heartbeats keep coming, nothing but the fixed sends will happen.
  virtual bool steady() const = 0;
  // What `periods` more periods of the steady state would have sent.
  struct Advance {
    std::uint64_t heartbeats = 0;
    std::uint64_t probes = 0;
  };
  // Moves a steady detector `periods` periods into the future.
  virtual Advance advance(std::uint64_t periods, const Ring& ring) = 0;

  // For comparing states.
  virtual std::uint64_t hash() const = 0;
};

// Where a detector lives: in the membership that it serves. As large as the largest of them needs.
using DetectorPlace = InPlace<Detector, 112>;

struct DetectorEntry {
  std::string_view name;
  std::string_view idea;  // one line for people
  void (*make)(DetectorPlace& place, const DetectorOptions&, DomainId self);
};

// Every detector there is, by name.
std::span<const DetectorEntry> detectors();

// False if there is none of that name.
[[nodiscard]] bool make_detector(DetectorPlace& place, std::string_view name,
                                 const DetectorOptions& options, DomainId self);

}  // namespace holdfast
