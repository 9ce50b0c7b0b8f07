// A heap of small entries over a fixed number of places for bytes.
#include "stack/impair/late_frames.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast {

LateFrames::LateFrames(std::uint32_t frames_max, std::uint32_t frame_bytes_max)
    : frame_bytes_max_(frame_bytes_max),
      bytes_(new std::byte[std::size_t{frames_max} * frame_bytes_max]) {
  waiting_.reserve(frames_max);
  free_.reserve(frames_max);
  for (std::uint32_t i = frames_max; i > 0; --i) free_.push_back(i - 1);
}

void LateFrames::put(Time due, Peer to, std::span<const std::byte> frame) {
  HOLDFAST_ASSERT(!full() && frame.size() <= frame_bytes_max_);
  const std::uint32_t place = free_.back();
  free_.pop_back();
  std::copy(frame.begin(), frame.end(), bytes_at(place));
  waiting_.push_back({due, next_number_++, to, place, static_cast<std::uint32_t>(frame.size())});
  std::push_heap(waiting_.begin(), waiting_.end(), later);
}

Operation LateFrames::first() {
  HOLDFAST_ASSERT(!empty());
  const Waiting& frame = waiting_.front();
  Operation operation;
  operation.inline_data = true;
  operation.peer = frame.to;
  operation.data = bytes_at(frame.place);
  operation.size = frame.size;
  operation.cookie = kOwnCookie;
  return operation;
}

void LateFrames::drop_first() {
  free_.push_back(waiting_.front().place);
  std::pop_heap(waiting_.begin(), waiting_.end(), later);
  waiting_.pop_back();
}

std::uint64_t LateFrames::drop_to(Peer peer) {
  const std::uint64_t dropped = std::erase_if(waiting_, [&](const Waiting& frame) {
    if (frame.to != peer) return false;
    free_.push_back(frame.place);
    return true;
  });
  std::make_heap(waiting_.begin(), waiting_.end(), later);
  return dropped;
}

}  // namespace holdfast
