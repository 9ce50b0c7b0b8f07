// How processes that no launcher of ours has started become a job: each says who and where it is,
// and learns it of all others. There are several ways to meet: through the process manager that has
// started them (pmix_meeting.hpp), or at the address of rank 0 (rendezvous.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/record/byte_stream.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/watch/process_identity.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

// Why a process does not become one of the job.
enum class MeetingFault : std::uint8_t {
  none,
  refused,  // who started it can mend that: another key, a rank that is taken
  failed,   // somebody has not come in time, is gone, or the system refused something
};
struct [[nodiscard]] Met {
  MeetingFault fault = MeetingFault::none;
  std::string message;  // a sentence, unless the fault is none

  bool is_ok() const { return fault == MeetingFault::none; }
  static Met refused(std::string why) { return {MeetingFault::refused, std::move(why)}; }
  static Met failed(std::string why) { return {MeetingFault::failed, std::move(why)}; }
};

// The same for processes that can watch each other's ends: they run under one kernel and see the
// same process numbers.
using HostIdentity = std::array<std::byte, 16>;
HostIdentity host_identity();

// What a process says of itself.
struct JobMember {
  std::vector<Address> addresses;  // of its frames, by rail: 1 … SeveralRails::kRailsMax
  ProcessIdentity process;
  HostIdentity host{};

  friend bool operator==(const JobMember&, const JobMember&) = default;
};
// This process, whose frames arrive there, and which is watched there (WatchFabric).
JobMember self_at(std::vector<Address> addresses, const Address& watched_at);
constexpr std::size_t job_member_bytes(std::size_t rails) {
  return 1 + rails * (1 + Address::kBytesMax) + 12 + 16;
}
void encode(const JobMember& member, ByteWriter& to);
// The reader fails if it is none.
JobMember decode_member(ByteReader& from);
// Addresses by rail, how many there are before them.
void encode(std::span<const Address> rails, ByteWriter& to);
// The reader fails if there are more of them.
std::vector<Address> decode_addresses(ByteReader& from, std::size_t rails_max);
// That two processes, which are named at the beginning and within a sentence, have not as many
// rails; empty: they have.
std::string say_rails_differ(const std::string& one, const JobMember& member,
                             const std::string& other, const JobMember& other_member);

// By process and rail.
std::vector<std::vector<Address>> addresses_of(std::span<const JobMember> members);

// BLAKE2b of what must be the same for all processes.
using Digest = std::array<std::byte, 32>;
Digest digest_of(std::span<const std::byte> bytes);

// Of the job's queue pairs, which are given it before the meeting, where the job gets its number;
// so it keeps jobs apart that are not the same, and the number in each frame does the rest.
std::uint32_t queue_key_of(const Digest& configuration);

// What it brings to the meeting.
struct Introduction {
  JobMember self;
  // Where its messages arrive, by rail; none: nowhere. Only the meeting by PMIx carries them.
  std::vector<Address> messages;
  std::uint32_t processes = 0;  // of the job, as its configuration has it
  Digest configuration{};
  std::optional<JobKey> key;  // that it was given
};

// What it takes away.
struct MetJob {
  std::uint32_t number = 0;
  JobKey key;
  std::vector<JobMember> members;              // by rank, all with as many rails
  std::vector<std::vector<Address>> messages;  // of each, likewise, as it was introduced
};

// "3 5 7", at most ten of them, then how many more.
std::string list_of_ranks(std::span<const std::uint32_t> ranks);

// Drawn by the kernel; false if it has none to give.
bool draw(std::span<std::byte> bytes);

class Meeting {
 public:
  virtual ~Meeting() = default;
  // Finds the place. After it the functions below mean something. Like meet() it takes until then
  // at the longest.
  virtual Met reach(std::uint32_t processes, Time until) = 0;
  virtual ProcessId self() const = 0;
  // The address of this machine by which the others reach it.
  virtual IpAddress local_ip() const = 0;
  // Once, after reach().
  virtual Met meet(const Introduction& introduction, Time until, MetJob& job) = 0;
  // A pipe that ends when whoever keeps the job together is gone; -1: nobody does.
  virtual int lifeline() const { return -1; }
};

}  // namespace holdfast::hw
