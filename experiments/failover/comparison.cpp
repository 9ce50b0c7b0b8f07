// Each trial has processes of its own: what a rail went through does not count against it later,
// and a contender that hangs is ended.
#include "experiments/failover/comparison.hpp"

#include <algorithm>

#include "stack/base/random.hpp"

namespace holdfast::failover {
namespace {

constexpr std::uint32_t kControl = 2;  // the rail on which Open MPI starts its processes
constexpr std::uint64_t kPurpose = 0x6661'696c;
constexpr Duration kWarm = milliseconds(400);
constexpr Duration kPhase = milliseconds(100);  // a fault is as late as this, at random
constexpr Duration kShownBefore = milliseconds(300);
constexpr double kTwoRailsLeast = 1.7;

// For whoever is told nothing of rails these are one kind.
bool are_alike(const FaultKind& a, const FaultKind& b) {
  return a.faults == b.faults && a.host == b.host && a.lasts == b.lasts;
}

class Contest {
 public:
  Contest(const Plan& plan, hw::HostNetwork& network, std::string name, StartStream start,
          bool is_ours, Findings& findings)
      : plan_(plan),
        network_(network),
        name_(std::move(name)),
        start_(std::move(start)),
        is_ours_(is_ours),
        findings_(findings) {}

  // All in turn: what else the machine has to do changes in the half hour that this may take.
  Status run() {
    for (std::uint32_t repetition = 0; repetition < plan_.times; ++repetition) {
      const std::string progress =
          ", " + std::to_string(repetition + 1) + " of " + std::to_string(plan_.times);
      for (const std::vector<std::uint32_t>& rails : {std::vector<std::uint32_t>{0}, {1}, {0, 1}}) {
        if (plan_.is_over()) return Status::ok();
        if (Status status = run_steady(rails, repetition, progress); !status.is_ok()) return status;
      }
      for (std::size_t k = 0; k < plan_.kinds.size(); ++k) {
        if (plan_.is_over()) return Status::ok();
        if (!is_ours_ && had_alike(k)) continue;
        if (Status status = run_fault(*plan_.kinds[k], repetition, progress); !status.is_ok())
          return status;
      }
    }
    if (!plan_.is_over()) conclude();
    return Status::ok();
  }

  // Messages of it have come.
  bool has_begun() const { return !steady_.empty(); }

 private:
  struct Trialled {
    const FaultKind* kind;
    std::uint32_t rail, repetition;
    TrialResult result;
  };

  bool had_alike(std::size_t k) const {
    const auto earlier = plan_.kinds.begin() + static_cast<std::ptrdiff_t>(k);
    return std::any_of(plan_.kinds.begin(), earlier,
                       [&](const FaultKind* one) { return are_alike(*one, *plan_.kinds[k]); });
  }

  // That a contender cannot do this at all shows at once; what fails later is left out.
  Status run_steady(const std::vector<std::uint32_t>& rails, std::uint32_t repetition,
                    const std::string& progress) {
    const std::string text = rails.size() == 2 ? "0 and 1" : std::to_string(rails[0]);
    plan_.before_each(name_ + ", rail " + text + progress);
    TrialPlan trial;
    trial.before = kWarm + kSteady;
    trial.is_over = plan_.is_over;
    StreamPlan stream;
    stream.rails = rails;
    TrialResult result;
    if (Status status = run(trial, stream, result); !status.is_ok()) return status;
    if (!result.failure.empty()) {
      return is_ours_ || repetition == 0 ? Status::error(name_ + ": " + result.failure)
                                         : Status::ok();
    }
    SteadyRow row = steady_row_of(result);
    row.contender = name_;
    row.rails = text;
    row.repetition = repetition;
    for (const std::uint32_t rail : rails)
      row.wire_bytes_per_second += 1e6 / 8 * plan_.megabits[rail];
    steady_.push_back(row);
    return Status::ok();
  }

  Status run_fault(const FaultKind& kind, std::uint32_t repetition, const std::string& progress) {
    plan_.before_each(name_ + ", " + std::string(kind.name) + progress);
    Random random(plan_.seed, kPurpose, trials_++);
    Trialled trialled{&kind, repetition % 2, repetition, {}};
    TrialPlan trial;
    trial.kind = &kind;
    trial.rail = trialled.rail;
    trial.before =
        kWarm +
        nanoseconds(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(kPhase.ns))));
    trial.is_over = plan_.is_over;
    StreamPlan stream;
    stream.rails = {0, 1};
    stream.watches_ports = kind.watches_ports;
    if (Status status = run(trial, stream, trialled.result); !status.is_ok()) return status;
    if (is_ours_ && !trialled.result.failure.empty() && !plan_.is_over())
      return Status::error(name_ + ", " + std::string(kind.name) + ": " + trialled.result.failure);
    faults_.push_back(std::move(trialled));
    return Status::ok();
  }

