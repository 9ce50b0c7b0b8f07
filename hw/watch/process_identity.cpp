// Reads /proc/PID/stat, see proc(5).
#include "hw/watch/process_identity.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "hw/descriptor.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

std::optional<ProcessIdentity> identify(std::int32_t pid) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::array<char, 1024> text{};
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) return std::nullopt;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  // Field 2 is the program's name in brackets and may hold anything; the last bracket ends it.
  const std::size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(name_end + 1);
  for (int field = 3; field <= 22; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  ProcessIdentity identity{pid, 0};
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), identity.start_ticks);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return identity;
}

Address to_address(const ProcessIdentity& identity) {
  Address address;
  store_le(&address.bytes[0], static_cast<std::uint32_t>(identity.pid));
  store_le(&address.bytes[4], identity.start_ticks);
  address.size = 12;
  return address;
}

std::optional<ProcessIdentity> to_process_identity(const Address& address) {
  if (address.size != 12) return std::nullopt;
  const auto pid = static_cast<std::int32_t>(load_le<std::uint32_t>(&address.bytes[0]));
  if (pid <= 0) return std::nullopt;
  return ProcessIdentity{pid, load_le<std::uint64_t>(&address.bytes[4])};
}

}  // namespace holdfast::hw
