// Which named broadcasts have been here before: the memory that lets a process pass on each once in
// each cube, although it may know the news itself from elsewhere (specification, clause 5.6).
//
// A starter numbers its broadcasts, so for each starter the highest number and a window of 64 below
// it say everything; what is older counts as heard. Memory is bounded: when all entries are taken
// the oldest starter gives way, and then a broadcast of an unknown starter is passed on only if it
// brought news, which happens a limited number of times whatever is repeated on the wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/base/broadcast.hpp"

namespace holdfast {

class HeardBroadcasts {
 public:
  static constexpr std::size_t kStartersMax = 256;

  // True if this copy is the first of its broadcast and cube, and is to be passed on; from then on
  // it is heard. `news`: it changed the view. The broadcast must be named.
  bool first_copy(const Broadcast& broadcast, bool news);

  // For comparing states.
  std::uint64_t hash() const;

 private:
  struct Starter {
    ProcessId process;
    std::uint64_t highest = 0;                        // boot and number of its latest broadcast
    std::array<std::uint64_t, kCubesMax> heard = {};  // bit i: highest - i was heard in this cube
  };

  Starter* find(ProcessId process);
  Starter& make(ProcessId process, std::uint64_t highest, std::uint64_t heard);

  std::vector<Starter> starters_;  // the oldest first
};

}  // namespace holdfast
