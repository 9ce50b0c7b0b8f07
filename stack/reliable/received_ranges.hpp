// Which bytes of a message have arrived: a few ranges in ascending order, which grow together.
// Bytes nearly always continue the last range, or close a hole before one.
//
// It knows nothing of fragments: what a fragment's bit in an acknowledgement says follows from
// where the fragment lies, so a message may be cut anew at any time.
#pragma once

#include <array>
#include <cstdint>

namespace holdfast::reliable {

class ReceivedRanges {
 public:
  static constexpr std::uint32_t kMost = 48;

  enum class Overlap : std::uint8_t { none, some, all };
  // What of [from, to) has arrived. Of no bytes: all.
  Overlap overlap(std::uint64_t from, std::uint64_t to) const;
  // False: there would be more than kMost ranges, and nothing has changed. For the lowest bytes
  // that are missing there is always room: one range is kept for them.
  [[nodiscard]] bool add(std::uint64_t from, std::uint64_t to);
  bool has_room_for(std::uint64_t from, std::uint64_t to) const;

  // All bytes below it have arrived.
  std::uint64_t prefix() const { return count_ > 0 && ranges_[0].from == 0 ? ranges_[0].to : 0; }
  std::uint32_t count() const { return count_; }

 private:
  struct Range {
    std::uint64_t from = 0, to = 0;
  };
  // The first range that ends at `from` or later; count_ if there is none.
  std::uint32_t find(std::uint64_t from) const;

  std::uint32_t count_ = 0;
  std::array<Range, kMost> ranges_;
};

}  // namespace holdfast::reliable