  // Rows of a kind stand together.
  void conclude() {
    findings_.steady.insert(findings_.steady.end(), steady_.begin(), steady_.end());
    const std::vector<SteadySummary> steady = summaries_of(steady_);
    promise_two_rails(steady);
    for (const FaultKind* const kind : plan_.kinds) {
      std::vector<GapRow> rows;
      for (const Trialled& one : faults_) {
        if (one.kind != kind) continue;
        GapRow row = row_of(one.result, *kind, steady[1 - one.rail].bytes_per_second);
        row.contender = name_;
        row.rail = one.rail;
        row.repetition = one.repetition;
        add_bins(one.result, row);
        rows.push_back(row);
      }
      const auto shows = shows_of(*kind, rows);
      findings_.shows.insert(findings_.shows.end(), shows.begin(), shows.end());
      findings_.gaps.insert(findings_.gaps.end(), rows.begin(), rows.end());
    }
  }

  // Of rails that are alike.
  void promise_two_rails(const std::vector<SteadySummary>& steady) {
    if (plan_.megabits[0] != plan_.megabits[1]) return;
    const double one = std::max(steady[0].bytes_per_second, steady[1].bytes_per_second);
    findings_.shows.push_back({"two rails / one", name_, "none", plan_.times,
                               one > 0 ? steady[2].bytes_per_second / one : 0, kTwoRailsLeast,
                               true});
  }

  Status run(const TrialPlan& trial, StreamPlan& stream, TrialResult& result) {
    stream.message_bytes = plan_.message_bytes;
    stream.window_bytes = plan_.window_bytes;
    stream.batch = ++batches_;
    if (Status status = run_trial(trial, stream, start_, network_, result); !status.is_ok())
      return Status::error(name_ + ": " + status.message());
    findings_.messages += result.trace.deliveries.size();
    findings_.left_well += result.health.left_well;
    if (result.wrong == 0) return Status::ok();
    return Status::error(name_ + ": " + std::to_string(result.wrong) +
                         " messages are not what was sent");
  }

  void add_bins(const TrialResult& result, const GapRow& row) {
    const Time from = result.broken - kShownBefore;
    const std::vector<double> bins = bandwidth_in_bins(result.trace, from, result.ended, kBin);
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const Duration middle = kBin * static_cast<std::int64_t>(i) + kBin / 2 - kShownBefore;
      findings_.bins.push_back(
          {row.contender, row.fault, row.rail, row.repetition, in_s(middle), bins[i]});
    }
  }

  const Plan& plan_;
  hw::HostNetwork& network_;
  std::string name_;
  StartStream start_;
  bool is_ours_;
  Findings& findings_;
  std::vector<SteadyRow> steady_;
  std::vector<Trialled> faults_;
  std::uint64_t trials_ = 0, batches_ = 0;
};

}  // namespace

Status open_network(const Plan& plan, std::unique_ptr<hw::HostNetwork>& network) {
  std::unique_ptr<hw::HostNetwork> made;
  if (Status status = hw::HostNetwork::open(2, kControl + 1, made); !status.is_ok()) return status;
  for (std::uint32_t host = 0; host < 2; ++host) {
    for (std::uint32_t rail = 0; rail < 2; ++rail) {
      if (Status status = made->limit(host, rail, plan.megabits[rail]); !status.is_ok())
        return status;
    }
  }
  // What trials will do with rails, tried once on one that carries nothing; what it takes to be
  // silent is there from then on.
  for (const FaultKind* const kind : plan.kinds) {
    for (const hw::RailFault fault : kind->faults) {
      if (Status status = made->begin(kind->host, kControl, fault); !status.is_ok()) return status;
      if (Status status = made->end(kind->host, kControl, fault); !status.is_ok()) return status;
    }
  }
  network = std::move(made);
  return Status::ok();
}

Status measure(const Plan& plan, hw::HostNetwork& network, Findings& findings) {
  for (const reliable::Timers timers : plan.timers) {
    const auto ours = [&](StreamPlan stream, const SharedLog& log,
                          std::unique_ptr<Stream>& started) {
      stream.timers = timers;
      return start_holdfast(stream, network, log, started);
    };
    const char* const name = timers == reliable::Timers::paper ? "paper timers" : "holdfast";
    if (Status status = Contest(plan, network, name, ours, true, findings).run(); !status.is_ok())
      return status;
  }
  if (plan.mpi_program.empty()) return Status::ok();
  const auto mpi = [&](const StreamPlan& stream, const SharedLog& log,
                       std::unique_ptr<Stream>& started) {
    return start_mpi(stream, network, kControl, plan.mpi_program, log, started);
  };
  Contest contest(plan, network, "ob1 tcp", mpi, false, findings);
  const Status status = contest.run();
  // Where it cannot be started there is no such contender.
  if (status.is_ok() || contest.has_begun()) return status;
  findings.without_mpi = status.message();
  return Status::ok();
}

}  // namespace holdfast::failover
