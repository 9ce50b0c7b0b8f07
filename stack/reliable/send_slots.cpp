// Some slots are kept for frames without data.
#include "stack/reliable/send_slots.hpp"

#include <algorithm>

namespace holdfast::reliable {

SendSlots::SendSlots(std::uint32_t count, std::uint32_t bytes)
    : slots_(count),
      bytes_(std::max(bytes, kBefore + kSharedBytesMax)),
      reserve_(std::min(count / 8, 16u)),
      memory_(new std::byte[std::size_t{count} * bytes_]) {}

}  // namespace holdfast::reliable
