// Whether this machine can run a campaign of real processes: found out before any is started.
#pragma once

#include <optional>

#include "experiments/program/prepare.hpp"
#include "experiments/runner/campaign.hpp"
#include "stack/base/status.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::program {

// Whether the processes of a point are real.
bool is_real(const runner::CampaignPoint& point);
// Whether those of any point are.
bool any_real(const runner::Campaign& campaign);

// Compares what the replicates need with the limits of this system, raising those of this process
// that may be; tries once what they will do with hosts and adapters of their own, which leaves
// nothing behind; and reads the key that the user has for them. Without real processes all is well.
Status try_machine(const Prepared& prepared, std::optional<JobKey>& key);

}  // namespace holdfast::program
