// Checksums of what lies in segments, while it is packed and unpacked.
#include "stack/reliable/payload_sum.hpp"

#include "stack/checksum/sum_then_copy.hpp"
#include "stack/segments/convertor.hpp"
#include "stack/segments/segment_cursor.hpp"

namespace holdfast::reliable {

std::uint32_t PayloadSum::pack_list(std::byte* to, const SegmentList& from, std::uint64_t at,
                                    std::uint64_t bytes, std::uint64_t seed) const {
  SegmentCursor cursor(from, at);
  if (!checksum_) {
    holdfast::pack(cursor, to, bytes);
    return 0;
  }
  ChecksumState state;
  checksum_->begin(state, seed, bytes);
  holdfast::pack(cursor, to, bytes, {*checksum_, state});
  return payload_checksum_field(checksum_->finish(state));
}

std::uint32_t PayloadSum::pack_in_two_passes(std::byte* to, const MessageMemory& from,
                                             std::uint64_t at, std::uint32_t bytes,
                                             std::uint64_t seed) const {
  if (!checksum_) return pack(to, from, at, bytes, seed);
  if (from.list == nullptr) {
    return payload_checksum_field(
        holdfast::sum_then_copy_of(*checksum_, to, {from.start + at, bytes}, seed));
  }
  SegmentCursor cursor(*from.list, at);
  ChecksumState state;
  checksum_->begin(state, seed, bytes);
  holdfast::pack_in_two_passes(cursor, to, bytes, {*checksum_, state});
  return payload_checksum_field(checksum_->finish(state));
}

std::uint32_t PayloadSum::unpack_list(const SegmentList& to, std::uint64_t at,
                                      std::span<const std::byte> payload,
                                      std::uint64_t seed) const {
  SegmentCursor cursor(to, at);
  if (!checksum_) {
    holdfast::unpack(cursor, payload.data(), payload.size());
    return 0;
  }
  ChecksumState state;
  checksum_->begin(state, seed, payload.size());
  holdfast::unpack(cursor, payload.data(), payload.size(), {*checksum_, state});
  return payload_checksum_field(checksum_->finish(state));
}

}  // namespace holdfast::reliable
