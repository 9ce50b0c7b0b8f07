// Frames under way, packed. When news spreads through a million processes tens of millions of
// frames are on the wire at one moment, and nearly all of them are the same but for who sends, who
// receives, and a counter. So a frame is kept as its difference from a *reference*, a frame that
// was seen before: up to three words of 32 bits, wherever in the frame they lie. What the words
// mean is nobody's business here.
//
// A reference lives as long as frames differ from it, and while it is one of the few that were
// used last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::sim {

class FramePacking {
 public:
  static constexpr std::uint32_t kWordBytes = 4;
  static constexpr std::size_t kFrameBytesMax = 128;
  static constexpr std::size_t kWords = 3;

  struct alignas(16) Packed {
    std::uint32_t reference_and_places = 0;     // 17 bits, and 5 bits for each word
    std::array<std::uint32_t, kWords> words{};  // what the frame has there
  };

  // False: this frame cannot be packed. `bytes` is a multiple of kWordBytes, at most
  // kFrameBytesMax.
  [[nodiscard]] bool pack(const std::byte* frame, std::uint32_t bytes, Packed& packed);
  std::uint32_t size_of(const Packed& packed) const {
    return references_[reference_of(packed)].bytes;
  }
  // Writes size_of(packed) bytes.
  void unpack(const Packed& packed, std::byte* frame) const;
  // Each packed frame once, when it is needed no more.
  void release(const Packed& packed) { leave(reference_of(packed)); }

  // That are alive at this moment.
  std::size_t references() const { return references_.size() - free_.size(); }

 private:
  static constexpr std::uint32_t kReferenceBits = 17;
  static constexpr std::uint32_t kReferencesMax = 1u << kReferenceBits;
  static constexpr std::uint32_t kPlaceBits = 5;
  static constexpr std::size_t kRecent = 4;  // several pieces of news may be under way at once
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  static_assert(kFrameBytesMax / kWordBytes == 1u << kPlaceBits);

  struct Reference {
    std::uint32_t users = 0;  // packed frames, and one while it is recent
    std::uint32_t bytes = 0;
    std::array<std::byte, kFrameBytesMax> frame;
  };

  static std::uint32_t reference_of(const Packed& packed) {
    return packed.reference_and_places & (kReferencesMax - 1);
  }
  bool differs_little(const std::byte* frame, std::uint32_t bytes, std::uint32_t reference,
                      Packed& packed) const;
  std::uint32_t remember(const std::byte* frame, std::uint32_t bytes);
  void leave(std::uint32_t reference);

  std::vector<Reference> references_;
  std::vector<std::uint32_t> free_;                                        // of references_
  std::array<std::uint32_t, kRecent> recent_{kNone, kNone, kNone, kNone};  // the last one first
};

}  // namespace holdfast::sim
