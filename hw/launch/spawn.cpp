// fork and exec, with nothing between them that is not async-signal-safe.
#include "hw/launch/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

#include "hw/launch/assignment.hpp"

namespace holdfast::hw {

namespace {

constexpr int kFirstFree = 10;  // above every descriptor that is handed down

constexpr const char* kNoRoom =
    "; no more processes are allowed: by ulimit -u (those of the user, threads included), by "
    "kernel.pid_max or by the pids.max of a control group, one of which is to be raised";

// All that the child needs, made before the fork.
struct Words {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string complaint;
};

void put_in_place(int moved, int place) {
  if (moved >= 0) {
    ::dup2(moved, place);
  } else {
    ::close(place);
  }
}

[[noreturn]] void give_up(const Words& words) {
  const char* why = ::strerrordesc_np(errno);  // unlike strerror, safe after a fork
  const iovec parts[] = {{const_cast<char*>(words.complaint.data()), words.complaint.size()},
                         {const_cast<char*>(why), std::strlen(why)},
                         {const_cast<char*>("\n"), 1}};
  [[maybe_unused]] const ssize_t written = ::writev(STDERR_FILENO, parts, std::size(parts));
  ::_exit(127);
}

// After fork only calls that are safe there: another thread may have held any lock.
[[noreturn]] void become(const Executable& executable, const Words& words,
                         const HandedDown& descriptors, pid_t parent) {
  ::setpgid(0, executable.group);  // Ctrl-C on a terminal is the launcher's business
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (executable.reads_nothing) put_in_place(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (descriptors.name_space >= 0 && ::setns(descriptors.name_space, CLONE_NEWNET) != 0)
    give_up(words);
  // First out of the way of each other, then to their places.
  const int control = ::fcntl(descriptors.control, F_DUPFD, kFirstFree);
  const int log = ::fcntl(descriptors.log, F_DUPFD, kFirstFree);
  const int table = ::fcntl(descriptors.table, F_DUPFD, kFirstFree);
  put_in_place(control, kControlDescriptor);
  put_in_place(log, kLogDescriptor);
  put_in_place(table, kTableDescriptor);
  ::close_range(kTableDescriptor + 1, ~0u, 0);
  ::execve(executable.path.c_str(), words.arguments.data(), words.environment.data());
  give_up(words);
}

// Up to and with the '='.
std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('=') + 1);
}

}  // namespace

Status spawn(const Executable& executable, const HandedDown& descriptors, int& pid) {
  std::vector<std::string> arguments{executable.path};
  arguments.insert(arguments.end(), executable.arguments.begin(), executable.arguments.end());
  std::vector<std::string> environment = executable.environment;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const std::string& ours : executable.environment) {
      replaced = replaced || name_in(ours) == name_in(*variable);
    }
    if (!replaced) environment.emplace_back(*variable);
  }
  Words words;
  for (std::string& word : arguments) words.arguments.push_back(word.data());
  for (std::string& variable : environment) words.environment.push_back(variable.data());
  words.arguments.push_back(nullptr);
  words.environment.push_back(nullptr);
  words.complaint = "launch: cannot execute " + executable.path + ": ";
  const pid_t parent = ::getpid();
  pid = ::fork();
  if (pid == 0) become(executable, words, descriptors, parent);
  if (pid > 0) {
    ::setpgid(
        pid,
        executable.group);  // as the child does: whoever is first, the group is there from now on
    return Status::ok();
  }
  const int why = errno;
  return Status::error(std::string("cannot start a process: ") + std::strerror(why) +
                       (why == EAGAIN ? kNoRoom : ""));
}

}  // namespace holdfast::hw
