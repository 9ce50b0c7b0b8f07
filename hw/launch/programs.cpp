// Each process goes starting -> joined -> left -> ended, and may end at any point. Its end is
// always learned from its pidfd; its group is killed before it is reaped, so that no number is
// signalled after it has passed on.
#include "hw/launch/programs.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "hw/descriptor.hpp"
#include "hw/launch/end_signals.hpp"
#include "hw/launch/job_limits.hpp"
#include "hw/launch/job_places.hpp"
#include "hw/launch/spawn.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

namespace {

// Between the last word "ready" and the start, for the start to reach everyone.
constexpr Duration kLead = milliseconds(20);

class Programs {
 public:
  Programs(const ProgramPlan& plan, const std::function<void(const ProgramEnd&)>& ended,
           ProgramsResult& result)
      : plan_(plan), ended_(ended), result_(result), children_(plan.processes) {}
  ~Programs() {
    stopping_ = true;
    for (Child& child : children_) {
      if (child.runs()) reap(child);
    }
  }

  Status run();

 private:
  struct Child {
    ProgramEnd end;
    Descriptor process;  // pidfd; closed: not started, or ended
    Descriptor control;
    bool runs() const { return process.is_open(); }
  };

  Status start(ProcessId process);
  void wait();
  void take_signal();
  void hear(Child& child);
  void begin_if_all_are_ready();
  void reap(Child& child);
  void check_beginning();
  void stop(int signal);
  std::string not_joined() const;
  bool anyone(bool (*is)(const Child&)) const {
    return std::any_of(children_.begin(), children_.end(), is);
  }

  const ProgramPlan& plan_;
  const std::function<void(const ProgramEnd&)>& ended_;
  ProgramsResult& result_;
  JobPlaces places_;
  EndSignals signals_;
  std::vector<Child> children_;
  Status failure_ = Status::ok();
  bool begun_ = false;
  bool stopping_ = false;
  Time kill_at_ = Time::never();
};

Status Programs::start(ProcessId process) {
  const auto refused = [](const char* what) {
    return Status::error(std::string(what) + ": " + std::strerror(errno));
  };
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return refused("cannot make a control socket");
  }
  Child& child = children_[process.value];
  child.control = Descriptor(sockets[0]);
  const Descriptor theirs(sockets[1]);
  const Executable program{
      plan_.path,
      plan_.arguments,
      {std::string(kLauncherVariable) + "=control=" + std::to_string(kControlDescriptor) +
       " table=" + std::to_string(kTableDescriptor)},
      true};
  child.end.process = process;
  if (Status status =
          spawn(program, {theirs.get(), -1, places_.table().descriptor()}, child.end.pid);
      !status.is_ok()) {
    return status;
  }
  // Ours and not yet waited for, so the number cannot have passed to another process.
  child.process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child.end.pid, 0)));
  if (!child.runs()) {
    const Status status = refused("cannot watch a process");
    ::kill(child.end.pid, SIGKILL);
    ::waitpid(child.end.pid, nullptr, 0);
    return status;
  }
  // If it has ended already, its end says more than this would.
  (void)send_assignment(child.control.get(), places_.assignment(process, 0)).is_ok();
  return Status::ok();
}

Status Programs::run() {
  if (Status status = signals_.take(); !status.is_ok()) return status;
  std::vector<std::vector<Address>> addresses(plan_.rails);
  if (plan_.fabric == JobFabric::verbs) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < plan_.processes; ++i) nodes.push_back(i / plan_.per_node);
    if (Status status = spread_over_ports(nodes, addresses); !status.is_ok()) return status;
  }
  if (Status status = places_.reserve(plan_.processes, plan_.fabric, plan_.configuration,
                                      plan_.seed, std::move(addresses));
      !status.is_ok()) {
    return status;
  }
  if (plan_.key) places_.use_key(*plan_.key);
  if (Status status = places_.reserve_messages(); !status.is_ok()) return status;
  for (std::uint32_t i = 0; i < plan_.processes; ++i) {
    if (Status status = start({i}); !status.is_ok()) return status;
  }
  while (anyone([](const Child& child) { return child.runs(); })) wait();
  return failure_;
}

