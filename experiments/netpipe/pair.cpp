// Each process has a socket of its own. One that ends, or says nothing for a minute, is an error.
#include "experiments/netpipe/pair.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>

extern char** environ;

namespace holdfast::netpipe {
namespace {

constexpr int kPatience_ms = 60'000;

Status failure(const char* what) {
  return Status::error(std::string(what) + ": " + std::strerror(errno));
}

bool is_readable(int socket) {
  pollfd waited{socket, POLLIN, 0};
  return ::poll(&waited, 1, kPatience_ms) > 0;
}

// Whether somebody connects while that process lives, and in time.
bool comes_before_end(int listener, pid_t process) {
  const hw::Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  std::array<pollfd, 2> waited{{{listener, POLLIN, 0}, {ended.get(), POLLIN, 0}}};
  return ::poll(waited.data(), waited.size(), kPatience_ms) > 0 && waited[0].revents != 0;
}

// Never returns; what an end cannot do is said with the first report.
[[noreturn]] void run_copy(int socket, bool is_first, const Pair::MakeEnd& make) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  bind_to_processor(is_first ? 0 : 1);
  int status = 0;
  try {
    const std::unique_ptr<End> end = make(is_first);
    serve(socket, is_first, *end);
    // What was opened before the fork is our parent's to close.
  } catch (const std::exception& error) {
    std::fprintf(stderr, "holdfast bench: %s\n", error.what());
    status = 1;
  }
  ::_exit(status);
}

// A socket in a folder of its own, both gone with it.
class MeetingPlace {
 public:
  Status open() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return failure("a temporary folder cannot be made");
    folder_ = pattern;
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path().size() >= sizeof name.sun_path)
      return Status::error("the temporary folder " + folder_ + " has too long a name");
    std::memcpy(name.sun_path, path().c_str(), path().size() + 1);
    listener_ = hw::Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener_.is_open() ||
        ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        ::listen(listener_.get(), 2) != 0) {
      return failure("a unix socket cannot be made");
    }
    return Status::ok();
  }
  ~MeetingPlace() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/socket"; }
  int listener() const { return listener_.get(); }

 private:
  std::string folder_;
  hw::Descriptor listener_;
};

}  // namespace

Status Pair::fork(const MakeEnd& make, std::unique_ptr<Pair>& made) {
  std::unique_ptr<Pair> pair(new Pair);
  for (std::size_t i = 0; i < 2; ++i) {
    int both[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0)
      return failure("a socket cannot be made");
    pair->sockets_[i] = hw::Descriptor(both[0]);
    const hw::Descriptor theirs(both[1]);
    const pid_t process = ::fork();
    if (process < 0) return failure("a process cannot be started");
    if (process == 0) {
      for (hw::Descriptor& ours : pair->sockets_) ours.close();
      run_copy(theirs.get(), i == 0, make);
    }
    pair->processes_.push_back(process);
  }
  made = std::move(pair);
  return Status::ok();
}

Status Pair::start(std::vector<std::string> words, std::unique_ptr<Pair>& made) {
  MeetingPlace place;
  if (Status status = place.open(); !status.is_ok()) return status;
  words.push_back(place.path());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t process = -1;
  const int error =
      ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Status::error(words[0] + " cannot be started: " + std::strerror(error));
  std::unique_ptr<Pair> pair(new Pair);
  pair->processes_.push_back(process);
  for (std::size_t met = 0; met < 2; ++met) {
    hw::Descriptor socket;
    std::uint32_t rank = 2;
    if (comes_before_end(place.listener(), process))
      socket = hw::Descriptor(::accept4(place.listener(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.is_open() || !read_whole(socket.get(), &rank, sizeof rank) || rank > 1 ||
        pair->sockets_[rank].is_open()) {
      return Status::error(words[0] +
                           " did not start two processes; what it said is above, if any");
    }
    pair->sockets_[rank] = std::move(socket);
  }
  made = std::move(pair);
  return Status::ok();
}

Pair::~Pair() {
  // Copies of this process that were made later hold these sockets, too.
  for (const hw::Descriptor& socket : sockets_) {
    if (socket.is_open()) ::shutdown(socket.get(), SHUT_RDWR);
  }
  for (const pid_t process : processes_) {
    // They end by themselves when their sockets do, unless they hang.
    constexpr int kNaps = 300;
    int naps = 0;
    while (::waitpid(process, nullptr, WNOHANG) == 0 && ++naps < kNaps) ::usleep(10'000);
    if (naps < kNaps) continue;
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
}

Status Pair::ask_both(const Order& order, std::array<Report, 2>& reports) {
  for (const hw::Descriptor& socket : sockets_) {
    if (!write_whole(socket.get(), &order, sizeof order))
      return Status::error("a process of the benchmark has ended");
  }
  if (order.kind == Order::Kind::rest) return Status::ok();
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_readable(sockets_[i].get()))
      return Status::error("a process of the benchmark does not answer");
    if (!read_whole(sockets_[i].get(), &reports[i], sizeof reports[i]))
      return Status::error("a process of the benchmark has ended");
  }
  for (const Report& report : reports) {
    if (report.is_ok == 0) return Status::error(report.why.data());
  }
  return Status::ok();
}

Status Pair::measure(Order order, Measured& measured) {
  std::array<Report, 2> reports;
  for (const Order::Kind kind : {Order::Kind::prepare, Order::Kind::go, Order::Kind::rest}) {
    order.kind = kind;
    if (Status status = ask_both(order, reports); !status.is_ok()) return status;
  }
  measured.seconds = reports[0].seconds;
  measured.wrong = reports[0].wrong + reports[1].wrong;
  measured.traffic = {reports[0].traffic, reports[1].traffic};
  measured.round_trip_s = reports[0].round_trip_s;
  measured.additions_per_cycle =
      std::min(reports[0].additions_per_cycle, reports[1].additions_per_cycle);
  const auto share = [](const Report& report) { return report.processor_seconds / report.seconds; };
  measured.processor_share = std::min({1.0, share(reports[0]), share(reports[1])});
  return Status::ok();
}

}  // namespace holdfast::netpipe
