// Each process of the job goes absent -> starting -> ready -> running -> dying -> absent. Its end
// is always learned from its pidfd and always reaped here, so that no number is signalled after it
// has passed on.
#include "hw/launch/job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/launch/spawn.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/whole_file.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

Status failure_of(const std::string& what) {
  return Status::error(what + ": " + std::strerror(errno));
}

// For what is on its way already.
constexpr Duration kSentencePatience = seconds(1);

// Below those that the kernel gives to whoever asks for none.
constexpr std::uint16_t kFirstPort = 10'000;

std::uint32_t hosts_of(const LaunchPlan& plan) {
  if (plan.host_of.empty()) return plan.processes;
  return *std::max_element(plan.host_of.begin(), plan.host_of.end()) + 1;
}

std::string text_of_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) return "signal " + std::to_string(WTERMSIG(wait_status));
  return "exit status " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace

Job::Job(const LaunchPlan& plan, LaunchResult& result)
    : plan_(plan), result_(result), children_(plan.processes), groups_(hosts_of(plan)) {
  HOLDFAST_ASSERT(plan.host_of.empty() || plan.host_of.size() == plan.processes);
}

// Each child has three descriptors; signals take one, hosts that are separate one each and one for
// what joins them.
JobNeeds Job::needs(const LaunchPlan& plan) {
  const bool apart = plan.separate_hosts;
  JobNeeds needs;
  needs.processes = plan.processes;
  needs.threads = std::uint64_t{plan.processes} * 2;  // of each one serves what asks for its status
  needs.descriptors = 1 + std::uint64_t{plan.processes} * 3 +
                      JobPlaces::descriptors(plan.processes, plan.fabric, apart ? 0 : plan.rails) +
                      (apart ? hosts_of(plan) + 1 : 0);
  return needs;
}

std::uint32_t Job::host_of(ProcessId process) const {
  return plan_.host_of.empty() ? process.value : plan_.host_of[process.value];
}

Job::~Job() {
  // The launch has its result; what a process may still say is no part of it.
  if (failure_.is_ok()) failure_ = Status::error("launch: over");
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    if (children_[i].phase == Phase::absent) continue;
    ::kill(result_.lives[children_[i].life].pid, SIGKILL);
    reap({i});
  }
}

Status Job::prepare() {
  if (plan_.record && plan_.folder.empty()) {
    return Status::error("launch: recordings need a folder");
  }
  if (Status status = signals_.take(); !status.is_ok()) return status;
  std::vector<std::vector<Address>> addresses(plan_.rails);
  if (plan_.separate_hosts) {
    if (Status status = separate_hosts(addresses); !status.is_ok()) return status;
  }
  if (plan_.fabric == JobFabric::verbs) {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t i = 0; i < plan_.processes; ++i) hosts.push_back(host_of({i}));
    if (Status status = spread_over_ports(hosts, addresses); !status.is_ok()) return status;
  }
  const Status status = places_.reserve(plan_.processes, plan_.fabric, plan_.configuration,
                                        plan_.seed, std::move(addresses));
  if (plan_.key) places_.use_key(*plan_.key);
  return status;
}

// A host's network is the job's alone, so any port will do.
Status Job::separate_hosts(std::vector<std::vector<Address>>& addresses) {
  HOLDFAST_ASSERT(plan_.fabric == JobFabric::udp || plan_.fabric == JobFabric::tcp);
  std::vector<std::uint16_t> next_port(hosts_of(plan_), kFirstPort);
  for (std::uint32_t i = 0; i < plan_.processes; ++i) {
    const std::uint32_t host = host_of({i});
    for (std::uint32_t rail = 0; rail < plan_.rails; ++rail) {
      addresses[rail].push_back(
          to_address(UdpEndpoint{HostNetwork::address(host, rail), next_port[host]}));
    }
    ++next_port[host];
  }
  if (Status status = HostNetwork::open(hosts_of(plan_), plan_.rails, network_); !status.is_ok())
    return status;
  const bool any_silent =
      std::any_of(plan_.actions.begin(), plan_.actions.end(), [](const PlannedAction& action) {
        return action.action == LaunchAction::fail && is_silent(action.target.fault);
      });
  return any_silent ? network_->allow_silence() : Status::ok();
}

std::string Job::file_of(const ProcessLife& life, const char* extension) const {
  return plan_.folder + "/process-" + std::to_string(life.process.value) + ".boot-" +
         std::to_string(life.boot) + extension;
}

// Never in the place of another: that would be somebody's log or recording.
Status Job::create(const ProcessLife& life, const char* extension, mode_t mode, Descriptor& file) {
  const std::string path = file_of(life, extension);
  file = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode));
  if (file.is_open()) return Status::ok();
  result_.unwritable = true;
  return failure_of("launch: cannot create " + path);
}

