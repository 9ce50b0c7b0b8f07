// fork and exec, with nothing between them that is not async-signal-safe.
#include "hw/launch/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hw/launch/assignment.hpp"

namespace holdfast::hw {

namespace {

constexpr int kFirstFree = 10;  // above every descriptor that is handed down

// After fork only calls that are safe there: another thread may have held any lock.
[[noreturn]] void become(const char* program, char* const* arguments, const HandedDown& descriptors,
                         pid_t parent) {
  ::setpgid(0, 0);  // Ctrl-C on a terminal is the launcher's business
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // First out of the way of each other, then to their places.
  const int control = ::fcntl(descriptors.control, F_DUPFD, kFirstFree);
  const int log = ::fcntl(descriptors.log, F_DUPFD, kFirstFree);
  const int table = ::fcntl(descriptors.table, F_DUPFD, kFirstFree);
  ::dup2(control, kControlDescriptor);
  ::dup2(log, kLogDescriptor);
  ::dup2(table, kTableDescriptor);
  ::close_range(kTableDescriptor + 1, ~0u, 0);
  ::execv(program, arguments);
  constexpr char kComplaint[] = "launch: cannot execute the program of the processes\n";
  [[maybe_unused]] const ssize_t written = ::write(2, kComplaint, sizeof kComplaint - 1);
  ::_exit(127);
}

}  // namespace

Status spawn(const std::string& program, const std::vector<std::string>& arguments,
             const HandedDown& descriptors, int& pid) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid = ::fork();
  if (pid == 0) become(program.c_str(), pointers.data(), descriptors, parent);
  if (pid > 0) return Status::ok();
  return Status::error(std::string("cannot start a process: ") + std::strerror(errno));
}

}  // namespace holdfast::hw
