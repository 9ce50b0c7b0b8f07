// What the launcher tells each process before it starts (the hand-over), what the process answers,
// and the descriptors that it hands down.
//
// On the control socket, little-endian. From the launcher: 8 bytes that have the same place in
// every version (magic 4, version of the hand-over 2, wire version 1, zero 1), then the assignment
// in a block; once all processes are ready, the start time, 8 bytes. From the process: words of 5
// bytes, kPlaced, kMessagesPlaced, kReady, kLeft and, with a sentence behind it, kUnwritable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/launch/job_fabric.hpp"
#include "hw/record/byte_stream.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/impair/fault_window.hpp"
#include "stack/impair/frame_faults.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

// Descriptors of a process that was launched.
constexpr int kControlDescriptor = 3;  // a stream socket to the launcher, open as long as it lives
constexpr int kLogDescriptor = 4;      // the event log, for appending
constexpr int kTableDescriptor = 5;    // the process table

constexpr std::uint32_t kHandOverMagic = 0x4a4f4c48;
// Grows with each change of what comes after, and of message frames.
constexpr std::uint16_t kHandOverVersion = 9;
constexpr std::size_t kHandOverOpeningBytes = 8;
constexpr std::uint32_t kAssignmentBytesMax = 64u << 20;

// What a process says.
struct Word {
  std::byte kind{};
  std::uint32_t number = 0;
};
// What was missing in its address on a rail, before it is ready: the number of its queue pair in
// the lower 24 bits, the rail above.
constexpr std::byte kPlaced{'p'};
// Likewise, of its messages.
constexpr std::byte kMessagesPlaced{'m'};
// In its place, can be sent frames. The number is the kernel's for the process that takes part,
// which the launcher's child may have made.
constexpr std::byte kReady{'r'};
constexpr std::byte kLeft{'l'};  // has left in order
// Its recording or event log cannot be written, and it ends. The number is the length of the
// sentence that follows and says why.
constexpr std::byte kUnwritable{'w'};
constexpr std::uint32_t kSentenceBytesMax = 4096;
constexpr std::size_t kWordBytes = 5;

// Of these two kinds.
constexpr unsigned kRailShift = 24;
constexpr Word placed_word(std::byte kind, std::size_t rail, std::uint32_t queue_pair) {
  return {kind, static_cast<std::uint32_t>(rail) << kRailShift | queue_pair};
}
constexpr std::size_t rail_of(const Word& placed) {
  return placed.number >> kRailShift;
}
constexpr std::uint32_t queue_pair_of(const Word& placed) {
  return placed.number & ((1u << kRailShift) - 1);
}

struct Assignment {
  ProcessId self;
  std::uint32_t boot = 0;  // counts restarts
  std::uint64_t seed = 0;
  std::uint32_t job = 0;
  JobKey key;
  JobFabric fabric = JobFabric::udp;
  // Where frames arrive: by rail of the job's fabric, of which there is at least one, and there by
  // process, the same processes on each. Over verbs the ports only, see verbs_rail.hpp.
  std::vector<std::vector<Address>> addresses;
  // Where messages arrive, likewise: rails of the same fabric, which carry nothing else. None: the
  // job offers no messages.
  std::vector<std::vector<Address>> message_addresses;
  std::string directory;      // of shared memory; empty on others
  std::string configuration;  // opaque
  std::string recording;      // the file to write; empty: none
  FrameFaults faults;         // of the frames that it sends
  // Of the job's plan what concerns the frames that it sends; see FaultWindow::possible.
  std::vector<FaultWindow> windows;

  std::uint32_t processes() const {
    return addresses.empty() ? 0 : static_cast<std::uint32_t>(addresses.front().size());
  }
};

// Without the configuration, the recording, the faults and what messages need: what a recording
// keeps as its roster.
void encode_roster(const Assignment& assignment, ByteWriter& to);
void decode_roster(ByteReader& from, Assignment& assignment);

// Why a process does not get what it waits for.
enum class HandOverFault : std::uint8_t {
  none,
  gone,           // the launcher
  late,           // nothing came in time
  spoilt,         // what came is no hand-over
  other_version,  // of a build whose hand-over or frames this one does not speak
};
struct [[nodiscard]] HandOver {
  HandOverFault fault = HandOverFault::none;
  std::string message;  // a sentence, unless the fault is none

  bool is_ok() const { return fault == HandOverFault::none; }
  Status status() const { return is_ok() ? Status::ok() : Status::error(message); }
};

// Transfers over the control socket, which may block: receiving until `until` (CLOCK_MONOTONIC).
Status send_bytes(int socket, std::span<const std::byte> bytes);
HandOver receive_bytes(int socket, std::span<std::byte> bytes, Time until = Time::never());
// At once, with the sentence behind it, whose length is then its number.
Status send_word(int socket, const Word& word, std::string_view sentence = {});
Status send_assignment(int socket, const Assignment& assignment);
HandOver receive_assignment(int socket, Assignment& assignment, Time until = Time::never());

// For the launcher: takes a word without waiting; false if there is none, and then `gone` says
// whether the process has closed its end.
bool take_word(int socket, Word& word, bool& gone);

}  // namespace holdfast::hw
