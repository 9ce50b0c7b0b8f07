// Facts about this process, and their bytes: little-endian, but for addresses, which are in the
// form of their fabrics.
#include "hw/launch/meeting.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "hw/descriptor.hpp"
#include "hw/record/format.hpp"
#include "stack/base/assert.hpp"
#include "stack/several_rails.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kRanksListed = 10;

void blake2b(std::span<const std::byte> bytes, std::span<std::byte> digest) {
  ::crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                       0);
}

}  // namespace

HostIdentity host_identity() {
  std::array<char, 256> text{};  // the kernel's start, then the namespace of process numbers
  const Descriptor boot(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  const ssize_t first = ::read(boot.get(), text.data(), text.size() / 2);
  const std::size_t used = first > 0 ? static_cast<std::size_t>(first) : 0;
  const ssize_t second = ::readlink("/proc/self/ns/pid", text.data() + used, text.size() - used);
  const std::size_t size = used + (second > 0 ? static_cast<std::size_t>(second) : 0);
  HostIdentity identity{};
  blake2b(std::as_bytes(std::span(text).first(size)), identity);
  return identity;
}

JobMember self_at(std::vector<Address> addresses, const Address& watched_at) {
  const auto process = to_process_identity(watched_at);
  HOLDFAST_ASSERT(process.has_value());
  return {std::move(addresses), *process, host_identity()};
}

void encode(const JobMember& member, ByteWriter& to) {
  encode(member.addresses, to);
  const Address process = to_address(member.process);
  to.put_bytes(std::span(process.bytes).first(process.size));
  to.put_bytes(member.host);
}

JobMember decode_member(ByteReader& from) {
  JobMember member;
  member.addresses = decode_addresses(from, SeveralRails::kRailsMax);
  if (member.addresses.empty()) from.fail();
  Address identity;
  identity.size = 12;
  const std::span<const std::byte> bytes = from.get_bytes(identity.size);
  std::copy(bytes.begin(), bytes.end(), identity.bytes.begin());
  const auto process = to_process_identity(identity);
  const std::span<const std::byte> host = from.get_bytes(member.host.size());
  std::copy(host.begin(), host.end(), member.host.begin());
  if (!process) from.fail();
  member.process = process.value_or(ProcessIdentity{});
  return member;
}

void encode(std::span<const Address> rails, ByteWriter& to) {
  to.put(static_cast<std::uint8_t>(rails.size()));
  for (const Address& address : rails) encode(address, to);
}

std::vector<Address> decode_addresses(ByteReader& from, std::size_t rails_max) {
  std::vector<Address> rails;
  const auto count = from.get<std::uint8_t>();
  if (count > rails_max) from.fail();
  for (std::uint8_t i = 0; i < count && from.good(); ++i) rails.push_back(decode_address(from));
  return rails;
}

std::string say_rails_differ(const std::string& one, const JobMember& member,
                             const std::string& other, const JobMember& other_member) {
  const std::size_t ones = member.addresses.size();
  const std::size_t others = other_member.addresses.size();
  if (ones == others) return "";
  return one + " has " + std::to_string(ones) + (ones == 1 ? " rail and " : " rails and ") + other +
         " has " + std::to_string(others) +
         "; every process of a job brings an address for each of its rails";
}

std::vector<std::vector<Address>> addresses_of(std::span<const JobMember> members) {
  std::vector<std::vector<Address>> by_process;
  for (const JobMember& member : members) by_process.push_back(member.addresses);
  return by_process;
}

Digest digest_of(std::span<const std::byte> bytes) {
  Digest digest;
  blake2b(bytes, digest);
  return digest;
}

std::uint32_t queue_key_of(const Digest& configuration) {
  return load_le<std::uint32_t>(configuration.data());
}

std::string list_of_ranks(std::span<const std::uint32_t> ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks.first(std::min(ranks.size(), kRanksListed))) {
    text += (text.empty() ? "" : " ") + std::to_string(rank);
  }
  if (ranks.size() <= kRanksListed) return text;
  return text + " and " + std::to_string(ranks.size() - kRanksListed) + " more";
}

bool draw(std::span<std::byte> bytes) {
  return ::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

}  // namespace holdfast::hw