void Programs::wait() {
  std::vector<pollfd> waiting{{signals_.descriptor(), POLLIN, 0}};
  for (const Child& child : children_) {
    waiting.push_back({child.process.get(), POLLIN, 0});  // a negative one is passed over
    waiting.push_back({child.control.get(), POLLIN, 0});
  }
  const Time now = monotonic_now();
  if (now >= kill_at_) stop(SIGKILL);
  const Duration left = std::clamp(kill_at_ - now, Duration{0}, seconds(3600));
  const timespec longest{left.ns / 1'000'000'000, left.ns % 1'000'000'000};
  if (::ppoll(waiting.data(), waiting.size(), &longest, nullptr) <= 0) return;
  if (waiting[0].revents != 0) take_signal();
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (waiting[2 + 2 * i].revents != 0) hear(children_[i]);
    if (waiting[1 + 2 * i].revents != 0) reap(children_[i]);
  }
  check_beginning();
}

void Programs::take_signal() {
  const int number = signals_.read();
  if (number == 0) return;
  if (result_.signal == 0) result_.signal = number;
  stop(stopping_ ? SIGKILL : SIGTERM);
}

// The process that takes part need not be the one that we have made: a shell may have come between.
void Programs::hear(Child& child) {
  Word word;
  bool gone = false;
  while (take_word(child.control.get(), word, gone)) {
    if (word.kind == kLeft) child.end.left = true;
    places_.hear(child.end.process, word);
    if (word.kind != kReady || child.end.joined) continue;
    const auto identity = identify(static_cast<std::int32_t>(word.number));
    if (!identity) continue;
    child.end.joined = true;
    places_.table().set(child.end.process, *identity);
  }
  if (gone) child.control.close();
}

// Ends what is left of its group, then takes its status.
void Programs::reap(Child& child) {
  if (child.control.is_open()) hear(child);  // its last word
  ::kill(-child.end.pid, SIGKILL);
  while (::waitpid(child.end.pid, &child.end.wait_status, 0) < 0 && errno == EINTR) {
  }
  child.end.stopped = stopping_;
  child.process.close();
  child.control.close();
  result_.ends.push_back(child.end);
  ended_(child.end);
}

std::string Programs::not_joined() const {
  std::string numbers;
  for (const Child& child : children_) {
    if (!child.end.joined) numbers += " " + std::to_string(child.end.process.value);
  }
  return numbers;
}

// The job begins with all its processes or not at all. Programs that never join are no job, and may
// end as they like.
void Programs::check_beginning() {
  const bool some = anyone([](const Child& child) { return child.end.joined; });
  if (begun_ || stopping_ || !some) return;
  for (const Child& child : children_) {
    const std::string name = "process " + std::to_string(child.end.process.value);
    if (!child.runs() && !child.end.joined) {
      failure_ = Status::error(name + " ended without joining, so the job cannot begin");
    } else if (child.end.joined && !child.control.is_open()) {
      failure_ = Status::error(name + " has joined and is gone before the job could begin" +
                               (not_joined().empty() ? "" : "; not joined yet:" + not_joined()));
    }
    if (!failure_.is_ok()) return stop(SIGTERM);
  }
  begin_if_all_are_ready();
}

void Programs::begin_if_all_are_ready() {
  if (!not_joined().empty()) return;
  begun_ = true;
  std::array<std::byte, 8> start_at;
  store_le(start_at.data(), static_cast<std::uint64_t>((monotonic_now() + kLead).ns));
  for (const Child& child : children_) {
    (void)send_bytes(child.control.get(), start_at).is_ok();  // its end is seen by its pidfd
  }
}

void Programs::stop(int signal) {
  kill_at_ = stopping_ ? Time::never() : monotonic_now() + plan_.grace;
  stopping_ = true;
  for (const Child& child : children_) {
    if (!child.runs()) continue;
    ::kill(-child.end.pid, SIGCONT);  // first: see Job::finish
    ::kill(-child.end.pid, signal);
  }
}

}  // namespace

int ProgramEnd::exit_status() const {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  if (WEXITSTATUS(wait_status) != 0) return WEXITSTATUS(wait_status);
  return joined && !left ? 1 : 0;
}

// Each child has two descriptors, signals take one; rails for messages are as many as for frames.
// How many threads a program makes is its own business.
Status make_room(const ProgramPlan& plan) {
  JobNeeds needs;
  needs.processes = needs.threads = plan.processes;
  needs.descriptors = 1 + std::uint64_t{plan.processes} * 2 +
                      JobPlaces::descriptors(plan.processes, plan.fabric, 2 * plan.rails);
  return make_room(needs);
}

Status run_programs(const ProgramPlan& plan, const std::function<void(const ProgramEnd&)>& ended,
                    ProgramsResult& result) {
  result = ProgramsResult{};
  return Programs(plan, ended, result).run();
}

}  // namespace holdfast::hw
