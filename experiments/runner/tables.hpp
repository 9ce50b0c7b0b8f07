// The rows of results.csv, failures.csv, faults.csv and cuts.csv: what an outcome is as text. All
// numbers come from integers, so a row is the same on every machine. Times are seconds with nine
// decimals; a cell is empty where the thing did not happen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/outcome.hpp"

namespace holdfast::runner {

// Seconds with nine decimals: "-0.000000001".
std::string seconds_text(Duration duration);

// A CSV cell: quoted where it has to be.
std::string csv_cell(std::string_view text);

// The middle value; the mean of the two middle ones, rounded down, of an even number. Nothing of
// none.
std::optional<Duration> median(std::vector<Duration> values);

// results.csv: one row per sweep point and replicate. Each ends with a line break. `known` is the
// time from a crash until every live process knows. The smallest, median and largest of detection,
// propagation and known are those of all failures that ended a process: one that never was is above
// all others, and its cell empty. Only crashes count whose part was up. coincident_faults: those
// that took domains away (ended them, or cut them off) less than a timeout after another fault had;
// lost_together_max: the most domains that were lost within a timeout. reconciled counts cuts, and
// reconcile is from the healing of a cut; a cut that healed and was not reconciled is above all.
// What became of packets stands behind control_ (frames of the job between nodes), traffic_ and
// victim_ (of incasts), in empty cells at message fidelity; latency is from the send to the last
// bit.
std::string results_header(const Campaign& campaign);
std::string results_row(const Campaign& campaign, Job job, const Outcome& outcome);

// failures.csv: one row per failure of each replicate.
std::string failures_header();
std::string failures_rows(Job job, const Outcome& outcome);

// faults.csv: one row per fault, whoever noticed. `fault` numbers those of a replicate in order of
// time; `entry` is its place in the experiment's `failures`, empty of a trace; `times`: it flaps if
// more than one; `pieces` that it took along, 0 if all were down already; `ended` and `cut_off`:
// how many domains it ended, and how many living nodes it left without a way to the others.
std::string faults_header();
std::string faults_rows(Job job, const Outcome& outcome);

// cuts.csv: one row per cut (see fault_log.hpp), named by the fault that made it. `nodes` are the
// indices of those cut off. others_knew_s: from the cut until each of the others believed each of
// those cut off failed; cut_off_knew_s the other way round; empty: not before the healing.
// Beliefs are numbers of pairs of live processes, one on each side, of `pairs` there are, when it
// healed. reconciled_s counts from the healing.
std::string cuts_header();
std::string cuts_rows(Job job, const Outcome& outcome);

// events.csv: one row per raw event, in order of time (see event_log.hpp). `event` is what happened
// (crash, repair) or what `process` came to believe (failed, alive) of the processes `subjects`,
// "17" or "168-171", in their life `incarnation`. `failure` is the row of the replicate in
// failures.csv, from 0, that it belongs to; empty of a false verdict. "ends_here" in a last row:
// the limit was reached, what came later is not there.
std::string events_header();
std::string events_rows(Job job, const Outcome& outcome);

}  // namespace holdfast::runner
