// Comparing with what came last.
#include "sim/fabric/frame_packing.hpp"

#include <algorithm>
#include <cstring>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

bool FramePacking::pack(const std::byte* frame, std::uint32_t bytes, Packed& packed) {
  HOLDFAST_ASSERT(bytes <= kFrameBytesMax && bytes % kWordBytes == 0);
  for (std::size_t i = 0; i < kRecent && recent_[i] != kNone; ++i) {
    if (!differs_little(frame, bytes, recent_[i], packed)) continue;
    std::rotate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(i),
                recent_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    ++references_[recent_.front()].users;
    return true;
  }
  const std::uint32_t reference = remember(frame, bytes);
  return reference != kNone && differs_little(frame, bytes, reference, packed);
}

// Words that are needed for nothing repeat the first: the one that differs, or else the first of
// the frame.
bool FramePacking::differs_little(const std::byte* frame, std::uint32_t bytes,
                                  std::uint32_t reference, Packed& packed) const {
  const Reference& known = references_[reference];
  if (known.bytes != bytes) return false;
  std::array<std::uint32_t, kWords> places{};
  std::memcpy(&packed.words[0], frame, kWordBytes);
  std::size_t found = 0;
  for (std::uint32_t at = 0; at < bytes; at += kWordBytes) {
    std::uint32_t ours = 0, theirs = 0;
    std::memcpy(&ours, frame + at, kWordBytes);
    std::memcpy(&theirs, known.frame.data() + at, kWordBytes);
    if (ours == theirs) continue;
    if (found == kWords) return false;
    places[found] = at / kWordBytes;
    packed.words[found++] = ours;
  }
  packed.reference_and_places = reference;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::size_t which = i < found ? i : 0;
    packed.words[i] = packed.words[which];
    packed.reference_and_places |= places[which] << (kReferenceBits + i * kPlaceBits);
  }
  return true;
}

void FramePacking::unpack(const Packed& packed, std::byte* frame) const {
  const Reference& known = references_[reference_of(packed)];
  std::memcpy(frame, known.frame.data(), known.bytes);
  std::uint32_t places = packed.reference_and_places >> kReferenceBits;
  for (const std::uint32_t word : packed.words) {
    const std::uint32_t place = places & ((1u << kPlaceBits) - 1);
    std::memcpy(frame + place * kWordBytes, &word, kWordBytes);
    places >>= kPlaceBits;
  }
}

// Makes the frame a reference, in place of the recent one that was not needed for longest.
std::uint32_t FramePacking::remember(const std::byte* frame, std::uint32_t bytes) {
  if (references_.size() == kReferencesMax && free_.empty()) return kNone;
  if (recent_.back() != kNone) leave(recent_.back());
  std::uint32_t reference = static_cast<std::uint32_t>(references_.size());
  if (free_.empty()) {
    references_.emplace_back();
  } else {
    reference = free_.back();
    free_.pop_back();
  }
  Reference& made = references_[reference];
  made.users = 2;  // this frame, and being recent
  made.bytes = bytes;
  std::memcpy(made.frame.data(), frame, bytes);
  std::rotate(recent_.begin(), recent_.end() - 1, recent_.end());
  recent_.front() = reference;
  return reference;
}

void FramePacking::leave(std::uint32_t reference) {
  HOLDFAST_ASSERT(references_[reference].users > 0);
  if (--references_[reference].users == 0) free_.push_back(reference);
}

}  // namespace holdfast::sim
