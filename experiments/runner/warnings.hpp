// What may be run and was probably not meant: said before a run, which is not held up.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {

// Sentences for the user, without a line break at their ends. Of the first point: what looks wrong
// with its fabric (links that are slow, hosts without a route), and faults that come when the run
// is over. Of all points: the first whose frames take so long that the bound of PROTOCOL 9.1 does
// not hold, and the first that simulates one rail where several are asked for. `inputs` are those
// of `points`.
std::vector<std::string> warnings_of(std::span<const CampaignPoint> points,
                                     std::span<const std::shared_ptr<const Inputs>> inputs);

}  // namespace holdfast::runner
