// Two copies of this process, each in the namespace of its host. They sleep until a rail has
// something, as processes do that leave the processors to others.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "experiments/failover/message_ring.hpp"
#include "experiments/failover/stream.hpp"
#include "hw/inject/in_namespace.hpp"
#include "hw/run/sleeper.hpp"
#include "hw/status/counting_fabric.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "stack/address_book.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::failover {
namespace {

constexpr std::uint16_t kPort = 7700;
constexpr std::uint32_t kContext = 1;
constexpr std::uint64_t kTag = 7;
constexpr Duration kLongestSleep = milliseconds(20);  // the log may say that it is over
constexpr Incarnation kFirstLife{};

void need(const Status& status) {
  if (!status.is_ok()) throw std::runtime_error(status.message());
}

class StreamEnd final : private AddressBook {
 public:
  StreamEnd(const StreamPlan& plan, std::uint32_t self, StreamLog& log)
      : plan_(plan), self_(self), log_(log), noted_(log.ends[self]), carries_(plan.rails.size()) {
    for (const std::uint32_t rail : plan.rails) {
      hw::UdpOptions options;
      options.local = endpoint_of(rail, self);
      options.peers_max = 1;
      if (plan.watches_ports) options.port = hw::PortWatching::required;
      need(hw::UdpFabric::open(options, sockets_.emplace_back()));
      counted_.push_back(std::make_unique<hw::CountingFabric>(*sockets_.back()));
      rails_.push_back(counted_.back().get());
    }
    reliable::EndpointOptions options;
    options.self = ProcessId{self};
    options.incarnation = kFirstLife;
    // What a stream before this one left in the queues of the rails must not be taken for its own.
    options.job = static_cast<std::uint32_t>(plan.batch);
    options.timers = plan.timers;
    options.seal = "siphash128";  // as the library does
    options.limits.peers = 1;
    options.limits.window_bytes = plan.window_bytes;
    endpoint_ = std::make_unique<reliable::Endpoint>(options, rails_,
                                                     static_cast<const AddressBook&>(*this));
    hw::WakeSources sources;
    sources.signals = false;
    need(sleeper_.open(sources));
    if (!endpoint_->connect(peer(), kFirstLife, hw::monotonic_now()))
      throw std::runtime_error("there is no room for a connection");
    std::fill(carries_.begin(), carries_.end(), true);
    was_up_.assign(plan.rails.size(), true);
  }

  void send_until_stopped() {
    MessageRing ring(plan_.message_bytes, plan_.batch);
    for (std::uint64_t next = 0, done = 0; is_wanted(); wait()) {
      take_completed();
      for (; is_done(done) && done < next; ++done) set_done(done, false);
      for (; next < done + kUnderWay; ++next) {
        ring.fill(next);
        const auto request = endpoint_->send(peer(), kContext, kTag, ring.of(next),
                                             next % kUnderWay, hw::monotonic_now());
        if (request == reliable::kNoRequest) throw std::runtime_error("a send was refused");
      }
    }
  }

  void receive_until_stopped() {
    MessageRing ring(plan_.message_bytes, plan_.batch);
    for (std::uint64_t next = 0, done = 0; is_wanted(); wait()) {
      take_completed();
      for (; is_done(done) && done < next; ++done) {
        set_done(done, false);
        ring.check(done, log_);
      }
      for (; next < done + kUnderWay; ++next) {
        reliable::Pattern pattern;
        pattern.source = peer();
        pattern.context = kContext;
        pattern.tag = kTag;
        const auto request =
            endpoint_->receive(pattern, ring.of(next), next % kUnderWay, hw::monotonic_now());
        if (request == reliable::kNoRequest) throw std::runtime_error("a receive was refused");
      }
    }
  }

 private:
  static hw::UdpEndpoint endpoint_of(std::uint32_t rail, std::uint32_t host) {
    return {hw::HostNetwork::address(host, rail), kPort};
  }
  Address address(std::size_t rail, ProcessId process) const override {
    return to_address(endpoint_of(plan_.rails[rail], process.value));
  }
  ProcessId peer() const { return ProcessId{1 - self_}; }
  bool is_wanted() const { return log_.stop.load(std::memory_order_relaxed) == 0; }
  bool is_done(std::uint64_t number) const { return done_[number % kUnderWay]; }
  void set_done(std::uint64_t number, bool is_done) { done_[number % kUnderWay] = is_done; }

