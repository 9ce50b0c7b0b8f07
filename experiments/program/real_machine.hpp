// Whether this machine can run a campaign of real processes: found out before any is started.
#pragma once

#include <optional>

#include "experiments/runner/campaign.hpp"
#include "stack/base/status.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::program {

// Whether the processes of a point are real.
bool is_real(const runner::CampaignPoint& point);
// Whether those of any point are.
bool any_real(const runner::Campaign& campaign);

// Tries once what the replicates will do with hosts and adapters of their own, and reads the key
// that the user has for them. Leaves nothing behind. Without real processes all is well.
Status try_machine(const runner::Campaign& campaign, std::optional<JobKey>& key);

}  // namespace holdfast::program
