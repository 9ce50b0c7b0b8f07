// getrlimit and setrlimit. A soft limit is raised to what is needed and no further: a program that
// closes all descriptors that it might have takes long where there might be a billion.
#include "hw/launch/job_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

namespace holdfast::hw {

namespace {

// For what is open only for a moment (the other end of a socket pair, /proc/PID/stat, pipes of a
// tool) and for the files of whoever has called the launcher.
constexpr std::uint64_t kSpareDescriptors = 32;

struct Limit {
  __rlimit_resource which;
  const char* what;
  const char* name;
  const char* option;  // of ulimit
  const char* item;    // in limits.conf
};

constexpr Limit kOpenFiles{RLIMIT_NOFILE, "open files", "RLIMIT_NOFILE", "-n", "nofile"};
constexpr Limit kProcesses{RLIMIT_NPROC, "processes of a user", "RLIMIT_NPROC", "-u", "nproc"};

std::uint64_t open_now() {
  std::error_code error;
  const std::filesystem::directory_iterator open("/proc/self/fd", error);
  return error ? 0 : static_cast<std::uint64_t>(std::distance(begin(open), end(open)));
}

Status raise(const Limit& limit, std::uint64_t needed, std::uint64_t processes) {
  rlimit now{};
  if (::getrlimit(limit.which, &now) != 0 || now.rlim_cur >= needed) return Status::ok();
  if (now.rlim_max >= needed) {
    now.rlim_cur = needed;
    if (::setrlimit(limit.which, &now) == 0) return Status::ok();
  }
  const std::string number = std::to_string(needed);
  return Status::error(
      "a job of " + std::to_string(processes) + " processes needs a limit of " + limit.what + " (" +
      limit.name + ") of at least " + number + ", and the hard limit is " +
      std::to_string(now.rlim_max) + "; raise it with ulimit " + limit.option + " " + number +
      " as root, or by " + limit.item + " in /etc/security/limits.conf, or start fewer processes");
}

}  // namespace

Status make_room(const JobNeeds& needs) {
  const Status status =
      raise(kOpenFiles, open_now() + needs.descriptors + kSpareDescriptors, needs.processes);
  // The kernel holds root to no number of processes. Of others, those that run already count, too;
  // how many there will be is not known here, so this is the least.
  if (!status.is_ok() || ::getuid() == 0) return status;
  return raise(kProcesses, needs.processes + 1, needs.processes);
}

}  // namespace holdfast::hw
