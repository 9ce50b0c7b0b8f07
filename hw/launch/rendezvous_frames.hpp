// What is said at a rendezvous, over one connection from each process to process 0. All numbers but
// a member's endpoint (udp_address.hpp) are little-endian, all lengths known before they are read.
//
//   both     hello   magic 4, version 1, wire version 1, zero 2; nonce 16
//   process  claim   rank 4, processes 4, digest of the configuration 32, member, zero up to the
//                    length of one with as many rails as may be; mac 32
//   0        answer  kind 1, bytes of the body 4; body; mac 32
//
// The body of `begin` is the job's number and all members by rank, each with as many rails as the
// process that it is for; of `refusal` whose fault it is (a MeetingFault, 1) and a sentence.
// `no_key` has none, and no mac that could be checked: who is told so has another key. A mac is
// BLAKE2b, keyed with the job's key, over its kind, both nonces (the process's first) and what it
// is of; so what was said once is worth nothing at another meeting or in the other direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/launch/meeting.hpp"
#include "stack/several_rails.hpp"

namespace holdfast::hw {

using Nonce = std::array<std::byte, 16>;
constexpr std::size_t kHelloBytes = 8 + 16;
constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kClaimBytes =
    4 + 4 + 32 + job_member_bytes(SeveralRails::kRailsMax) + kMacBytes;
constexpr std::size_t kAnswerHeadBytes = 5;
constexpr std::size_t kRefusalBytesMax = 512;

// Of one connection, known to both of its ends.
struct Nonces {
  Nonce process{};
  Nonce host{};
};

std::array<std::byte, kHelloBytes> encode_hello(const Nonce& nonce);
// Refused, with a sentence, if it is of another version or no hello at all.
Met decode_hello(std::span<const std::byte, kHelloBytes> bytes, Nonce& nonce);

struct Claim {
  std::uint32_t rank = 0;
  std::uint32_t processes = 0;
  Digest configuration{};
  JobMember member;
};
std::array<std::byte, kClaimBytes> encode_claim(const Claim& claim, const JobKey& key,
                                                const Nonces& nonces);
enum class ClaimFault : std::uint8_t { none, other_key, spoilt };
ClaimFault decode_claim(std::span<const std::byte, kClaimBytes> bytes, const JobKey& key,
                        const Nonces& nonces, Claim& claim);

enum class AnswerKind : std::uint8_t { begin = 1, refusal = 2, no_key = 3 };
std::vector<std::byte> encode_answer(AnswerKind kind, std::span<const std::byte> body,
                                     const JobKey& key, const Nonces& nonces);
// Of an answer's head: how many bytes follow it; absent if it is none that a job of so many
// processes with so many rails each can be given.
std::optional<std::size_t> bytes_after_head(std::span<const std::byte, kAnswerHeadBytes> head,
                                            std::uint32_t processes, std::size_t rails);
// What follows a head that has been checked; absent if the mac is not that of the key.
std::optional<std::span<const std::byte>> body_of_answer(AnswerKind kind,
                                                         std::span<const std::byte> after_head,
                                                         const JobKey& key, const Nonces& nonces);

std::vector<std::byte> encode_begin(const MetJob& job);
// False if it is no such body of a job of so many processes with so many rails each. Leaves the key
// alone.
bool decode_begin(std::span<const std::byte> body, std::uint32_t processes, std::size_t rails,
                  MetJob& job);

}  // namespace holdfast::hw
