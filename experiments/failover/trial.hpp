// One fault and what became of a stream: the stream is started, a rail is broken at a moment that
// was drawn, mended when its time is over, and looked at until it is of use again.
//
// Times of a fault are those at which the order was given, before the kernel has done it, so that
// what is promised to take at most so long is not flattered.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "experiments/failover/delivery_trace.hpp"
#include "experiments/failover/fault_kind.hpp"
#include "experiments/failover/health_story.hpp"
#include "experiments/failover/stream.hpp"

namespace holdfast::failover {

// What stood in the way of a rail first, as the ends saw it.
enum class Noticed : std::uint8_t { nobody, netlink, errors, silence };
const char* name_of(Noticed noticed);

struct TrialPlan {
  const FaultKind* kind = nullptr;  // null: none, the stream is only measured
  std::uint32_t rail = 0;           // that is broken
  Duration before;                  // from the first delivery to the fault
  std::function<bool()> is_over;    // asked now and then: the trial shall end
};

struct TrialResult {
  DeliveryTrace trace;
  std::uint64_t wrong = 0;     // messages that are not what was sent
  std::string failure;         // of the stream; empty: none
  Time broken, mended, ended;  // without a fault all are the end
  bool resumed = true;         // messages came after the rail was mended
  Noticed noticed = Noticed::nobody;
  HealthStory health;
  bool is_back = true;  // both ends came to use all rails in the end
};

using StartStream =
    std::function<Status(const StreamPlan&, const SharedLog&, std::unique_ptr<Stream>&)>;

// An error: the stream cannot be started, or a rail cannot be broken or mended. A stream that fails
// is a result.
Status run_trial(const TrialPlan& plan, const StreamPlan& stream, const StartStream& start,
                 hw::HostNetwork& network, TrialResult& result);

}  // namespace holdfast::failover
