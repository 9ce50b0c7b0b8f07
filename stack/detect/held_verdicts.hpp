// Verdicts that wait. When a leaf switch dies, each of its nodes has an observer of its own, and
// their verdicts fall all over a period. An observer that holds its verdict for a short time can
// take it back if the node is heard after all, and lets it go with the first news that comes by; so
// the deaths of one switch leave as one set (specification, clause 4.9).
//
// Only the telling waits: for the detector a held domain is dead at once, and the ring closes
// behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/view/ring.hpp"

namespace holdfast {

class HeldVerdicts {
 public:
  // hold > 0.
  explicit HeldVerdicts(Duration hold) : hold_(hold) {}

  // How long a verdict is held at most.
  Duration longest() const { return hold_; }
  void hold(DomainId domain, Time now) { held_.push_back({domain, now + hold_}); }
  bool holds(DomainId domain) const;
  // The domain lives: true if it was held, and is no more.
  bool take_back(DomainId domain);
  // Nobody is watched any more.
  void take_all_back();
  bool empty() const { return held_.empty(); }
  // The next of those that were taken back, each once: whoever was told of the suspicion is to
  // hear that it is over.
  std::optional<DomainId> taken_back();

  // The view has changed: what it says by now needs no verdict, and the rest leaves with the news.
  void news(Time now, const Ring& ring);

  // The next verdict to let go: all of them, once the first has waited long enough.
  std::optional<DomainId> due(Time now);
  Time next_deadline() const {
    if (!taken_back_.empty()) return Time{0};
    return held_.empty() ? Time::never() : held_.front().until;
  }

  // For comparing states.
  std::uint64_t hash() const;

 private:
  struct Held {
    DomainId domain;
    Time until;
  };

  Duration hold_;
  std::vector<Held> held_;            // `until` ascends
  std::vector<DomainId> taken_back_;  // until the end of the turn
};

}  // namespace holdfast
