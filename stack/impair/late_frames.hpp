// Frames that are late: copies of them, until they are due. In order of their time, and at equal
// times of their coming.
//
// Memory for a fixed number of frames is taken at construction and not touched before it is needed;
// nothing allocates afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast {

// The cookie of operations that nobody has posted, also where one impaired fabric stands around
// another: nobody is told what becomes of them.
constexpr std::uint64_t kOwnCookie = ~std::uint64_t{0};

class LateFrames {
 public:
  LateFrames(std::uint32_t frames_max, std::uint32_t frame_bytes_max);

  bool empty() const { return waiting_.empty(); }
  bool full() const { return free_.empty(); }
  // When the first is due; never() if there is none.
  Time next_due() const { return empty() ? Time::never() : waiting_.front().due; }

  // Not when it is full; frame: at most frame_bytes_max.
  void put(Time due, Peer to, std::span<const std::byte> frame);
  // Of the first: an inline operation whose bytes stay until it is dropped. Not when it is empty.
  Operation first();
  void drop_first();
  // Drops all to this peer and returns how many.
  std::uint64_t drop_to(Peer peer);

 private:
  struct Waiting {
    Time due;
    std::uint64_t number = 0;  // in the order in which they came
    Peer to;
    std::uint32_t place = 0;
    std::uint32_t size = 0;
  };
  // The order of the heap, whose front is the first.
  static bool later(const Waiting& a, const Waiting& b) {
    return a.due != b.due ? a.due > b.due : a.number > b.number;
  }
  std::byte* bytes_at(std::uint32_t place) {
    return bytes_.get() + std::size_t{place} * frame_bytes_max_;
  }

  std::uint32_t frame_bytes_max_;
  std::unique_ptr<std::byte[]> bytes_;
  std::vector<std::uint32_t> free_;  // places; the last one is used next
  std::vector<Waiting> waiting_;     // a heap
  std::uint64_t next_number_ = 0;
};

}  // namespace holdfast
