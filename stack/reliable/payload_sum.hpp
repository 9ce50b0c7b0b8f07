// The 32 bits of a payload's checksum that its frame carries, computed alone or while it is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "stack/base/assert.hpp"
#include "stack/checksum/checksum.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/reliable/message_memory.hpp"

namespace holdfast::reliable {

class PayloadSum {
 public:
  // Of that name, which must be registered; empty: off, and all sums are 0.
  explicit PayloadSum(std::string_view checksum)
      : checksum_(checksum.empty() ? nullptr : make_checksum(checksum)) {
    HOLDFAST_ASSERT(checksum.empty() || checksum_);
  }

  bool is_on() const { return static_cast<bool>(checksum_); }
  std::uint32_t of(std::span<const std::byte> payload, std::uint64_t seed) const {
    return checksum_ ? payload_checksum_field(checksum_->of(payload, seed)) : 0;
  }
  std::uint32_t copy_of(std::byte* to, std::span<const std::byte> payload,
                        std::uint64_t seed) const {
    if (checksum_) return payload_checksum_field(checksum_->copy_of(to, payload, seed));
    if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
    return 0;
  }
  // Likewise of `bytes` from byte `at` of a message on, into a frame; by Passes::two
  // (sum_then_copy.hpp); and out of a frame.
  std::uint32_t pack(std::byte* to, const MessageMemory& from, std::uint64_t at,
                     std::uint32_t bytes, std::uint64_t seed) const {
    if (from.list != nullptr) return pack_list(to, *from.list, at, bytes, seed);
    return copy_of(to, {from.start + at, bytes}, seed);
  }
  std::uint32_t pack_in_two_passes(std::byte* to, const MessageMemory& from, std::uint64_t at,
                                   std::uint32_t bytes, std::uint64_t seed) const;
  std::uint32_t unpack(const MessageMemory& to, std::uint64_t at,
                       std::span<const std::byte> payload, std::uint64_t seed) const {
    if (to.list != nullptr) return unpack_list(*to.list, at, payload, seed);
    return copy_of(to.start + at, payload, seed);
  }

 private:
  std::uint32_t pack_list(std::byte* to, const SegmentList& from, std::uint64_t at,
                          std::uint64_t bytes, std::uint64_t seed) const;
  std::uint32_t unpack_list(const SegmentList& to, std::uint64_t at,
                            std::span<const std::byte> payload, std::uint64_t seed) const;

  std::unique_ptr<Checksum> checksum_;
};

}  // namespace holdfast::reliable
