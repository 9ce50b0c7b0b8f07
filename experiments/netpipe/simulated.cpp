// Both processes have nodes of their own on one switch. What is timed begins when a few messages
// have gone there and back, which open windows and measure round trips. A stream is over when its
// sender has heard that all of it is there, as one that is measured.
#include "experiments/netpipe/simulated.hpp"

#include <algorithm>
#include <memory>

#include "experiments/netpipe/step_length.hpp"
#include "sim/jobs/play.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::size_t kWarmTrips = 4;
constexpr ProcessId kSender{0}, kOther{1};

// One of the two: messages there and back, of which the first are not timed.
class PingPongCourse final : public sim::Course {
 public:
  PingPongCourse(ProcessId self, ProcessId first, std::uint64_t bytes, std::size_t trips)
      : self_(self), begins_(self == first), bytes_(bytes), steps_(2 * trips) {}

  bool next(sim::Step& step) override {
    if (taken_ == steps_) return false;
    const bool sends = (taken_ % 2 == 0) == begins_;
    step = {};
    step.kind = sends ? sim::StepKind::send : sim::StepKind::receive;
    step.peer = ProcessId{1 - self_.value};
    step.bytes = bytes_;
    ++taken_;
    return true;
  }
  bool is_timed() const override { return taken_ > 2 * kWarmTrips; }

 private:
  ProcessId self_;
  bool begins_;
  std::uint64_t bytes_;
  std::size_t steps_, taken_ = 0;
};

// Process 0 sends all messages at once, and process 1 answers with a byte when it has them. Of the
// messages before, which go there and back, process 0 sends the last.
class StreamCourse final : public sim::Course {
 public:
  StreamCourse(ProcessId self, std::uint64_t bytes, std::size_t messages)
      : self_(self), bytes_(bytes), messages_(messages), warm_(self, kOther, bytes, kWarmTrips) {}

  bool next(sim::Step& step) override {
    if (taken_ == 0 && warm_.next(step)) return true;
    if (taken_ == messages_ + 2) return false;
    const bool is_sender = self_ == kSender;
    step = {};
    step.peer = is_sender ? kOther : kSender;
    if (taken_ < messages_) {
      step.kind = is_sender ? sim::StepKind::post_send : sim::StepKind::post_receive;
      step.bytes = bytes_;
    } else if (taken_ == messages_) {
      step.kind = sim::StepKind::wait_all;
    } else {
      step.kind = is_sender ? sim::StepKind::receive : sim::StepKind::send;
      step.bytes = 1;
    }
    ++taken_;
    return true;
  }
  bool is_timed() const override { return taken_ > 0; }

 private:
  ProcessId self_;
  std::uint64_t bytes_;
  std::size_t messages_, taken_ = 0;
  PingPongCourse warm_;
};

struct Contender {
  std::string name;
  sim::PlayOptions options;
};

Contender ours(const bench::Cluster& cluster, const std::string& name, bool has_checksum,
               std::uint32_t fragment_bytes) {
  Contender made{name, {}};
  made.options.transport = sim::Transport::reliable;
  made.options.bits_per_second = cluster.bits_per_second;
  made.options.latency = cluster.latency;
  made.options.fragment_bytes = fragment_bytes;
  made.options.checksum = has_checksum ? "crc32c" : "";
  made.options.work = has_checksum ? cluster.checked : cluster.copied;
  return made;
}

class SimulatedContest {
 public:
  explicit SimulatedContest(const SimulatedPlan& plan) : plan_(plan) {
    const bench::Cluster& cluster = plan.network->cluster;
    std::vector<std::uint32_t> fragments = plan.fragment_bytes;
    if (fragments.empty()) fragments = {cluster.fragment_bytes};
    for (const std::uint32_t bytes : fragments) {
      const std::string cut = fragments.size() > 1 ? " " + std::to_string(bytes) : "";
      protections_.push_back({"holdfast crc32c" + cut, "holdfast none" + cut});
      contenders_.push_back(ours(cluster, protections_.back().with, true, bytes));
      contenders_.push_back(ours(cluster, protections_.back().without, false, bytes));
    }
    Contender raw =
        ours(cluster, "raw " + std::string(plan.network->target), false, cluster.fragment_bytes);
    raw.options.transport = sim::Transport::raw;
    compared_ = {protections_[0].with, protections_[0].without, raw.name, ""};
    contenders_.push_back(std::move(raw));
  }

  Status run(SimulatedFindings& findings) {
    const Network network{std::string(plan_.network->target), std::string(plan_.network->target)};
    for (const std::size_t bytes : plan_.sizes) {
      for (const Pattern pattern : {Pattern::ping_pong, Pattern::stream}) {
        for (const Contender& contender : contenders_) {
          plan_.before_each(contender.name + " " + name_of(pattern) + ", " + std::to_string(bytes) +
                            " bytes");
          if (Status status = play(contender, pattern, bytes); !status.is_ok()) return status;
        }
      }
    }
    std::vector<std::string> names;
    for (const Contender& each : contenders_) names.push_back(each.name);
    findings.rows = measurements_.rows(network.name, names);
    findings.overheads = measurements_.overheads(network.name, protections_);
    findings.shows = promised(network, compared_, measurements_);
    return Status::ok();
  }

 private:
  Status play(const Contender& contender, Pattern pattern, std::size_t bytes) {
    const std::size_t count = messages_of_step(bytes);
    const bool returns = pattern == Pattern::ping_pong;
    const auto course_of = [&](ProcessId process) -> std::unique_ptr<sim::Course> {
      if (returns)
        return std::make_unique<PingPongCourse>(process, kSender, bytes, kWarmTrips + count);
      return std::make_unique<StreamCourse>(process, bytes, count);
    };
    const sim::Played played = sim::play(contender.options, 2, course_of);
    if (!played.failure.empty())
      return Status::error(contender.name + ", " + std::to_string(bytes) +
                           " bytes: " + played.failure);
    const double all = static_cast<double>(bytes) * static_cast<double>(count) * (returns ? 2 : 1);
    measurements_.add(pattern, bytes, contender.name,
                      all * 1e9 / static_cast<double>(played.timed.ns));
    return Status::ok();
  }

  const SimulatedPlan& plan_;
  std::vector<Contender> contenders_;
  std::vector<Protection> protections_;
  Compared compared_;
  Measurements measurements_;
};

}  // namespace

const std::vector<SimulatedNetwork>& simulated_networks() {
  static const std::vector<SimulatedNetwork> networks = {
      {"sim-dr", "InfiniBand DDR, 2 GB/s, of Shipman, Graham and Bosilca (2007)", bench::dr_ddr()},
      {"sim-csum", "InfiniBand QDR, 3 GB/s, of Denis, Trahay and Ishikawa (2012)",
       bench::jack_cluster()}};
  return networks;
}

const SimulatedNetwork* find_simulated_network(std::string_view target) {
  for (const SimulatedNetwork& network : simulated_networks()) {
    if (network.target == target) return &network;
  }
  return nullptr;
}

Status measure_simulated(const SimulatedPlan& plan, SimulatedFindings& findings) {
  return SimulatedContest(plan).run(findings);
}

}  // namespace holdfast::netpipe
