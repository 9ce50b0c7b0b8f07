// Some slots are kept for frames without data.
#include "stack/reliable/send_slots.hpp"

#include <algorithm>

namespace holdfast::reliable {

SendSlots::SendSlots(std::uint32_t count, std::uint32_t bytes)
    : slots_(count),
      // So that all frames begin as far from a cache line.
      bytes_((std::max(bytes, kBefore + kSharedBytesMax) + 63) / 64 * 64),
      reserve_(std::min(count / 8, 16u)),
      memory_(new std::byte[std::size_t{count} * bytes_]) {}

}  // namespace holdfast::reliable
