// Waiting is by short naps: what is measured is written down by the stream's own processes.
#include "experiments/failover/trial.hpp"

#include <unistd.h>

#include <optional>
#include <span>

#include "hw/monotonic_clock.hpp"

namespace holdfast::failover {
namespace {

constexpr Duration kStartPatience = seconds(20);
constexpr Duration kResumePatience = seconds(10);
constexpr Duration kAfter = milliseconds(300);  // looked at when all is well again
constexpr unsigned kNap_us = 2000;

class Trial {
 public:
  Trial(const TrialPlan& plan, const StreamPlan& stream, hw::HostNetwork& network,
        const SharedLog& log)
      : plan_(plan), stream_plan_(stream), network_(network), log_(log) {}

  Status run(const StartStream& start, TrialResult& result) {
    if (Status status = start(stream_plan_, log_, stream_); !status.is_ok()) return status;
    if (!wait_until([&] { return delivered() > 0; }, kStartPatience) && !has_failed())
      return Status::error("no message came within " +
                           std::to_string(kStartPatience.ns / 1'000'000'000) + " s");
    pause(plan_.before);
    result.broken = result.mended = hw::monotonic_now();
    if (plan_.kind != nullptr && !has_failed()) {
      if (Status status = break_and_mend(result); !status.is_ok()) return status;
    }
    result.ended = hw::monotonic_now();
    result.failure = stream_->failure();
    stream_.reset();
    read_log(result);
    return Status::ok();
  }

 private:
  std::uint32_t delivered() const { return log_->deliveries.load(std::memory_order_acquire); }
  bool has_failed() { return !stream_->failure().empty(); }

  // False: it has not come to that.
  template <class Condition>
  bool wait_until(const Condition& condition, Duration patience) {
    const Time latest = hw::monotonic_now() + patience;
    while (!condition()) {
      if (hw::monotonic_now() >= latest || has_failed() || plan_.is_over()) return false;
      ::usleep(kNap_us);
    }
    return true;
  }
  void pause(Duration length) {
    wait_until([] { return false; }, length);
  }

  Status break_and_mend(TrialResult& result) {
    for (std::size_t i = 0; i < 2; ++i) {
      ports_down_[i] = log_->ends[i].ports_down.load();
      send_errors_[i] = log_->ends[i].send_errors.load();
    }
    result.broken = hw::monotonic_now();
    for (const hw::RailFault fault : plan_.kind->faults) {
      if (Status status = network_.begin(plan_.kind->host, plan_.rail, fault); !status.is_ok())
        return status;
    }
    pause(plan_.kind->lasts);
    note_how(result);
    result.mended = hw::monotonic_now();
    for (const hw::RailFault fault : plan_.kind->faults) {
      if (Status status = network_.end(plan_.kind->host, plan_.rail, fault); !status.is_ok())
        return status;
    }
    const std::uint32_t before = delivered();
    result.resumed = wait_until([&] { return delivered() > before; }, kResumePatience);
    const Duration patience = returns() ? kResumePatience : Duration{0};
    if (result.resumed && wait_until([&] { return carry_all(); }, patience))
      all_back_ = hw::monotonic_now();
    pause(kAfter);
    // One that was left for a moment comes back at once.
    result.is_back = wait_until([&] { return carry_all(); }, patience);
    return Status::ok();
  }

  // With the timers of the paper no rail comes back that was given up.
  bool returns() const { return stream_plan_.timers != reliable::Timers::paper; }

  void note_how(TrialResult& result) const {
    for (std::size_t i = 0; i < 2; ++i) {
      if (log_->ends[i].send_errors.load() > send_errors_[i]) result.noticed = Noticed::errors;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (log_->ends[i].ports_down.load() > ports_down_[i]) result.noticed = Noticed::netlink;
    }
  }

  std::span<const HealthChange> changes_of(std::size_t end) const {
    const StreamLog::End& log = log_->ends[end];
    return std::span(log.change).first(log.changes.load(std::memory_order_acquire));
  }

  bool carry_all() const { return carries_all(changes_of(0)) && carries_all(changes_of(1)); }

  void read_log(TrialResult& result) const {
    result.trace.message_bytes = stream_plan_.message_bytes;
    result.trace.deliveries.assign(log_->delivery.begin(), log_->delivery.begin() + delivered());
    result.wrong = log_->wrong.load();
    Fault fault{{}, result.broken, result.mended, all_back_};
    if (plan_.kind != nullptr) fault.rail = plan_.rail;
    for (std::size_t end = 0; end < 2; ++end) add_changes(changes_of(end), fault, result.health);
    if (result.noticed == Noticed::nobody && result.health.noticed_after)
      result.noticed = Noticed::silence;
  }

  const TrialPlan& plan_;
  const StreamPlan& stream_plan_;
  hw::HostNetwork& network_;
  const SharedLog& log_;
  std::unique_ptr<Stream> stream_;
  std::optional<Time> all_back_;
  std::uint32_t ports_down_[2] = {};
  std::uint64_t send_errors_[2] = {};
};

}  // namespace

const char* name_of(Noticed noticed) {
  switch (noticed) {
    case Noticed::netlink:
      return "netlink";
    case Noticed::errors:
      return "errno";
    case Noticed::silence:
      return "silence";
    case Noticed::nobody:
      break;
  }
  return "nobody";
}

Status run_trial(const TrialPlan& plan, const StreamPlan& stream, const StartStream& start,
                 hw::HostNetwork& network, TrialResult& result) {
  SharedLog log;
  if (Status status = SharedLog::create(log); !status.is_ok()) return status;
  return Trial(plan, stream, network, log).run(start, result);
}

}  // namespace holdfast::failover
