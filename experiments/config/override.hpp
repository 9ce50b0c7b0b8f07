// What the command line changes in an experiment file: `--set path=value`, and the options that
// stand for one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/assignment.hpp"
#include "experiments/config/node.hpp"
#include "experiments/config/problem.hpp"

namespace holdfast::runner::config {

// Applies "detector.period=50 ms" and the like, in order. The value is read as JSON if it is JSON,
// else as text; path steps into lists are indices; a path of the sweep is "sweep." and then that
// path.
//  - A value that is set is no longer swept.
//  - A kind that is set takes those keys of the file with it that mean nothing beside the new kind.
void apply_overrides(const std::vector<Assignment>& overrides, Node& document, Problems& problems);

// Why there can be no value at `path`, as the end of "found ...": something on the path is neither
// missing nor an object, or is a list without such an entry. Nothing where there can be one.
std::optional<std::string> why_no_path(const Node& document, const std::vector<std::string>& path);

// The message about it.
std::string no_place(const std::string& why);

// Puts `value` at `path`; its key is then written where the value is. Objects that are missing on
// the way are made. why_no_path must have found nothing.
void put(Node& document, const std::vector<std::string>& path, Node value);

// Reports the first step of `path` that the schema does not know. True if it knows all.
bool check_path(const std::vector<std::string>& path, const Origin& origin,
                const std::string& pointer, Problems& problems);

// Whether `path` is `ancestor` or lies below it: "a.b" lies below "a".
bool lies_within(std::string_view path, std::string_view ancestor);

}  // namespace holdfast::runner::config
