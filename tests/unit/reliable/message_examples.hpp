// A message frame of each type, written byte by byte from the specification's tables and not with
// the product's encoder, and what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/reliable/message_frame.hpp"

namespace holdfast::reliable {

using Frame = std::vector<std::byte>;
using Type = MessageFrameType;
using Status = MessageDecodeStatus;

constexpr std::uint32_t kJob = 0x0a0b0c0d;
constexpr ProcessId kSender{0x01020304}, kReceiver{7};
constexpr Incarnation kSenderLife{0x10001}, kReceiverLife{0x20000};
inline const ConnectionSeed kConnection =
    connection_seed(kJob, kSender, kSenderLife, kReceiver, kReceiverLife);

void put(Frame& frame, std::size_t at, std::uint64_t value, std::size_t bytes);

// Writes the frame's own checksum where its type has it (PROTOCOL 13.5).
void check_in(Frame& frame);

struct Example {
  Frame frame;
  MessageHeader header;
};

// One of each type, in their order.
std::vector<Example> examples();

// That of one type.
Example example(MessageFrameType type);

}  // namespace holdfast::reliable
