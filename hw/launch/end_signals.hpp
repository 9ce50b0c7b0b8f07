// The signals that end a launch (SIGINT, SIGTERM, SIGHUP) as a descriptor to wait on.
#pragma once

#include <signal.h>

#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class EndSignals {
 public:
  EndSignals() = default;
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Takes them over until destroyed; of this thread, and others must have them blocked.
  Status take();
  // Readable when one has come.
  int descriptor() const { return signals_.get(); }
  // The next one's number; 0: none.
  int read();

 private:
  Descriptor signals_;
  sigset_t mask_before_{};
  bool masked_ = false;
};

}  // namespace holdfast::hw