Status Job::open_log(ProcessLife& life, Child& child) {
  if (plan_.folder.empty()) {
    child.log = Descriptor(::memfd_create("holdfast-log", MFD_CLOEXEC));
    if (!child.log.is_open() || ::fcntl(child.log.get(), F_SETFL, O_APPEND) != 0) {
      return failure_of("launch: cannot keep an event log in memory");
    }
    return Status::ok();
  }
  return create(life, ".csv", 0666, child.log);
}

Status Job::start(ProcessId process, std::uint32_t boot) {
  Child& child = children_[process.value];
  HOLDFAST_ASSERT(child.phase == Phase::absent);
  ProcessLife life;
  life.process = process;
  life.boot = boot;
  if (Status status = open_log(life, child); !status.is_ok()) return status;
  // The process writes it; there is a key in it.
  Descriptor recording;
  if (plan_.record) {
    if (Status status = create(life, ".recording", 0600, recording); !status.is_ok()) return status;
  }
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return failure_of("launch: cannot make a control socket");
  }
  child.control = Descriptor(sockets[0]);
  const Descriptor theirs(sockets[1]);
  life.started = monotonic_now();
  const HandedDown descriptors{theirs.get(), child.log.get(), places_.table().descriptor(),
                               network_ ? network_->name_space(host_of(process)) : -1};
  Executable node{plan_.program, plan_.arguments};
  node.group = groups_.group(host_of(process));
  if (Status status = spawn(node, descriptors, life.pid); !status.is_ok()) return status;
  groups_.joined(host_of(process), life.pid);
  child.phase = Phase::starting;
  child.life = result_.lives.size();
  result_.lives.push_back(life);
  // Ours and not yet waited for, so the number cannot have passed to another process.
  child.process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, life.pid, 0)));
  const std::optional<ProcessIdentity> identity = identify(life.pid);
  if (!child.process.is_open() || !identity) return failure_of("launch: cannot watch a process");
  places_.table().set(process, *identity);
  Assignment assignment = places_.assignment(process, boot);
  assignment.faults = plan_.faults;
  for (const FaultWindow& window : plan_.windows)
    if (window.concerns_sender(process)) assignment.windows.push_back(window);
  if (plan_.record) assignment.recording = file_of(life, ".recording");
  // If it has ended already, its end says more than this would.
  (void)send_assignment(child.control.get(), assignment).is_ok();
  return Status::ok();
}

bool Job::all_ready() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.phase >= Phase::ready; });
}

bool Job::anyone_left() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.phase != Phase::absent; });
}

void Job::let_go(ProcessId process) {
  Child& child = children_[process.value];
  if (child.phase != Phase::ready) return;
  child.phase = Phase::running;
  std::array<std::byte, 8> start_at;
  store_le(start_at.data(), static_cast<std::uint64_t>(result_.start.ns));
  (void)send_bytes(child.control.get(), start_at).is_ok();  // its end is seen by its pidfd
}

void Job::let_all_go() {
  going_ = true;
  for (std::uint32_t i = 0; i < children_.size(); ++i) let_go({i});
}

void Job::handle_control(ProcessId process) {
  Child& child = children_[process.value];
  Word word;
  bool gone = false;
  if (take_word(child.control.get(), word, gone)) hear(process, word);
  if (gone) child.control.close();  // it is ending; the pidfd tells when it has
}

void Job::hear(ProcessId process, const Word& word) {
  Child& child = children_[process.value];
  if (word.kind == kUnwritable) hear_unwritable(process, word.number);
  if (child.phase != Phase::starting) return;
  places_.hear(process, word);
  if (word.kind == kReady) {
    child.phase = Phase::ready;
    if (going_) let_go(process);
  }
}

// It has sent the sentence with the word, which is its last.
void Job::hear_unwritable(ProcessId process, std::uint32_t length) {
  Child& child = children_[process.value];
  std::string why(std::min(length, kSentenceBytesMax), ' ');
  if (!receive_bytes(child.control.get(), std::as_writable_bytes(std::span(why)),
                     monotonic_now() + kSentencePatience)
           .is_ok())
    why = "cannot write its recording or its event log";
  child.control.close();
  if (!failure_.is_ok()) return;
  result_.unwritable = true;
  failure_ =
      Status::error("launch: process " + std::to_string(process.value) + " has ended: " + why);
}

void Job::wait(Time until, bool or_ready) {
  std::vector<pollfd> waiting;
  const auto over = [&] {
    if (finishing()) return !anyone_left();
    return interrupted() || !failure_.is_ok() || (or_ready && all_ready());
  };
  while (!over()) {
    const Time now = monotonic_now();
    if (now >= until) return;
    waiting.assign(1, {signals_.descriptor(), POLLIN, 0});
    for (const Child& child : children_) {
      waiting.push_back({child.process.get(), POLLIN, 0});  // a negative one is passed over
      waiting.push_back({child.phase == Phase::starting ? child.control.get() : -1, POLLIN, 0});
    }
    const Duration left = std::min(until - now, seconds(3600));
    const timespec longest{left.ns / 1'000'000'000, left.ns % 1'000'000'000};
    if (::ppoll(waiting.data(), waiting.size(), &longest, nullptr) <= 0) continue;
    if (signals_.read() != 0) result_.interrupted = true;
    for (std::uint32_t i = 0; i < children_.size(); ++i) {
      if (waiting[2 + 2 * i].revents != 0) handle_control({i});
      if (waiting[1 + 2 * i].revents != 0) reap({i});
    }
  }
}

