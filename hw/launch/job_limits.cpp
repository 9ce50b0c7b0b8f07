// getrlimit and setrlimit. The limit of open files is raised to what is needed and no further: a
// program that closes all descriptors that it might have takes long where there might be a billion.
#include "hw/launch/job_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
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
constexpr Limit kThreads{RLIMIT_NPROC, "processes and threads of a user", "RLIMIT_NPROC", "-u",
                         "nproc"};

std::uint64_t open_now() {
  std::error_code error;
  const std::filesystem::directory_iterator open("/proc/self/fd", error);
  return error ? 0 : static_cast<std::uint64_t>(std::distance(begin(open), end(open)));
}

// Makes the soft limit `raised` if it is lower and that is allowed; an error if `needed` is not.
Status raise(const Limit& limit, rlim_t raised, std::uint64_t needed, std::uint64_t processes) {
  rlimit now{};
  if (::getrlimit(limit.which, &now) != 0 || now.rlim_cur >= raised) return Status::ok();
  if (now.rlim_max >= needed) {
    now.rlim_cur = std::min(raised, now.rlim_max);
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
  const std::uint64_t files = open_now() + needs.descriptors + kSpareDescriptors;
  const Status status = raise(kOpenFiles, files, files, needs.processes);
  // The kernel holds root to no number of threads.
  if (!status.is_ok() || ::getuid() == 0) return status;
  return raise(kThreads, RLIM_INFINITY, needs.threads + 1, needs.processes);
}

}  // namespace holdfast::hw
