// What a workload asks of the world that it plays in, simulated or real.
#pragma once

#include <optional>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::messages {

class Lives {
 public:
  virtual ~Lives() = default;

  virtual Time now() const = 0;
  // From the scenario's calm on, once no fault is on any more that began late.
  virtual bool is_calm() const = 0;
  // Null while the process is down.
  virtual const reliable::Endpoint* endpoint(ProcessId process) const = 0;
  virtual Incarnation incarnation(ProcessId process) const = 0;
  // The life of `other` that `process` has been told of last and that has not been said to be over.
  virtual std::optional<Incarnation> believes(ProcessId process, ProcessId other) const = 0;
};

}  // namespace holdfast::messages
