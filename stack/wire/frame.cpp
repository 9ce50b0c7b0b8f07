// Encoding and decoding by the table of offsets in the header.
#include "stack/wire/frame.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast {

namespace {

// Offsets within the body.
constexpr std::size_t kAfterAt = 0, kUptoAt = 8, kFlagsAt = 16, kCountAt = 18;
constexpr std::uint16_t kAnswerWanted = 1, kSenderJoining = 2, kMoreFollows = 4,
                        kNamesBroadcast = 8, kAllFlags = 15;

// Offsets within the name of a broadcast.
constexpr std::size_t kStarterAt = 0, kStarterIncarnationAt = 4, kNumberAt = 8, kCubeAt = 12,
                      kZeros3At = 13;

bool may_name_broadcast(FrameType type) {
  return type == FrameType::notice || type == FrameType::acknowledgement;
}

// The part of a body before its runs.
std::size_t fixed_bytes(const Body& body) {
  return Body::kFixedBytes + (body.broadcast.named() ? Body::kBroadcastBytes : 0);
}

void encode_broadcast(const Broadcast& broadcast, std::byte* at) {
  store_le<std::uint32_t>(at + kStarterAt, broadcast.starter.value);
  store_le<std::uint32_t>(at + kStarterIncarnationAt, broadcast.incarnation.value);
  store_le<std::uint32_t>(at + kNumberAt, broadcast.number);
  store_le<std::uint8_t>(at + kCubeAt, broadcast.cube);
  std::fill_n(at + kZeros3At, 3, std::byte{0});
}

DecodeStatus decode_broadcast(const std::byte* at, std::uint32_t processes, Broadcast& broadcast) {
  broadcast.starter = {load_le<std::uint32_t>(at + kStarterAt)};
  broadcast.incarnation = {load_le<std::uint32_t>(at + kStarterIncarnationAt)};
  broadcast.number = load_le<std::uint32_t>(at + kNumberAt);
  broadcast.cube = load_le<std::uint8_t>(at + kCubeAt);
  for (std::size_t i = 0; i < 3; ++i) {
    if (load_le<std::uint8_t>(at + kZeros3At + i) != 0) return DecodeStatus::bad_padding;
  }
  const bool valid = broadcast.starter.value < processes && broadcast.cube < kCubesMax;
  return valid ? DecodeStatus::ok : DecodeStatus::bad_body;
}

void encode_run(const Run& run, std::byte* at) {
  store_le<std::uint32_t>(at, run.first.value);
  store_le<std::uint32_t>(at + 4, run.incarnation.value);
  store_le<std::uint16_t>(at + 8, run.count);
  store_le<std::uint8_t>(at + 10, static_cast<std::uint8_t>(run.state));
  store_le<std::uint8_t>(at + 11, 0);
}

bool decode_run(const std::byte* at, std::uint32_t processes, Run& run) {
  run.first = {load_le<std::uint32_t>(at)};
  run.incarnation = {load_le<std::uint32_t>(at + 4)};
  run.count = load_le<std::uint16_t>(at + 8);
  const auto state = load_le<std::uint8_t>(at + 10);
  if (state > static_cast<std::uint8_t>(kLastMemberState)) return false;
  run.state = static_cast<MemberState>(state);
  return run.count > 0 && std::uint64_t{run.first.value} + run.count <= processes &&
         load_le<std::uint8_t>(at + 11) == 0;
}

}  // namespace

std::size_t encode_body(FrameType type, const Body& body, std::span<std::byte> to) {
  const std::size_t length = kFrameBytesMin + fixed_bytes(body) + body.runs.size() * kRunBytes;
  HOLDFAST_ASSERT(length <= to.size() && length <= kFrameBytesMax);
  std::byte* const at = to.data() + kHeaderBytes;
  store_le<std::uint64_t>(at + kAfterAt, body.after);
  store_le<std::uint64_t>(at + kUptoAt, body.upto);
  const int flags =
      (body.answer_wanted ? kAnswerWanted : 0) | (body.sender_joining ? kSenderJoining : 0) |
      (body.more_follows ? kMoreFollows : 0) | (body.broadcast.named() ? kNamesBroadcast : 0);
  store_le<std::uint16_t>(at + kFlagsAt, static_cast<std::uint16_t>(flags));
  store_le<std::uint16_t>(at + kCountAt, static_cast<std::uint16_t>(body.runs.size()));
  if (body.broadcast.named()) {
    HOLDFAST_ASSERT(may_name_broadcast(type));
    encode_broadcast(body.broadcast, at + Body::kFixedBytes);
  }
  std::byte* run_at = at + fixed_bytes(body);
  for (const Run& run : body.runs) {
    encode_run(run, run_at);
    run_at += kRunBytes;
  }
  return length;
}

DecodeStatus decode_runs(std::span<const std::byte> frame, FrameType type, std::uint32_t processes,
                         std::span<Run> runs, Body& body) {
  const std::size_t bytes = frame.size() - kFrameBytesMin;
  body = Body{};
  if (bytes < Body::kFixedBytes) return DecodeStatus::bad_length;
  const std::byte* const at = frame.data() + kHeaderBytes;
  const auto flags = load_le<std::uint16_t>(at + kFlagsAt);
  const auto count = load_le<std::uint16_t>(at + kCountAt);
  if (flags > kAllFlags) return DecodeStatus::bad_padding;
  const bool names_broadcast = (flags & kNamesBroadcast) != 0;
  const std::size_t fixed = Body::kFixedBytes + (names_broadcast ? Body::kBroadcastBytes : 0);
  if (bytes != fixed + std::size_t{count} * kRunBytes || count > runs.size()) {
    return DecodeStatus::bad_length;
  }
  body.after = load_le<std::uint64_t>(at + kAfterAt);
  body.upto = load_le<std::uint64_t>(at + kUptoAt);
  body.answer_wanted = (flags & kAnswerWanted) != 0;
  body.sender_joining = (flags & kSenderJoining) != 0;
  body.more_follows = (flags & kMoreFollows) != 0;
  if (body.after > body.upto) return DecodeStatus::bad_body;
  if (names_broadcast) {
    if (!may_name_broadcast(type)) return DecodeStatus::bad_body;
    const DecodeStatus named = decode_broadcast(at + Body::kFixedBytes, processes, body.broadcast);
    if (named != DecodeStatus::ok) return named;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!decode_run(at + fixed + i * kRunBytes, processes, runs[i])) {
      return DecodeStatus::bad_body;
    }
  }
  body.runs = runs.first(count);
  return DecodeStatus::ok;
}

}  // namespace holdfast
