// A copy that writes past the caches, for what is larger than they are and is not read at once: it
// spares reading the lines that will be overwritten, a third of the memory traffic.
#pragma once

#include <algorithm>
#include <cstddef>

namespace holdfast {

// `from` and `to` may not overlap. The bytes are ordered with other writes after stream_fence().
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes);
void stream_fence();

// The same in pieces that fit into the innermost cache: take(from, bytes) reads each first, so that
// memory is read once for both. Fenced.
template <class Take>
void stream_in_pieces(std::byte* to, const std::byte* from, std::size_t bytes,
                      std::size_t piece_bytes, Take take) {
  for (std::size_t done = 0; done < bytes; done += piece_bytes) {
    const std::size_t piece = std::min(bytes - done, piece_bytes);
    take(from + done, piece);
    stream_copy(to + done, from + done, piece);
  }
  stream_fence();
}

}  // namespace holdfast