  void take_completed() {
    const Time now = hw::monotonic_now();
    next_turn_ = endpoint_->turn(now);
    note(now);
    std::array<reliable::Completed, kUnderWay> some;
    const std::size_t count = endpoint_->completed(some);
    for (std::size_t i = 0; i < count; ++i) {
      if (some[i].outcome != reliable::Outcome::delivered)
        throw std::runtime_error("a message did not arrive whole");
      set_done(some[i].cookie, true);
    }
  }

  // A turn sends what was given before it, so after new messages there is one without a sleep.
  void wait() {
    const Time now = hw::monotonic_now();
    next_turn_ = endpoint_->turn(now);
    note(now);
    static_cast<void>(sleeper_.sleep(std::min(next_turn_, now + kLongestSleep), rails_));
    noted_.is_ready.store(1, std::memory_order_release);
  }

  void note(Time now) {
    std::uint64_t errors = 0;
    for (std::size_t r = 0; r < rails_.size(); ++r) {
      const bool carries = endpoint_->health(peer(), r) == reliable::RailHealth::up;
      if (carries != carries_[r]) noted_.add({now, static_cast<std::uint8_t>(r), carries});
      carries_[r] = carries;
      if (was_up_[r] && !counted_[r]->up()) noted_.ports_down.fetch_add(1);
      was_up_[r] = counted_[r]->up();
      errors += sockets_[r]->counters().send_errors;
    }
    noted_.send_errors.store(errors);
  }

  const StreamPlan& plan_;
  std::uint32_t self_;
  StreamLog& log_;
  StreamLog::End& noted_;
  std::vector<std::unique_ptr<hw::UdpFabric>> sockets_;
  std::vector<std::unique_ptr<hw::CountingFabric>> counted_;
  std::vector<Fabric*> rails_;
  std::vector<bool> carries_, was_up_;
  std::unique_ptr<reliable::Endpoint> endpoint_;
  hw::Sleeper sleeper_;
  Time next_turn_;
  std::array<bool, kUnderWay> done_{};
};

[[noreturn]] void run_end(const StreamPlan& plan, std::uint32_t self, int name_space,
                          StreamLog& log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  try {
    need(hw::enter_namespace(name_space));
    StreamEnd end(plan, self, log);
    if (self == 0) {
      end.send_until_stopped();
    } else {
      end.receive_until_stopped();
    }
  } catch (const std::exception& error) {
    log.ends[self].fail(error.what());
  }
  ::_exit(0);
}

class ForkedStream final : public Stream {
 public:
  explicit ForkedStream(StreamLog& log) : log_(log) {}
  ~ForkedStream() override {
    log_.stop.store(1);
    for (Process& process : processes_) {
      constexpr int kNaps = 300;
      for (int naps = 0; !has_ended(process) && naps < kNaps; ++naps) ::usleep(10'000);
      if (process.has_ended) continue;
      ::kill(process.number, SIGKILL);
      ::waitpid(process.number, nullptr, 0);
    }
  }

  Status add(const StreamPlan& plan, std::uint32_t self, int name_space) {
    const pid_t process = ::fork();
    if (process < 0)
      return Status::error(std::string("a process cannot be made: ") + std::strerror(errno));
    if (process == 0) run_end(plan, self, name_space, log_);
    processes_.push_back({process});
    return Status::ok();
  }

  std::string failure() override {
    for (const StreamLog::End& end : log_.ends) {
      if (end.has_failed.load(std::memory_order_acquire) != 0) return end.why.data();
    }
    for (Process& process : processes_) {
      if (has_ended(process)) return "one of its processes has ended";
    }
    return "";
  }

 private:
  struct Process {
    pid_t number;
    bool has_ended = false;
  };
  static bool has_ended(Process& process) {
    process.has_ended =
        process.has_ended || ::waitpid(process.number, nullptr, WNOHANG) == process.number;
    return process.has_ended;
  }

  StreamLog& log_;
  std::vector<Process> processes_;
};

}  // namespace

Status start_holdfast(const StreamPlan& plan, const hw::HostNetwork& network, const SharedLog& log,
                      std::unique_ptr<Stream>& started) {
  auto made = std::make_unique<ForkedStream>(*log);
  for (std::uint32_t self = 0; self < 2; ++self) {
    if (Status status = made->add(plan, self, network.name_space(self)); !status.is_ok())
      return status;
  }
  started = std::move(made);
  return Status::ok();
}

}  // namespace holdfast::failover
