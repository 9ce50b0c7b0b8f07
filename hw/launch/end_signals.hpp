// The signals that end a launch (SIGINT, SIGTERM, SIGHUP) as a descriptor to wait on.
#pragma once

#include <optional>

#include "hw/blocked_signals.hpp"
#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class EndSignals {
 public:
  // Takes them over until destroyed; of this thread, and others must have them blocked.
  Status take();
  // Readable when one has come.
  int descriptor() const { return signals_.get(); }
  // The next one's number; 0: none.
  int read();

 private:
  Descriptor signals_;
  std::optional<BlockedSignals> blocked_;
};

}  // namespace holdfast::hw
