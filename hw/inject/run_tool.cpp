// fork and exec. What comes out is a file in memory, so that a tool that says much does not wait
// for us while we wait for it.
#include "hw/inject/run_tool.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "hw/blocked_signals.hpp"
#include "hw/whole_file.hpp"
#include "stack/base/assert.hpp"

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

// As much as is read: who does not read all of it says by its end whether that is right.
void write_all(int pipe, const std::string& text) {
  const BlockedSignals blocked{SIGPIPE};
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(pipe, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  const timespec no_time{};
  ::sigtimedwait(&blocked.set(), nullptr, &no_time);  // else it would come now
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

StartedTool& StartedTool::operator=(StartedTool&& other) noexcept {
  kill();
  tool_ = other.tool_;
  input_ = std::move(other.input_);
  said_ = std::move(other.said_);
  process_ = std::exchange(other.process_, -1);
  return *this;
}

void StartedTool::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait_for(std::exchange(process_, -1));
}

Status StartedTool::start(const Tool& tool, const std::vector<std::string>& arguments,
                          int name_space, StartedTool& started) {
  StartedTool made;
  made.tool_ = tool;
  made.said_ = Descriptor(::memfd_create("holdfast-said", MFD_CLOEXEC));
  int ends[2] = {-1, -1};
  if (!made.said_.is_open() || ::pipe2(ends, O_CLOEXEC) != 0)
    return failure_of(std::string("cannot run ") + tool.name);
  const Descriptor read_end(ends[0]);
  made.input_ = Descriptor(ends[1]);
  std::vector<char*> words{const_cast<char*>(tool.name)};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const auto other_places = other_places_of(tool);
  made.process_ = ::fork();
  if (made.process_ < 0) return failure_of(std::string("cannot run ") + tool.name);
  if (made.process_ == 0) {
    ::dup2(read_end.get(), STDIN_FILENO);
    ::dup2(made.said_.get(), STDOUT_FILENO);
    ::dup2(made.said_.get(), STDERR_FILENO);
    if (::setns(name_space, CLONE_NEWNET) != 0) ::_exit(kNotEntered);
    ::execvp(tool.name, words.data());
    for (const std::string& place : other_places) ::execv(place.c_str(), words.data());
    ::_exit(kNotThere);
  }
  started = std::move(made);
  return Status::ok();
}

Status StartedTool::finish(const std::string& input) {
  HOLDFAST_ASSERT(process_ >= 0);
  write_all(input_.get(), input);
  input_ = Descriptor();
  const int status = wait_for(std::exchange(process_, -1));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status::ok();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotThere) {
    return Status::error(std::string("the program ") + tool_.name +
                         " is missing; install the Debian package " + tool_.package);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotEntered) {
    return Status::error(std::string("cannot enter a network namespace for ") + tool_.name);
  }
  return Status::error(std::string(tool_.name) + " failed: " + said_in(said_.get()));
}

Status run_tool(const Tool& tool, const std::vector<std::string>& arguments, int name_space,
                const std::string& input) {
  StartedTool started;
  if (Status status = StartedTool::start(tool, arguments, name_space, started); !status.is_ok())
    return status;
  return started.finish(input);
}

}  // namespace holdfast::hw
