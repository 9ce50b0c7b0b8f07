// mpirun runs on the first host. To the second one it gets by an "agent", as it would by ssh: the
// program itself, which enters the host's namespace (mpi_failover.cpp).
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "experiments/failover/stream.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/whole_file.hpp"

namespace holdfast::failover {
namespace {

constexpr int kNotThere = 127;  // as a shell says it

std::string address_of(std::uint32_t host, std::uint32_t rail) {
  return hw::text_of(hw::IpAddress(hw::HostNetwork::address(host, rail)));
}
std::string interface_of(std::uint32_t rail) {
  return "rail-" + std::to_string(rail);
}

std::vector<std::string> words_of(const StreamPlan& plan, const hw::HostNetwork& network,
                                  std::uint32_t control, const std::string& program,
                                  const SharedLog& log) {
  std::string interfaces;
  for (const std::uint32_t rail : plan.rails)
    interfaces += (interfaces.empty() ? "" : ",") + interface_of(rail);
  const std::string agent = program + " enter /proc/" + std::to_string(::getpid()) + "/fd/" +
                            std::to_string(network.name_space(1));
  return {"mpirun",
          "--allow-run-as-root",
          "-n",
          "2",
          "-H",
          address_of(0, control) + "," + address_of(1, control),
          "--bind-to",
          "none",
          "--mca",
          "plm_rsh_agent",
          agent,
          "--mca",
          "pml",
          "ob1",
          "--mca",
          "btl",
          "self,tcp",
          "--mca",
          "btl_tcp_if_include",
          interfaces,
          "--mca",
          "oob_tcp_if_include",
          interface_of(control),
          "--mca",
          "mpi_yield_when_idle",
          "1",
          program,
          log.path(),
          std::to_string(plan.message_bytes),
          std::to_string(plan.batch)};
}

[[noreturn]] void become(const std::vector<std::string>& words, int name_space, int said) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(said, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  if (::setns(name_space, CLONE_NEWNET) != 0) ::_exit(kNotThere);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNotThere);
}

// The first line in which mpirun does not draw.
std::string first_sentence(const std::string& said) {
  for (std::size_t from = 0; from < said.size();) {
    const std::size_t to = std::min(said.find('\n', from), said.size());
    const std::string line = said.substr(from, to - from);
    if (line.find_first_not_of("-=* \t") != std::string::npos) return line;
    from = to + 1;
  }
  return "";
}

class MpiStream final : public Stream {
 public:
  MpiStream(pid_t process, hw::Descriptor said, StreamLog& log)
      : process_(process), said_(std::move(said)), log_(log) {}
  // Its processes end when they see that they shall; mpirun then complains, which is of no
  // interest.
  ~MpiStream() override {
    log_.stop.store(1);
    constexpr int kNaps = 500;
    for (int naps = 0; !has_ended() && naps < kNaps; ++naps) ::usleep(10'000);
    if (has_ended()) return;
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  std::string failure() override {
    if (!has_ended()) return "";
    if (WIFEXITED(status_) && WEXITSTATUS(status_) == kNotThere) return "mpirun is not installed";
    return "mpirun has ended: " + first_sentence(hw::whole_file(said_.get()));
  }

 private:
  bool has_ended() {
    ended_ = ended_ || ::waitpid(process_, &status_, WNOHANG) == process_;
    return ended_;
  }

  pid_t process_;
  hw::Descriptor said_;
  StreamLog& log_;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

Status start_mpi(const StreamPlan& plan, const hw::HostNetwork& network, std::uint32_t control,
                 const std::string& program, const SharedLog& log,
                 std::unique_ptr<Stream>& started) {
  if (::access(program.c_str(), X_OK) != 0)
    return Status::error(program +
                         " is not there; with libopenmpi-dev the target mpi_failover makes it");
  hw::Descriptor said(::memfd_create("holdfast-said", MFD_CLOEXEC));
  const std::vector<std::string> words = words_of(plan, network, control, program, log);
  const pid_t process = said.is_open() ? ::fork() : -1;
  if (process < 0)
    return Status::error(std::string("mpirun cannot be started: ") + std::strerror(errno));
  if (process == 0) become(words, network.name_space(0), said.get());
  ::setpgid(process, process);
  started = std::make_unique<MpiStream>(process, std::move(said), *log);
  return Status::ok();
}

}  // namespace holdfast::failover
