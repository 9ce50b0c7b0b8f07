// Word k is a mixture of the name and k (the finalizer of SplitMix64), so any piece of it can be
// said without those before.
#include "experiments/netpipe/generator.hpp"

#include <algorithm>
#include <cstring>

namespace holdfast::netpipe {
namespace {

constexpr std::uint64_t kStep = 0x9e37'79b9'7f4a'7c15;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9;
  value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11eb;
  return value ^ (value >> 31);
}

std::uint64_t start_of(const MessageName& name) {
  return mixed(mixed(name.batch + kStep) + (std::uint64_t{name.direction} << 32 | name.index));
}

}  // namespace

void generate(const MessageName& name, std::span<std::byte> message) {
  std::uint64_t at = start_of(name);
  for (std::size_t i = 0; i < message.size(); i += sizeof at) {
    const std::uint64_t word = mixed(at += kStep);
    std::memcpy(&message[i], &word, std::min(sizeof word, message.size() - i));
  }
}

bool is_generated(const MessageName& name, std::span<const std::byte> message) {
  std::uint64_t at = start_of(name);
  for (std::size_t i = 0; i < message.size(); i += sizeof at) {
    const std::uint64_t word = mixed(at += kStep);
    if (std::memcmp(&message[i], &word, std::min(sizeof word, message.size() - i)) != 0)
      return false;
  }
  return true;
}

}  // namespace holdfast::netpipe