// Waits for the end of a process that is ending, and reads what it has left.
void Job::reap(ProcessId process) {
  Child& child = children_[process.value];
  ProcessLife& life = result_.lives[child.life];
  while (::waitpid(life.pid, &life.wait_status, 0) < 0 && errno == EINTR) {
  }
  groups_.reaped(host_of(process));
  life.ended = monotonic_now();
  bool gone = false;
  for (Word word; child.control.is_open() && take_word(child.control.get(), word, gone);)
    if (word.kind == kUnwritable) hear_unwritable(process, word.number);
  read_log(child, life);
  if (child.phase != Phase::dying && !finishing() && failure_.is_ok()) {
    failure_ = Status::error(
        "launch: process " + std::to_string(process.value) +
        (child.phase == Phase::starting ? " ended before it was ready (" : " ended by itself (") +
        text_of_end(life.wait_status) + ")");
  }
  child = Child{};
}

void Job::read_log(Child& child, ProcessLife& life) {
  ParsedLog parsed;
  const Status status = parse_event_log(whole_file(child.log.get()), parsed);
  if (!status.is_ok() && failure_.is_ok()) failure_ = status;
  life.events = std::move(parsed.events);
  // At the end processes see each other go; that is no part of the run.
  if (finishing()) {
    std::erase_if(life.events, [&](const BeliefEvent& event) { return event.at > result_.end; });
  }
  life.notes = std::move(parsed.notes);
}

bool Job::lives(ProcessId process) const {
  const Phase phase = children_[process.value].phase;
  return phase != Phase::absent && phase != Phase::dying;
}

std::vector<ProcessId> Job::processes_of(LaunchTarget target) const {
  if (target.kind == LaunchTarget::Kind::process) return {ProcessId{target.index}};
  std::vector<ProcessId> processes;
  for (std::uint32_t i = 0; i < plan_.processes; ++i) {
    if (host_of({i}) == target.index) processes.push_back({i});
  }
  return processes;
}

std::vector<ProcessId> Job::signal(LaunchTarget target, int number) {
  std::vector<ProcessId> processes = processes_of(target);
  std::erase_if(processes, [this](ProcessId process) { return !lives(process); });
  if (processes.empty()) return {};
  if (target.kind == LaunchTarget::Kind::host) {
    groups_.signal(target.index, number);
  } else {
    ::kill(result_.lives[children_[target.index].life].pid, number);
  }
  return processes;
}

std::vector<ProcessId> Job::crash(LaunchTarget target) {
  const Time at = monotonic_now();
  std::vector<ProcessId> processes = signal(target, SIGKILL);
  for (const ProcessId process : processes) {
    Child& child = children_[process.value];
    result_.lives[child.life].crashed = at;
    child.phase = Phase::dying;
  }
  return processes;
}

std::vector<ProcessId> Job::restart(LaunchTarget target) {
  std::vector<ProcessId> processes = processes_of(target);
  std::erase_if(processes, [this](ProcessId process) { return !restart_one(process); });
  return processes;
}

bool Job::restart_one(ProcessId process) {
  Child& child = children_[process.value];
  if (child.phase == Phase::dying) reap(process);
  if (child.phase != Phase::absent) return false;
  std::uint32_t boot = 0;
  for (const ProcessLife& life : result_.lives) {
    if (life.process == process) boot = life.boot + 1;
  }
  if (Status status = start(process, boot); !status.is_ok()) failure_ = status;
  return failure_.is_ok();
}

void Job::set_rail(LaunchTarget target, bool fails) {
  HOLDFAST_ASSERT(network_ != nullptr);
  for (std::uint32_t rail = 0; rail < plan_.rails; ++rail) {
    if (target.rail != LaunchTarget::kAllRails && target.rail != rail) continue;
    const Status status = fails ? network_->begin(target.index, rail, target.fault)
                                : network_->end(target.index, rail, target.fault);
    if (!status.is_ok() && failure_.is_ok()) failure_ = status;
  }
}

void Job::finish() {
  result_.end = monotonic_now();
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    // First, in case it is stopped. A process that has heeded SIGTERM is no more to be continued:
    // it may be stopped on purpose, as the leak sanitizer does to look at it, which then waits for
    // ever.
    (void)signal({i}, SIGCONT);
    (void)signal({i}, SIGTERM);
  }
  wait(result_.end + plan_.grace);
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    if (children_[i].phase == Phase::absent) continue;
    result_.lives[children_[i].life].killed_at_end = !signal({i}, SIGKILL).empty();
    reap({i});
  }
}

}  // namespace holdfast::hw
