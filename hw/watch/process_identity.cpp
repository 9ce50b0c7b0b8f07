// Reads /proc/PID/stat, see proc(5).
#include "hw/watch/process_identity.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "hw/descriptor.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

namespace {

// /proc may not be mounted, or hide the processes of others (hidepid).
bool is_nobodys(std::int32_t pid) {
  return pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH);
}

// Of the text of /proc/PID/stat.
std::optional<std::uint64_t> start_ticks_in(std::string_view rest) {
  // Field 2 is the program's name in brackets and may hold anything; the last bracket ends it.
  const std::size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(name_end + 1);
  for (int field = 3; field <= 22; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t ticks = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), ticks);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return ticks;
}

}  // namespace

// A process may end between opening its file and reading it, which then fails with ESRCH.
Found find_process(std::int32_t pid, ProcessIdentity& identity) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text{};
  const ssize_t size = file.is_open() ? ::read(file.get(), text.data(), text.size()) : -1;
  if (size < 0 && (errno == ESRCH || (errno == ENOENT && is_nobodys(pid)))) return Found::nobody;
  if (size <= 0) return Found::unknown;
  const auto ticks = start_ticks_in({text.data(), static_cast<std::size_t>(size)});
  if (!ticks) return Found::unknown;
  identity = {pid, *ticks};
  return Found::process;
}

std::optional<ProcessIdentity> identify(std::int32_t pid) {
  ProcessIdentity identity;
  if (find_process(pid, identity) != Found::process) return std::nullopt;
  return identity;
}

bool has_ended(const ProcessIdentity& identity) {
  ProcessIdentity now;
  const Found found = find_process(identity.pid, now);
  return found == Found::nobody || (found == Found::process && now != identity);
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
