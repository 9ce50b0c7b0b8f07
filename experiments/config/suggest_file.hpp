// Which experiment a person probably meant by a name that leads to none.
#pragma once

#include <string>

namespace holdfast::runner::config {

// What a folder's experiment is called.
inline constexpr const char* kExperimentFile = "experiment.json";

// `; did you mean NAME?`, or nothing: an experiment beside `file` with a name much like it, or the
// one of that name in the folder experiments/.
std::string suggest_experiment(const std::string& file);

}  // namespace holdfast::runner::config
