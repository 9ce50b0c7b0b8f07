// Workers run jobs and store them; the calling thread writes the rows in their order.
#include "experiments/runner/campaign.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "experiments/runner/agenda.hpp"
#include "experiments/runner/progress.hpp"
#include "experiments/runner/replicate_file.hpp"
#include "experiments/runner/results_folder.hpp"
#include "experiments/runner/run_record.hpp"
#include "experiments/runner/summary.hpp"
#include "experiments/runner/tables.hpp"

namespace holdfast::runner {
namespace {

using Clock = std::chrono::steady_clock;

// How often the waiting thread looks at the progress and at `stop`.
constexpr std::chrono::milliseconds kLook{200};

std::string name_of(Job job) {
  return "point " + std::to_string(job.point) + " replicate " + std::to_string(job.replicate);
}

// Workers take unfinished jobs and leave finished replicates in the folder; the calling thread
// waits for them in the order of the rows and writes the tables.
class CampaignRun {
 public:
  CampaignRun(const Campaign& campaign, const RunReplicate& run, const CampaignOptions& options,
              ResultsFolder& folder, const std::atomic<bool>& stop)
      : campaign_(campaign),
        run_(run),
        options_(options),
        folder_(folder),
        stop_(stop),
        agenda_(campaign),
        summary_(campaign),
        progress_(stderr, options.quiet) {}

  CampaignResult execute() {
    record_.by_point.resize(campaign_.points.size());
    record_.began = std::chrono::system_clock::now();
    const auto began = Clock::now();
    Status status = find_finished();
    if (status.is_ok()) status = folder_.begin_tables(campaign_);
    if (!status.is_ok()) {
      ending_ = {CampaignEnd::unwritable, status.message()};
    } else {
      start_workers();
      collect();
      give_up_ = true;
      for (std::thread& worker : workers_) worker.join();
    }
    progress_.clear();
    if (stop_ && next_row()) {
      ending_ = {CampaignEnd::interrupted, ""};
    } else if (ending_.end == CampaignEnd::complete) {
      record_.wall = Clock::now() - began;
      finish();
    }
    return {ending_.end, folder_.path(), ending_.message};
  }

 private:
  // How a replicate or the campaign ended; the message is of what is not complete.
  struct Ending {
    CampaignEnd end = CampaignEnd::complete;
    std::string message;
  };

  struct Worker {
    explicit Worker(const std::atomic<bool>& give_up) : monitor(give_up) {}
    ReplicateMonitor monitor;
    std::atomic<std::int64_t> duration_ns{0};  // of the experiment that it runs; 0: none
    std::atomic<bool> real{false};             // that one has real processes

    // Of that experiment's duration.
    Duration reached() const {
      const Clock::time_point began = monitor.began;
      if (began == Clock::time_point{}) return nanoseconds(monitor.reached_ns);
      const std::chrono::nanoseconds gone = Clock::now() - began;
      return nanoseconds(std::min<std::int64_t>(gone.count(), duration_ns));
    }
  };

  void finish() {
    record_.peak_memory_bytes = peak_memory_bytes();
    const Status status = folder_.finish(run_json(campaign_, options_, record_));
    if (!status.is_ok()) {
      ending_ = {CampaignEnd::unwritable, status.message()};
    } else if (!options_.quiet) {
      std::fputs((summary_.text() + imprecise()).c_str(), stdout);
    }
  }

  // What a replicate found may put more of them on the agenda, which earlier runs may have finished
  // too.
  Status find_finished() {
    for (std::uint32_t point = 0; point < campaign_.points.size(); ++point) {
      for (std::uint32_t r = 0; r < agenda_.wanted(point); ++r) {
        if (!folder_.has({point, r})) continue;
        FinishedReplicate replicate;
        if (Status status = folder_.load({point, r}, replicate); !status.is_ok()) return status;
        agenda_.finish({point, r}, replicate.outcome);
      }
    }
    before_ = record_.totals.replicates_before = agenda_.finished();
    if (!folder_.resumed()) return Status::ok();
    const std::string counts =
        std::to_string(before_) + " of " + std::to_string(agenda_.wanted()) + " replicates";
    if (!options_.quiet)
      std::fprintf(stderr, "Resuming %s: %s are finished and are not run again.\n",
                   folder_.path().c_str(), counts.c_str());
    note("resumed: " + counts + " are finished and are not run again");
    return Status::ok();
  }

