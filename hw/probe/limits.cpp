// Sysctls are files in /proc/sys, limits a system call.
#include "hw/probe/limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>

#include "hw/probe/kernel_file.hpp"

namespace holdfast::hw {
namespace {

struct Sysctl {
  const char* name;
  const char* unit;
};

constexpr std::array kSysctls = {Sysctl{"net.core.rmem_max", "bytes"},
                                 Sysctl{"net.core.rmem_default", "bytes"},
                                 Sysctl{"net.core.wmem_max", "bytes"},
                                 Sysctl{"net.core.wmem_default", "bytes"},
                                 Sysctl{"net.core.netdev_max_backlog", ""},
                                 Sysctl{"kernel.pid_max", ""},
                                 Sysctl{"fs.file-max", ""}};

void add_limit(FactGroup& group, const std::string& name, rlim_t limit, const char* unit) {
  if (limit == RLIM_INFINITY) {
    group.add(name, std::string("unlimited"));
  } else {
    group.add(name, static_cast<std::int64_t>(limit), unit);
  }
}

void add_limits(FactGroup& group, const std::string& name, __rlimit_resource which,
                const char* unit) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0) return;  // the kernel has had them all for long
  add_limit(group, name, limit.rlim_cur, unit);
  add_limit(group, name + "_most", limit.rlim_max, unit);
}

}  // namespace

FactGroup probe_limits(const KernelFiles& files) {
  FactGroup limits{"limits", {}, {}};
  for (const Sysctl& sysctl : kSysctls) {
    std::string path = sysctl.name;
    std::replace(path.begin(), path.end(), '.', '/');
    add_number(limits, sysctl.name, files.proc + "/sys/" + path, sysctl.unit);
  }
  add_limits(limits, "open_files", RLIMIT_NOFILE, "");
  add_limits(limits, "locked_memory", RLIMIT_MEMLOCK, "bytes");
  add_limits(limits, "processes", RLIMIT_NPROC, "");
  return limits;
}

}  // namespace holdfast::hw
