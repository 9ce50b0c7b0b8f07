// fork and exec. What goes in and what comes out are files in memory, so that neither side can
// block the other.
#include "hw/inject/run_tool.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "hw/descriptor.hpp"
#include "hw/whole_file.hpp"

namespace holdfast::hw {

namespace {

constexpr int kNotThere = 127;  // as a shell says it
constexpr int kNotEntered = 126;

Status failure_of(const std::string& what) {
  return Status::error(what + ": " + std::strerror(errno));
}

std::string said_in(int file) {
  std::string text = whole_file(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Where a system without them in PATH has tools for administrators.
std::array<std::string, 2> other_places_of(const Tool& tool) {
  return {std::string("/usr/sbin/") + tool.name, std::string("/sbin/") + tool.name};
}

}  // namespace

Status run_tool(const Tool& tool, const std::vector<std::string>& arguments, int name_space,
                const std::string& input) {
  const Descriptor in(::memfd_create("holdfast-input", MFD_CLOEXEC));
  const Descriptor said(::memfd_create("holdfast-said", MFD_CLOEXEC));
  if (!in.is_open() || !said.is_open() ||
      ::pwrite(in.get(), input.data(), input.size(), 0) != static_cast<ssize_t>(input.size())) {
    return failure_of(std::string("cannot run ") + tool.name);
  }
  std::vector<char*> words{const_cast<char*>(tool.name)};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const auto other_places = other_places_of(tool);
  const pid_t pid = ::fork();
  if (pid < 0) return failure_of(std::string("cannot run ") + tool.name);
  if (pid == 0) {
    ::dup2(in.get(), STDIN_FILENO);
    ::dup2(said.get(), STDOUT_FILENO);
    ::dup2(said.get(), STDERR_FILENO);
    if (::setns(name_space, CLONE_NEWNET) != 0) ::_exit(kNotEntered);
    ::execvp(tool.name, words.data());
    for (const std::string& place : other_places) ::execv(place.c_str(), words.data());
    ::_exit(kNotThere);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status::ok();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotThere) {
    return Status::error(std::string("the program ") + tool.name +
                         " is missing; install the Debian package " + tool.package);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotEntered) {
    return Status::error(std::string("cannot enter a network namespace for ") + tool.name);
  }
  return Status::error(std::string(tool.name) + " failed: " + said_in(said.get()));
}

}  // namespace holdfast::hw
