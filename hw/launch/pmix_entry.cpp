// The versions are looked at before anything that depends on them.
#include "hw/launch/pmix_entry.hpp"

#include <algorithm>
#include <string>

#include "hw/record/format.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint32_t kMagic = 0x504d4648;
// Grows with each change of what follows it, and of message frames.
constexpr std::uint8_t kVersion = 5;

Met undecodable(const std::string& name) {
  return Met::failed("what " + name + " has put into PMIx does not decode");
}

}  // namespace

std::vector<std::byte> encode_pmix_entry(const Introduction& introduction, const MetJob& job) {
  ByteWriter entry;
  entry.put(kMagic);
  entry.put(kVersion);
  entry.put(kFrameVersion);
  entry.put(std::uint16_t{0});
  entry.put(introduction.processes);
  entry.put_bytes(introduction.configuration);
  encode(introduction.self, entry);
  encode(introduction.messages, entry);
  entry.put(job.number);
  entry.put_bytes(job.key.bytes);
  return {entry.bytes().begin(), entry.bytes().end()};
}

Met read_pmix_entry(std::span<const std::byte> bytes, std::uint32_t rank,
                    const Introduction& introduction, MetJob& job) {
  const std::string name = "process " + std::to_string(rank);
  ByteReader from(bytes);
  const bool is_ours = from.get<std::uint32_t>() == kMagic;
  const unsigned version = from.get<std::uint8_t>();
  const unsigned wire = from.get<std::uint8_t>();
  const bool is_padded = from.get<std::uint16_t>() == 0;
  if (is_ours && (version != kVersion || wire != kFrameVersion)) {
    return Met::refused(name + " is of another build, which speaks wire version " +
                        std::to_string(wire) + ", this one " + std::to_string(kFrameVersion) +
                        "; use one build for the whole job");
  }
  const auto processes = from.get<std::uint32_t>();
  const std::span<const std::byte> digest = from.get_bytes(introduction.configuration.size());
  const JobMember member = decode_member(from);
  const std::vector<Address> messages = decode_addresses(from, reliable::kMessageRailsMax);
  const auto number = from.get<std::uint32_t>();
  const std::span<const std::byte> key = from.get_bytes(job.key.bytes.size());
  if (!is_ours || !is_padded || !from.good() || !from.at_end()) {
    return undecodable(name);
  }
  if (processes != introduction.processes ||
      !std::equal(digest.begin(), digest.end(), introduction.configuration.begin())) {
    return Met::refused(name + " has another configuration; give the same to all");
  }
  if (std::string differ = say_rails_differ(name, member, "this process", introduction.self);
      !differ.empty()) {
    return Met::refused(differ);
  }
  if (messages.size() != introduction.messages.size()) return undecodable(name);
  job.members.push_back(member);
  job.messages.push_back(messages);
  if (rank != 0) return {};
  job.number = number;
  std::copy(key.begin(), key.end(), job.key.bytes.begin());
  return {};
}

}  // namespace holdfast::hw
