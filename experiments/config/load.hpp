// Reading of experiment files: JSON, defaults, the command line's overrides and sweeps, to typed
// experiments, or to errors that name file, line, JSON pointer, what was found, what was expected
// and how to mend it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/config/assignment.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/config/node.hpp"

namespace holdfast::runner {

// One combination of the swept values.
struct SweepPoint {
  Experiment experiment;
  // The swept paths with this point's values as text, in the file's order. Texts stand without
  // their quotes; file names as they were written.
  std::vector<std::pair<std::string, std::string>> values;
};

struct LoadedExperiment {
  // At least one; the first path of the sweep varies slowest.
  std::vector<SweepPoint> points;
  // The experiment with every default filled in, in the schema's order, its sweep, and absolute
  // file names. It can be loaded from any folder and gives the same points. Defaults that follow
  // from a swept key (seal.kind from fabric.kind, propagation.retransmission_timeout from
  // detector.period) stay out.
  std::string resolved_json;
  // The experiment as it was written, to say where.
  std::string name = {};
  config::Node written = {};
  std::vector<Assignment> overrides = {};
};

// Either an experiment or at least one error, a line each, ready for a person.
struct LoadResult {
  std::optional<LoadedExperiment> experiment;
  std::vector<std::string> errors;
};

// Reads `file`, or `experiment.json` in it if it is a folder, and applies `overrides`, such as
// "detector.period=50 ms", "failures.0.at=5 s", "topology={...}" and
// "sweep.detector.order=[\"rank\"]", later ones over earlier ones. The value is read as JSON if it
// is JSON, else as text.
//  - Setting a path takes it out of the sweep.
//  - Setting a kind (topology.kind, trace.format, failures.N.action) drops those keys of the file
//  beside
//    it that mean nothing with the new kind.
//  - File names in `file` are relative to its folder, those in `overrides` to the current one.
// Never throws.
LoadResult load_experiment(const std::string& file, const std::vector<Assignment>& overrides);

// The same for a text that is not in a file. `name` stands in the messages, relative file names in
// the text are relative to `folder` (empty: the current one).
LoadResult parse_experiment(std::string_view text, const std::string& name,
                            const std::string& folder, const std::vector<Assignment>& overrides);

// What is found out of a point after it was loaded, as a line for a person: an error that begins
// with a JSON pointer ("/failures/0/which: no host is called …") has in front where that value was
// written, any other the experiment's name.
std::string with_place(const std::string& error, const LoadedExperiment& loaded,
                       const SweepPoint& point);

// The overrides that a short option stands for: --target KIND, --topology FILE, --trace FILE,
// --trace-system N, --trace-year N, --trace-month N. Empty: there is no such option. Messages name
// the option.
std::vector<Assignment> overrides_of_option(std::string_view option, std::string_view value);

// The text of configs/schema/experiment.schema.json.
const char* experiment_schema();

}  // namespace holdfast::runner
