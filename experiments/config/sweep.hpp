// Sweeps: {"detector.order": ["rank", "shuffled"], "propagation.kind": ["bmg", "chord"]} is four
// experiments. A list of such objects is the experiments of each: some propagations may be varied
// over sizes that others are too slow for.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/node.hpp"
#include "experiments/config/problem.hpp"

namespace holdfast::runner::config {

// All combinations together; more are surely a mistake.
constexpr std::size_t kPointsMax = 10'000;

// One set of combinations, and where it stands.
struct SweepPart {
  const Node* sweep;  // an object
  std::string pointer;
};
// One, or those of a list; none without a sweep.
std::vector<SweepPart> parts_of_sweep(const Node& document);

// Checks that the sweep's paths exist and do not overlap, that each value is one that its path may
// have, that all parts vary the same paths, and that there are at most kPointsMax points.
// `document` is the whole experiment.
void check_sweep(const Node& document, Problems& problems);

using SweptValues = std::vector<std::pair<std::string, std::string>>;  // path, value as text

// Calls `visit` with each point: the document without its sweep and with the point's values in
// their places. The first path varies slowest. A point that several parts have is visited for each.
// No sweep: one point. Stops when `visit` gives false. The sweep must have passed check_sweep.
void for_each_point(const Node& document,
                    const std::function<bool(Node point, const SweptValues& values)>& visit);

// Whether the sweep changes the value at `path` or something that holds it.
bool is_swept(const Node& document, std::string_view path);

}  // namespace holdfast::runner::config
