// Who looks on at a process while it runs, on its own thread and between two turns.
#pragma once

#include "stack/base/time.hpp"
#include "stack/engine.hpp"

namespace holdfast::hw {

class TurnWatcher {
 public:
  virtual ~TurnWatcher() = default;
  // After each turn, while its changes are there. It must not block.
  virtual void turned(Time now, const Engine& engine) = 0;
  // An eventfd that it rings when it wants a turn to be taken; -1: it never does.
  virtual int bell() const = 0;
};

}  // namespace holdfast::hw
