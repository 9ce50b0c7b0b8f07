// How a process has got its place in the job: from the launcher that has started it, or at a
// meeting with the others. What the session stands on, and nothing that it does.
#pragma once

#include <holdfast/holdfast.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/launch/node.hpp"
#include "hw/status/counting_fabric.hpp"
#include "stack/address_book.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

// A status of the interface with its sentence.
struct [[nodiscard]] Outcome {
  holdfast_status code = HOLDFAST_OK;
  std::string message;
  bool is_ok() const { return code == HOLDFAST_OK; }
};

class Place {
 public:
  virtual ~Place() = default;

  // Takes it: opens the rails and builds the engine, which must end before this does. What follows
  // means something once that has worked.
  virtual Outcome take(Time until, std::unique_ptr<NodeProgram>& program) = 0;
  // Waits for the others. `start_at` is when to begin.
  virtual Outcome wait_for_start(Time until, Time& start_at) = 0;
  // Says that the process has left in order.
  virtual void left() {}

  virtual std::span<Fabric* const> rails() const = 0;
  // For those who look at the process: the job's number, and those of the rails that carry frames.
  virtual std::uint32_t job() const = 0;
  virtual std::vector<CountingFabric*> counted_rails() = 0;
  // What seals their messages and the like.
  virtual JobKey key() const = 0;
  // Opens rails for messages, apart from those above; each call opens them anew, when those of the
  // call before are gone. None: this place has no messages.
  virtual Status open_message_rails(std::vector<std::unique_ptr<Fabric>>& /*rails*/) {
    return Status::ok();
  }
  // On those rails.
  virtual const AddressBook& message_addresses() const = 0;
  // A socket or pipe whose other end is open as long as the job is; -1: nobody keeps it together.
  virtual int lifeline() const = 0;
};

// Of a process that `holdfast launch` has started: its descriptors become the place's.
std::unique_ptr<Place> place_of_launcher(int control, int table);
// Of a process that mpirun or srun has started; see met_place.cpp.
std::unique_ptr<Place> place_of_pmix();

}  // namespace holdfast::hw
