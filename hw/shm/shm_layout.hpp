// What lies in a receiver's segment: a header, then lanes, each a ring of frames from one sender.
//
// One sender a lane, so that whoever is killed in the middle of a frame harms nobody else: its half
// frame is not published, and the next sender that takes the lane writes over it. `tail` and `head`
// count frames for ever, modulo 2^32, and go on when a lane changes hands.
//
// A frame is published by the number in its own cell, so that nothing but the cell need change
// hands: the owner needs `tail` only to say that a lane holds nothing. It follows when the frame is
// announced, and is never behind by more than the lane holds; who is killed before that leaves it
// behind (claim_lane.hpp).
//
// Everything here may be written by another process at any time. Lengths and counts are checked
// when they are read, and read once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace holdfast::hw {

constexpr std::uint64_t kShmMagic = 0x3254'4644'4c4f'4831;  // changes with the layout
constexpr std::uint32_t kShmLanesMax = 512;

struct ShmGeometry {
  std::uint32_t lanes = 64;           // senders at one time, 1 … kShmLanesMax
  std::uint32_t frames = 64;          // of each lane, a power of two
  std::uint32_t frame_bytes = 2'032;  // the largest frame, 1 … 2^24

  friend bool operator==(const ShmGeometry&, const ShmGeometry&) = default;
};

struct alignas(64) ShmHeader {
  std::atomic<std::uint64_t> magic;  // written last
  ShmGeometry geometry;
  // The owner has gone, or a new one has the name: whoever has this mapped should look for another.
  std::atomic<std::uint32_t> closed;
  // The owner may be asleep: who brings something takes this back and rings its bell.
  alignas(64) std::atomic<std::uint32_t> sleeping;
  // A bit for each lane in which something was published since the owner looked; of a lane at which
  // it looks each time it stays set, and nobody need set it.
  alignas(64) std::array<std::atomic<std::uint64_t>, kShmLanesMax / 64> pending;
};

struct alignas(64) ShmLane {
  std::atomic<std::uint64_t> claimant;          // see claim_lane.hpp; 0: free
  alignas(64) std::atomic<std::uint32_t> tail;  // frames announced, by the sender
  alignas(64) std::atomic<std::uint32_t> head;  // frames taken, by the owner
};

struct ShmCell {
  std::atomic<std::uint32_t> published;  // how many frames of its lane with this one; written last
  std::uint32_t size;
  std::int64_t sent_ns;  // CLOCK_MONOTONIC, which all processes of a machine share
  // the frame follows
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

constexpr bool is_possible(const ShmGeometry& geometry) {
  return geometry.lanes >= 1 && geometry.lanes <= kShmLanesMax && geometry.frames >= 1 &&
         geometry.frames <= 1u << 16 && (geometry.frames & (geometry.frames - 1)) == 0 &&
         geometry.frame_bytes >= 1 && geometry.frame_bytes <= 1u << 24;
}

constexpr std::size_t kShmPage = 4096;

constexpr std::size_t round_to(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}
constexpr std::size_t cell_bytes(const ShmGeometry& geometry) {
  return round_to(sizeof(ShmCell) + geometry.frame_bytes, 64);
}
// Whole pages, since a lane gets its memory when it is claimed first.
constexpr std::size_t lane_bytes(const ShmGeometry& geometry) {
  return round_to(cell_bytes(geometry) * geometry.frames, kShmPage);
}
// The header and, so that they can be looked through without touching the frames, all lanes' heads.
constexpr std::size_t head_bytes(const ShmGeometry& geometry) {
  return round_to(sizeof(ShmHeader) + geometry.lanes * sizeof(ShmLane), kShmPage);
}
constexpr std::size_t segment_bytes(const ShmGeometry& geometry) {
  return head_bytes(geometry) + geometry.lanes * lane_bytes(geometry);
}

}  // namespace holdfast::hw
