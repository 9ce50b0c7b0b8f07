// Asks the processes of this machine what they show, many at the same time: one that is stopped
// holds nobody else up.
#pragma once

#include <string>
#include <vector>

#include "hw/status/process_status.hpp"
#include "hw/status/status_places.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

struct Answer {
  enum class Kind : std::uint8_t {
    shown,   // `status` is what it shows
    silent,  // somebody listens, but nothing came in time: stopped, or not started yet
    gone,    // nobody listens any more; its place has been removed
    odd,     // of another build, or no process of ours
  };
  StatusPlace place;
  Kind kind = Kind::silent;
  ProcessStatus status;
  std::string complaint;  // of an odd one, a sentence
};

// In the order of the places; waits at most so long for each of them.
std::vector<Answer> ask_processes(const std::vector<StatusPlace>& places, Duration patience);

}  // namespace holdfast::hw
