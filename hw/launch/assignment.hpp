// What the launcher tells each process before it starts, and the descriptors that it hands down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/record/byte_stream.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

// Descriptors of a process that was launched.
constexpr int kControlDescriptor = 3;  // a stream socket to the launcher, open as long as it lives
constexpr int kLogDescriptor = 4;      // the event log, for appending
constexpr int kTableDescriptor = 5;    // the process table

// On the control socket: the assignment in a block of its own, then from the process one byte, and
// from the launcher the start time, 8 bytes.
constexpr std::byte kReady{'r'};

struct Assignment {
  ProcessId self;
  std::uint32_t boot = 0;  // counts restarts
  std::uint64_t seed = 0;
  std::uint32_t job = 0;
  JobKey key;
  std::vector<std::uint16_t> ports;  // by process, on 127.0.0.1
  std::string configuration;         // opaque
  std::string recording;             // the file to write; empty: none

  std::uint32_t processes() const { return static_cast<std::uint32_t>(ports.size()); }
};

// Without the configuration and the recording: what a recording keeps as its roster.
void encode_roster(const Assignment& assignment, ByteWriter& to);
void decode_roster(ByteReader& from, Assignment& assignment);

// Blocking transfers over the control socket. An error says that the other side is gone.
Status send_bytes(int socket, std::span<const std::byte> bytes);
Status receive_bytes(int socket, std::span<std::byte> bytes);
Status send_assignment(int socket, const Assignment& assignment);
Status receive_assignment(int socket, Assignment& assignment);

}  // namespace holdfast::hw
