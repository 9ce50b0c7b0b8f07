// A campaign whose replicates are made up: outcomes that differ and a little time that passes.
#pragma once

#include <chrono>
#include <thread>

#include "experiments/runner/campaign.hpp"
#include "stack/base/random.hpp"

namespace holdfast::runner::test {

// Three points of `replicates` each.
inline Campaign example_campaign(std::uint32_t replicates) {
  Campaign campaign;
  campaign.name = "example";
  campaign.resolved = "{\n  \"name\": \"example\"\n}\n";
  campaign.swept_paths = {"propagation.kind"};
  for (const char* kind : {"bmg", "chord", "one, two"}) {
    CampaignPoint point;
    point.experiment.name = "example";
    point.experiment.replicates = replicates;
    point.experiment.duration = seconds(10);
    point.swept = {kind};
    campaign.points.push_back(point);
  }
  campaign.attachments = {{"topology.json", "{}\n"}};
  return campaign;
}

// A function of the job alone.
inline Outcome example_outcome(Job job) {
  Random random(job.point, 0, job.replicate);
  Outcome outcome;
  outcome.processes = 8;
  outcome.nodes = 4;
  outcome.missed = random.below(100);
  outcome.state_hash = random.next();
  outcome.messages.notices = random.below(1000);
  outcome.events = 10;
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    FailureOutcome failure;
    failure.at = Time{static_cast<std::int64_t>(random.below(10'000'000'000))};
    failure.what = "node";
    failure.which = i == 2 ? "host \"a\", \xff not UTF-8" : "host-1";
    failure.processes = 2;
    if (i != 1) failure.detection = nanoseconds(static_cast<std::int64_t>(random.below(1000)));
    if (i == 3) failure.propagation = nanoseconds(7);
    outcome.failures.push_back(failure);
  }
  return outcome;
}

// Takes up to 2 ms, so that jobs end in another order than they began.
inline Status run_example(Job job, ReplicateMonitor&, Outcome& outcome) {
  const std::uint32_t mixed = (job.point * 7 + job.replicate * 5) % 5;
  std::this_thread::sleep_for(std::chrono::microseconds(500 * mixed));
  outcome = example_outcome(job);
  return Status::ok();
}

}  // namespace holdfast::runner::test
