// The ring as one process sees it: positions, and which of them it believes live. A domain is live
// while one of its processes is; the lowest live rank speaks for it.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"
#include "stack/view/roster.hpp"
#include "stack/view/view.hpp"

namespace holdfast {

class Ring {
 public:
  Ring(const Roster& roster, const View& view) : roster_(roster), view_(view) {}

  std::uint32_t size() const { return roster_.domains(); }
  bool live(Position position) const { return speaker_at(position) != kNoProcess; }

  // The process that speaks for a domain, or kNoProcess if none of it is believed live.
  ProcessId speaker(DomainId domain) const;
  ProcessId speaker_at(Position position) const { return speaker(roster_.domain_at(position)); }

  // The nearest live position after or before `from`; `from` itself if there is no other.
  Position next_live(Position from) const { return walk(from, 1); }
  Position previous_live(Position from) const { return walk(from, size() - 1); }

  Position moved(Position from, std::uint32_t steps) const {
    return {static_cast<std::uint32_t>((std::uint64_t{from.value} + steps) % size())};
  }

  const Roster& roster() const { return roster_; }
  const View& view() const { return view_; }

 private:
  Position walk(Position from, std::uint32_t step) const;

  const Roster& roster_;
  const View& view_;
};

}  // namespace holdfast