  void start_workers() {
    const std::size_t most = most_replicates(campaign_) - before_;
    const std::size_t count = std::min<std::size_t>(options_.jobs, most);
    for (std::size_t i = 0; i < count; ++i) monitors_.emplace_back(give_up_);
    for (std::size_t i = 0; i < count; ++i)
      workers_.emplace_back([this, i] { work(monitors_[i]); });
  }

  void work(Worker& worker) {
    std::unique_lock lock(mutex_);
    while (const std::optional<Job> job = wait_for_job(lock)) {
      note("begin " + name_of(*job));
      lock.unlock();
      Outcome outcome;
      const Ending ending = run_one(worker, *job, outcome);
      lock.lock();
      if (ending.end == CampaignEnd::complete) {
        agenda_.finish(*job, outcome);
        note("finish " + name_of(*job));
      } else if (!give_up_) {
        ending_ = ending;
        give_up_ = true;
      }
      changed_.notify_all();
    }
  }

  // Nothing: none is left, or it is time to go.
  std::optional<Job> wait_for_job(std::unique_lock<std::mutex>& lock) {
    while (!give_up_ && !agenda_.complete()) {
      if (const std::optional<Job> job = agenda_.begin()) return job;
      changed_.wait_for(lock, kLook);
    }
    return std::nullopt;
  }

  // Runs and stores a replicate.
  Ending run_one(Worker& worker, Job job, Outcome& outcome) {
    const Experiment& experiment = campaign_.points[job.point].experiment;
    worker.monitor.reached_ns = 0;
    worker.monitor.began = Clock::time_point{};
    worker.real = experiment.fabric.target != Target::simulated;
    worker.duration_ns = experiment.duration.ns;
    const auto began = Clock::now();
    FinishedReplicate finished;
    Status status = Status::ok();
    try {
      status = run_(job, worker.monitor, finished.outcome);
    } catch (const std::bad_alloc&) {
      status = Status::error(
          "there is not enough memory; `holdfast check` says how much it takes, and with --jobs 1 "
          "it "
          "takes least");
    } catch (const std::exception& error) {
      status = Status::error(error.what());
    }
    worker.duration_ns = 0;
    if (!status.is_ok()) {
      return {worker.monitor.unwritable ? CampaignEnd::unwritable : CampaignEnd::failed,
              name_of(job) + ": " + status.message()};
    }
    finished.wall.ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
    status = folder_.store(job, replicate_text(finished));
    if (!status.is_ok()) return {CampaignEnd::unwritable, status.message()};
    outcome = std::move(finished.outcome);
    return {};
  }

  // Writes the rows in their order as they become known, until all are written or it has to end.
  void collect() {
    std::unique_lock lock(mutex_);
    while (const std::optional<Job> row = next_row()) {
      if (stop_) give_up_ = true;
      if (give_up_) return;
      if (!agenda_.has_finished(*row)) {
        changed_.wait_for(lock, kLook);
        const ProgressState state = progress_state();
        lock.unlock();
        progress_.show(state);
        lock.lock();
        continue;
      }
      lock.unlock();
      const Status status = write_rows(*row);
      lock.lock();
      if (!status.is_ok()) {
        if (!give_up_) ending_ = {CampaignEnd::unwritable, status.message()};
        give_up_ = true;
        return;
      }
      ++next_row_.replicate;
    }
  }

