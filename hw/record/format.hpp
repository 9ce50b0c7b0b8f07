// The recording of one process: everything that entered its engine, and everything the engine did.
//
// Version 2, all numbers little-endian:
//
//   magic "HFRECORD" 8, version 4, then blocks, one a turn:
//     payload length 4, turn 8, now 8, CRC-32 of these twenty bytes 4, payload, CRC-32 of it 4
//   payload: calls in their order
//     kind 1, rail 1, argument length 4, result length 4, arguments, results
//
// Block 0 has what came before the first turn: the opening, the rails, the calls of construction.
// Each length is under a checksum that is read before the bytes it counts, so a block that is cut
// off by the end of the file was cut by a kill and is left out; anything else that does not fit is
// damage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/record/byte_stream.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

constexpr std::array<char, 8> kRecordingMagic{'H', 'F', 'R', 'E', 'C', 'O', 'R', 'D'};
constexpr std::uint32_t kRecordingVersion = 2;
constexpr std::size_t kBlockHeaderBytes = 24;
constexpr std::size_t kCallHeaderBytes = 10;

enum class CallKind : std::uint8_t {
  opening = 1,
  rail,
  attach,
  detach,
  reset,
  register_memory,
  post,
  offer,
  poll,
  set_path,
  address,  // of the engine's address book
};

// For people.
const char* name_of(CallKind kind);

// What a replay needs to build the same engine.
struct RecordingOpening {
  std::string configuration;
  std::vector<std::byte> roster;  // opaque here; written and read by whoever builds engines
  std::uint64_t seed = 0;
  ProcessId self;
  Incarnation incarnation;

  friend bool operator==(const RecordingOpening&, const RecordingOpening&) = default;
};

void encode(const RecordingOpening& opening, ByteWriter& to);
RecordingOpening decode_opening(ByteReader& from);

void encode(const Address& address, ByteWriter& to);
// The reader fails if it is none.
Address decode_address(ByteReader& from);

// Without `kind`, which is a pointer; a replayed rail is of kind "replay".
void encode(const Caps& caps, ByteWriter& to);
Caps decode_caps(ByteReader& from);

// The arguments of post; bytes that the operation sends are part of them, where they could be sent.
void encode_post(std::span<const Operation> operations, std::uint32_t frame_bytes_max,
                 ByteWriter& to);
// Where in the arguments of a post byte `offset` lies, as text: "operation 2, byte 17 of its
// frame".
std::string place_in_post(std::span<const std::byte> arguments, std::size_t offset);

// The arguments of offer; where the memory lies is of no consequence.
void encode_offer(std::span<const ReceiveSlot> slots, ByteWriter& to);

void encode(const Event& event, ByteWriter& to);
Event decode_event(ByteReader& from);

// Whether a monotonic clock can show it: it begins at the machine's start, and 146 years are
// enough. Sums of such times and of the durations of a configuration do not overflow.
constexpr bool is_clock_time(Time time) {
  return time.ns >= 0 && time.ns < std::int64_t{1} << 62;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace holdfast::hw
