// Bytes and macs; see the header.
#include "hw/launch/rendezvous_frames.hpp"

#include <sodium.h>

#include <algorithm>

#include "stack/wire/header.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint32_t kMagic = 0x56525648;
constexpr std::uint8_t kVersion = 3;  // grows with each change of what follows a hello
constexpr std::byte kClaimLabel{'c'};

using Mac = std::array<std::byte, kMacBytes>;

Mac mac_of(std::byte label, const Nonces& nonces, std::span<const std::byte> body,
           const JobKey& key) {
  ByteWriter all;
  all.put_bytes({&label, 1});
  all.put_bytes(nonces.process);
  all.put_bytes(nonces.host);
  all.put_bytes(body);
  Mac mac;
  ::crypto_generichash(reinterpret_cast<unsigned char*>(mac.data()), mac.size(),
                       reinterpret_cast<const unsigned char*>(all.bytes().data()),
                       all.bytes().size(), reinterpret_cast<const unsigned char*>(key.bytes.data()),
                       key.bytes.size());
  return mac;
}

// The last bytes are a mac of those before.
bool mac_fits(std::byte label, const Nonces& nonces, std::span<const std::byte> bytes,
              const JobKey& key) {
  if (bytes.size() < kMacBytes) return false;
  const Mac mac = mac_of(label, nonces, bytes.first(bytes.size() - kMacBytes), key);
  return ::sodium_memcmp(mac.data(), bytes.last(kMacBytes).data(), kMacBytes) == 0;
}

constexpr std::size_t begin_bytes(std::uint32_t processes, std::size_t rails) {
  return 4 + std::size_t{processes} * job_member_bytes(rails);
}

// Between what a claim says and its mac.
constexpr std::size_t padding_bytes(const JobMember& member) {
  return job_member_bytes(SeveralRails::kRailsMax) - job_member_bytes(member.addresses.size());
}

}  // namespace

std::array<std::byte, kHelloBytes> encode_hello(const Nonce& nonce) {
  std::array<std::byte, kHelloBytes> bytes{};
  store_le(bytes.data(), kMagic);
  bytes[4] = std::byte{kVersion};
  bytes[5] = std::byte{kFrameVersion};
  std::copy(nonce.begin(), nonce.end(), bytes.begin() + 8);
  return bytes;
}

Met decode_hello(std::span<const std::byte, kHelloBytes> bytes, Nonce& nonce) {
  if (load_le<std::uint32_t>(bytes.data()) != kMagic) {
    return Met::refused("what listens there is no holdfast node");
  }
  const auto version = std::to_integer<unsigned>(bytes[4]);
  const auto wire = std::to_integer<unsigned>(bytes[5]);
  if (version != kVersion || wire != kFrameVersion) {
    return Met::refused("process 0 is of another build, which speaks wire version " +
                        std::to_string(wire) + " and version " + std::to_string(version) +
                        " of the rendezvous, this one " + std::to_string(kFrameVersion) + " and " +
                        std::to_string(kVersion) + "; use one build for the whole job");
  }
  std::copy_n(bytes.begin() + 8, nonce.size(), nonce.begin());
  return {};
}

std::array<std::byte, kClaimBytes> encode_claim(const Claim& claim, const JobKey& key,
                                                const Nonces& nonces) {
  ByteWriter body;
  body.put(claim.rank);
  body.put(claim.processes);
  body.put_bytes(claim.configuration);
  encode(claim.member, body);
  body.put_bytes(std::vector<std::byte>(padding_bytes(claim.member)));
  body.put_bytes(mac_of(kClaimLabel, nonces, body.bytes(), key));
  std::array<std::byte, kClaimBytes> bytes;
  std::copy(body.bytes().begin(), body.bytes().end(), bytes.begin());
  return bytes;
}

ClaimFault decode_claim(std::span<const std::byte, kClaimBytes> bytes, const JobKey& key,
                        const Nonces& nonces, Claim& claim) {
  if (!mac_fits(kClaimLabel, nonces, bytes, key)) return ClaimFault::other_key;
  ByteReader from(bytes.first(kClaimBytes - kMacBytes));
  claim.rank = from.get<std::uint32_t>();
  claim.processes = from.get<std::uint32_t>();
  const std::span<const std::byte> digest = from.get_bytes(claim.configuration.size());
  std::copy(digest.begin(), digest.end(), claim.configuration.begin());
  claim.member = decode_member(from);
  if (!from.good()) return ClaimFault::spoilt;
  const std::span<const std::byte> padding = from.get_bytes(padding_bytes(claim.member));
  const bool is_zero = std::all_of(padding.begin(), padding.end(),
                                   [](std::byte byte) { return byte == std::byte{}; });
  return is_zero ? ClaimFault::none : ClaimFault::spoilt;
}

std::vector<std::byte> encode_answer(AnswerKind kind, std::span<const std::byte> body,
                                     const JobKey& key, const Nonces& nonces) {
  ByteWriter answer;
  answer.put(static_cast<std::uint8_t>(kind));
  answer.put_block(body);
  answer.put_bytes(kind == AnswerKind::no_key ? Mac{} : mac_of(std::byte(kind), nonces, body, key));
  return {answer.bytes().begin(), answer.bytes().end()};
}

std::optional<std::size_t> bytes_after_head(std::span<const std::byte, kAnswerHeadBytes> head,
                                            std::uint32_t processes, std::size_t rails) {
  const auto body = load_le<std::uint32_t>(head.data() + 1);
  switch (static_cast<AnswerKind>(head[0])) {
    case AnswerKind::begin:
      if (body != begin_bytes(processes, rails)) return std::nullopt;
      break;
    case AnswerKind::refusal:
      if (body > kRefusalBytesMax) return std::nullopt;
      break;
    case AnswerKind::no_key:
      if (body != 0) return std::nullopt;
      break;
    default:
      return std::nullopt;
  }
  return body + kMacBytes;
}

std::optional<std::span<const std::byte>> body_of_answer(AnswerKind kind,
                                                         std::span<const std::byte> after_head,
                                                         const JobKey& key, const Nonces& nonces) {
  if (!mac_fits(std::byte(kind), nonces, after_head, key)) return std::nullopt;
  return after_head.first(after_head.size() - kMacBytes);
}

std::vector<std::byte> encode_begin(const MetJob& job) {
  ByteWriter body;
  body.put(job.number);
  for (const JobMember& member : job.members) encode(member, body);
  return {body.bytes().begin(), body.bytes().end()};
}

bool decode_begin(std::span<const std::byte> body, std::uint32_t processes, std::size_t rails,
                  MetJob& job) {
  ByteReader from(body);
  job.number = from.get<std::uint32_t>();
  job.members.clear();
  for (std::uint32_t i = 0; i < processes && from.good(); ++i) {
    job.members.push_back(decode_member(from));
    if (job.members.back().addresses.size() != rails) return false;
  }
  return from.good() && from.at_end();
}

}  // namespace holdfast::hw