  // The replicate whose rows are to be written next; of a point that is not settled, one that may
  // never be. Nothing: all are written.
  std::optional<Job> next_row() {
    while (next_row_.point < campaign_.points.size() && agenda_.is_settled(next_row_.point) &&
           next_row_.replicate == agenda_.wanted(next_row_.point))
      next_row_ = {next_row_.point + 1, 0};
    if (next_row_.point == campaign_.points.size()) return std::nullopt;
    return next_row_;
  }

  // Even a replicate that has just been run is read back: one way leads from replicate to row.
  Status write_rows(Job job) {
    FinishedReplicate replicate;
    if (Status status = folder_.load(job, replicate); !status.is_ok()) return status;
    summary_.add(job, replicate.outcome);
    record_.totals.add(replicate);
    record_.by_point[job.point].add(replicate);
    return folder_.add_rows(campaign_, job, replicate.outcome);
  }

  ProgressState progress_state() const {
    ProgressState state;
    state.total = agenda_.expected();
    state.total_is_guessed = state.total > agenda_.wanted();
    state.finished = agenda_.finished();
    state.before = before_;
    if (const auto point = agenda_.least_known()) state.precision = precision_text(*point);
    for (const Worker& worker : monitors_) {
      state.events += worker.monitor.events;
      const std::int64_t duration = worker.duration_ns;
      if (duration == 0) continue;
      const Duration reached = worker.reached();
      state.running += static_cast<double>(reached.ns) / static_cast<double>(duration);
      if (worker.real) state.real = {reached, nanoseconds(duration)};
    }
    return state;
  }

  // How well a point was known at its last look: "point 2: detection_median_s to 4.1 % (2 %
  // wanted)".
  std::string precision_text(std::uint32_t point) const {
    const PrecisionConfig& precision = *campaign_.points[point].experiment.precision;
    const Narrowness& known = *agenda_.known(point);
    return "point " + std::to_string(point) + ": " + precision.columns[known.column] + " to " +
           narrowness_text(known, precision);
  }

  // A line for each point that ends without the precision that was wanted.
  std::string imprecise() const {
    std::string text;
    for (std::uint32_t point = 0; point < campaign_.points.size(); ++point) {
      if (!agenda_.known(point) || agenda_.known(point)->enough) continue;
      text += "not precise enough after " + std::to_string(agenda_.wanted(point)) +
              " replicates: " + precision_text(point) + "\n";
    }
    return text;
  }

  // The log is for people and tests; a campaign does not fail for want of it.
  void note(const std::string& line) { static_cast<void>(folder_.log(line).is_ok()); }

  const Campaign& campaign_;
  const RunReplicate& run_;
  const CampaignOptions& options_;
  ResultsFolder& folder_;
  const std::atomic<bool>& stop_;

  std::mutex mutex_;  // guards what follows, up to the blank line
  std::condition_variable changed_;
  Agenda agenda_;  // what it calls finished is stored in the folder
  Ending ending_;  // the first that was not complete

  std::atomic<bool> give_up_{false};
  std::deque<Worker> monitors_;
  std::vector<std::thread> workers_;

  std::size_t before_ = 0;  // from here on: the calling thread only
  Job next_row_;
  Summary summary_;
  RunRecord record_;
  Progress progress_;
};

}  // namespace

std::size_t most_replicates(const Campaign& campaign) {
  std::size_t sum = 0;
  for (const CampaignPoint& point : campaign.points) sum += point.experiment.replicates;
  return sum;
}

CampaignResult run_campaign(const Campaign& campaign, const RunReplicate& run,
                            const CampaignOptions& options, const std::atomic<bool>& stop) {
  ResultsFolder folder;
  if (Status status = folder.open(campaign, options); !status.is_ok())
    return {CampaignEnd::refused, folder.path(), status.message()};
  if (folder.complete()) {
    if (!options.quiet)
      std::fprintf(stderr, "%s is complete: nothing is left to run.\n", folder.path().c_str());
    return {CampaignEnd::complete, folder.path(), ""};
  }
  return CampaignRun(campaign, run, options, folder, stop).execute();
}

}  // namespace holdfast::runner
