// One life of a process of this machine. A number alone does not name it, because the kernel gives
// numbers again; number and start time together are unique until the machine is started again.
#pragma once

#include <cstdint>
#include <optional>

#include "stack/fabric.hpp"

namespace holdfast::hw {

struct ProcessIdentity {
  std::int32_t pid = 0;
  std::uint64_t start_ticks = 0;  // after boot, in clock ticks: field 22 of /proc/PID/stat

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

enum class Found : std::uint8_t {
  process,
  nobody,   // no process has that number, in this namespace of numbers
  unknown,  // the system does not say: no descriptor is left, or /proc hides it
};

// What the kernel says of the process that has this number now.
Found find_process(std::int32_t pid, ProcessIdentity& identity);
// The same; absent if there is none, or nobody says so.
std::optional<ProcessIdentity> identify(std::int32_t pid);
// Whether that life is known to be over. The number may be another process's since.
bool has_ended(const ProcessIdentity& identity);

// As addresses of the watch fabric: 12 bytes, little-endian.
Address to_address(const ProcessIdentity& identity);
std::optional<ProcessIdentity> to_process_identity(const Address& address);

}  // namespace holdfast::hw
