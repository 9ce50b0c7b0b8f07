// The frames of the control protocol: header, bodies, limits (specification, section 2).
//
// Little-endian, fixed offsets, no pointers. Every frame is header, body, seal:
//
//   offset bytes field
//        0     2 magic 0x4648
//        2     1 version
//        3     1 type
//        4     2 length of the whole frame
//        6     1 seal algorithm
//        7     1 zero
//        8     4 job
//       12     4 sender            16  4 its incarnation
//       20     4 receiver          24  4 its incarnation, as the sender knows it
//       28     4 zero
//       32     8 sequence: counts the sender's frames within its boot
//       40     8 digest of the sender's view
//       48     … body
//   length-16 16 seal, zero where there is none
//
// Decoding trusts nothing: the length, then the version, then (by the engine) the seal, then each
// field. A frame that fails in any way is dropped and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "stack/base/assert.hpp"
#include "stack/base/broadcast.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/member_state.hpp"
#include "stack/wire/header.hpp"

namespace holdfast {

// Consecutive processes of which the same is said. 12 bytes: first 4, incarnation 4, count 2,
// state 1, zero 1.
struct Run {
  ProcessId first;
  Incarnation incarnation;
  std::uint16_t count = 1;  // >= 1
  MemberState state = MemberState::alive;

  friend bool operator==(const Run&, const Run&) = default;
};
constexpr std::size_t kRunBytes = 12;

// The body of every type that has one: after 8, upto 8, flags 2, runs 2; where a flag says so the
// name of a broadcast (starter 4, its incarnation 4, number 4, cube 1, zero 3); then the runs.
struct Body {
  std::uint64_t after = 0;  // notice, acknowledgement: the sender's changes (after, upto]
  std::uint64_t upto = 0;
  bool answer_wanted = false;   // difference, join: send yours back if it differs
  bool sender_joining = false;  // difference, join: the sender knows nobody yet
  bool more_follows = false;    // difference, join: this frame did not hold all of it
  Broadcast broadcast;          // notice, acknowledgement: the one that this copy belongs to
  std::span<const Run> runs;

  static constexpr std::size_t kFixedBytes = 20;
  static constexpr std::size_t kBroadcastBytes = 16;
};
constexpr std::size_t kRunsMax = (kFrameBytesMax - kFrameBytesMin - Body::kFixedBytes) / kRunBytes;
// Of a frame that names a broadcast.
constexpr std::size_t kRunsOfBroadcastMax =
    (kFrameBytesMax - kFrameBytesMin - Body::kFixedBytes - Body::kBroadcastBytes) / kRunBytes;

constexpr bool has_body(FrameType type) {
  return type >= FrameType::notice;
}

// Writes the body after where the header goes; returns the length of the whole frame.
std::size_t encode_body(FrameType type, const Body& body, std::span<std::byte> to);

// Writes the frame with a zero seal and returns its length, at most kFrameBytesMax. `body` is
// looked at only for the types that have one; it may hold at most kRunsMax runs, and
// kRunsOfBroadcastMax if it names a broadcast.
inline std::size_t encode_frame(const Header& header, const Body& body, std::span<std::byte> to) {
  HOLDFAST_ASSERT(to.size() >= kFrameBytesMin);
  const std::size_t length =
      has_body(header.type) ? encode_body(header.type, body, to) : kFrameBytesMin;
  encode_header(header, length, to.data());
  std::memset(to.data() + length - kSealBytes, 0, kSealBytes);
  return length;
}

// What decode_body does for the types that have one.
[[nodiscard]] DecodeStatus decode_runs(std::span<const std::byte> frame, FrameType type,
                                       std::uint32_t processes, std::span<Run> runs, Body& body);

// The body of a frame whose header is decoded and whose seal has been checked. `processes` bounds
// the process numbers; `runs` takes the runs and must hold kRunsMax. `body` is left
// alone for types that have none.
[[nodiscard]] inline DecodeStatus decode_body(std::span<const std::byte> frame, FrameType type,
                                              std::uint32_t processes, std::span<Run> runs,
                                              Body& body) {
  if (has_body(type)) return decode_runs(frame, type, processes, runs, body);
  return frame.size() == kFrameBytesMin ? DecodeStatus::ok : DecodeStatus::bad_length;
}

}  // namespace holdfast
