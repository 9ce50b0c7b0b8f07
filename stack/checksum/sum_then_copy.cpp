// The last piece may be short: it is then what little is left.
#include "stack/checksum/sum_then_copy.hpp"

#include <algorithm>
#include <cstring>

namespace holdfast {

void sum_then_copy(const Checksum& checksum, ChecksumState& state, std::byte* to,
                   std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto piece = from.first(std::min(from.size(), kSumThenCopyBytes));
    checksum.update(state, piece);
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
    from = from.subspan(piece.size());
  }
}

std::uint64_t sum_then_copy_of(const Checksum& checksum, std::byte* to,
                               std::span<const std::byte> from, std::uint64_t seed) {
  if (from.size() <= kSumThenCopyBytes) {
    const std::uint64_t sum = checksum.of(from, seed);
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    return sum;
  }
  ChecksumState state;
  checksum.begin(state, seed, from.size());
  sum_then_copy(checksum, state, to, from);
  return checksum.finish(state);
}

}  // namespace holdfast
