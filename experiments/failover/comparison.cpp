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

  Status run() {
    if (Status status = measure_steady(); !status.is_ok()) return status;
    for (std::size_t k = 0; k < plan_.kinds.size() && !plan_.is_over(); ++k) {
      const FaultKind& kind = *plan_.kinds[k];
      const auto earlier = plan_.kinds.begin() + static_cast<std::ptrdiff_t>(k);
      if (!is_ours_ && std::any_of(plan_.kinds.begin(), earlier,
                                   [&](const FaultKind* one) { return are_alike(*one, kind); }))
        continue;
      if (Status status = run_kind(kind); !status.is_ok()) return status;
    }
    return Status::ok();
  }

 private:
  Status measure_steady() {
    std::vector<SteadyRow> rows;
    for (std::uint32_t repetition = 0; repetition < plan_.times; ++repetition) {
      for (const std::vector<std::uint32_t>& rails : {std::vector<std::uint32_t>{0}, {1}, {0, 1}}) {
        if (plan_.is_over()) return Status::ok();
        SteadyRow row;
        if (Status status = run_steady(rails, repetition, row); !status.is_ok()) return status;
        rows.push_back(row);
      }
    }
    findings_.steady.insert(findings_.steady.end(), rows.begin(), rows.end());
    const std::vector<SteadySummary> summaries = summaries_of(rows);
    for (std::size_t rail = 0; rail < 2; ++rail) single_[rail] = summaries[rail].bytes_per_second;
    promise_two_rails(summaries[2].bytes_per_second);
    return Status::ok();
  }

  Status run_steady(const std::vector<std::uint32_t>& rails, std::uint32_t repetition,
                    SteadyRow& row) {
    const std::string text = rails.size() == 2 ? "0 and 1" : std::to_string(rails[0]);
    plan_.before_each(name_ + ", rail " + text + ", " + progress_of(repetition));
    TrialPlan trial;
    trial.before = kWarm + kSteady;
    trial.is_over = plan_.is_over;
    StreamPlan stream;
    stream.rails = rails;
    TrialResult result;
    if (Status status = run(trial, stream, result); !status.is_ok()) return status;
    if (!result.failure.empty()) return Status::error(name_ + ": " + result.failure);
    row = steady_row_of(result);
    row.contender = name_;
    row.rails = text;
    row.repetition = repetition;
    return Status::ok();
  }

  std::string progress_of(std::uint32_t repetition) const {
    return std::to_string(repetition + 1) + " of " + std::to_string(plan_.times);
  }

  // Of rails that are alike.
  void promise_two_rails(double both) {
    if (plan_.megabits[0] != plan_.megabits[1]) return;
    const double one = std::max(single_[0], single_[1]);
    findings_.shows.push_back({"two rails / one", name_, "none", plan_.times,
                               one > 0 ? both / one : 0, kTwoRailsLeast, true});
  }

  Status run_kind(const FaultKind& kind) {
    std::vector<GapRow> rows;
    for (std::uint32_t repetition = 0; repetition < plan_.times; ++repetition) {
      const std::uint32_t rail = repetition % 2;
      plan_.before_each(name_ + ", " + std::string(kind.name) + ", " + progress_of(repetition));
      Random random(plan_.seed, kPurpose, trials_++);
      TrialPlan trial;
      trial.kind = &kind;
      trial.rail = rail;
      trial.before = kWarm + nanoseconds(static_cast<std::int64_t>(
                                 random.below(static_cast<std::uint64_t>(kPhase.ns))));
      trial.is_over = plan_.is_over;
      StreamPlan stream;
      stream.rails = {0, 1};
      stream.watches_ports = kind.watches_ports;
      TrialResult result;
      if (Status status = run(trial, stream, result); !status.is_ok()) return status;
      if (plan_.is_over()) return Status::ok();
      if (is_ours_ && !result.failure.empty())
        return Status::error(name_ + ", " + std::string(kind.name) + ": " + result.failure);
      GapRow row = row_of(result, kind, single_[1 - rail]);
      row.contender = name_;
      row.rail = rail;
      row.repetition = repetition;
      add_bins(result, row);
      rows.push_back(row);
    }
    const auto shows = shows_of(kind, rows);
    findings_.shows.insert(findings_.shows.end(), shows.begin(), shows.end());
    findings_.gaps.insert(findings_.gaps.end(), rows.begin(), rows.end());
    return Status::ok();
  }

  Status run(const TrialPlan& trial, StreamPlan& stream, TrialResult& result) {
    stream.message_bytes = plan_.message_bytes;
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
  std::array<double, 2> single_{};
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
  // What trials will do with rails, tried once on one that carries nothing.
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
  const auto ours = [&](const StreamPlan& stream, const SharedLog& log,
                        std::unique_ptr<Stream>& started) {
    return start_holdfast(stream, network, log, started);
  };
  if (Status status = Contest(plan, network, "holdfast", ours, true, findings).run();
      !status.is_ok())
    return status;
  if (plan.mpi_program.empty()) return Status::ok();
  const auto mpi = [&](const StreamPlan& stream, const SharedLog& log,
                       std::unique_ptr<Stream>& started) {
    return start_mpi(stream, network, kControl, plan.mpi_program, log, started);
  };
  const std::size_t gaps_before = findings.gaps.size();
  const Status status = Contest(plan, network, "ob1 tcp", mpi, false, findings).run();
  // Where it cannot be started there is no such contender.
  if (!status.is_ok() && findings.gaps.size() > gaps_before) return status;
  if (!status.is_ok()) findings.without_mpi = status.message();
  return Status::ok();
}

}  // namespace holdfast::failover
