// Sixteen bytes a store, which every x86-64 has; other processors copy as usual.
#include "stack/checksum/stream_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace holdfast {

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t kLine = 64;
  const std::size_t ahead = (0 - reinterpret_cast<std::uintptr_t>(to)) % kLine;
  const std::size_t head = std::min(bytes, ahead);
  if (head != 0) std::memcpy(to, from, head);
  std::size_t done = head;
  for (; bytes - done >= kLine; done += kLine) {
    for (std::size_t i = 0; i < kLine; i += sizeof(__m128i)) {
      const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + done + i), word);
    }
  }
  if (done != bytes) std::memcpy(to + done, from + done, bytes - done);
#else
  if (bytes != 0) std::memcpy(to, from, bytes);
#endif
}

void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace holdfast
