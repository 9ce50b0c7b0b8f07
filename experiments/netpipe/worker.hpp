// One process of a pair: does what it is told by a socket, a step after the other, and sleeps in
// between, so that the pairs which are compared can take turns.
//
// A step: the messages are generated, a few are exchanged so that both processes are awake and
// their caches warm, then comes what is timed, and then all that was received is compared with its
// generator.
#pragma once

#include <array>
#include <cstdint>

#include "experiments/netpipe/end.hpp"

namespace holdfast::netpipe {

enum class Pattern : std::uint32_t { ping_pong, stream };

// Between processes of one build on one machine: as it lies in memory.
struct Order {
  enum class Kind : std::uint32_t { prepare, go, rest };
  Kind kind = Kind::rest;
  Pattern pattern = Pattern::ping_pong;
  std::uint64_t bytes = 0;  // of a message
  std::uint64_t count = 0;  // of messages in each direction, or in the one of a stream
  std::uint64_t batch = 0;  // names what they hold
};

// To `prepare` and to `go`.
struct Report {
  std::uint32_t is_ok = 0;
  std::uint32_t wrong = 0;         // messages that are not what was generated
  double seconds = 0;              // of what is timed, as this end sees it
  double processor_seconds = 0;    // of those, how many its thread had a processor
  double round_trip_s = 0;         // afterwards
  double additions_per_cycle = 0;  // likewise (hw/tune/core_share.hpp)
  Traffic traffic;                 // meanwhile, of this end
  std::array<char, 240> why{};     // a sentence, where it is not ok
};

// Whole, or false: the other end is gone.
bool write_whole(int socket, const void* from, std::size_t bytes);
bool read_whole(int socket, void* to, std::size_t bytes);

// On one of the processors that this process may use; does nothing where there is one.
void bind_to_processor(unsigned place);

// Until the socket's other end closes.
void serve(int socket, bool is_first, End& end);

}  // namespace holdfast::netpipe
