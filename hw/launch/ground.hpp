// What the engine of a launched process stands on: its rails and addresses, from its assignment;
// recorded if it says so.
//
// Rails: those of the job's fabric, then one that watches the processes of this machine. Faults of
// frames lie between a fabric and its recorder, so that a recording has what the engine saw, and a
// replay needs none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hw/launch/assignment.hpp"
#include "hw/launch/node.hpp"
#include "hw/launch/process_table.hpp"
#include "hw/launch/rail_places.hpp"
#include "hw/record/recorder.hpp"
#include "hw/run/recorded_addresses.hpp"
#include "hw/status/counting_fabric.hpp"
#include "hw/verbs/verbs.hpp"
#include "hw/watch/watch_fabric.hpp"
#include "stack/base/status.hpp"
#include "stack/impair/impaired_fabric.hpp"

namespace holdfast::hw {

// What a factory is given for an assignment, which it refers to.
NodeStart start_of(const Assignment& assignment, std::span<Fabric* const> rails,
                   const AddressBook& addresses);

// Opens this process's end of a rail for messages, whose addresses these are, by process. Over
// shared memory its frames are longer than those of the job's own rails; over verbs it is at the
// queue pair of the rail before, see open_verbs_at.
Status open_message_rail(const Assignment& assignment, const std::vector<Address>& addresses,
                         KeptQueue& kept, std::unique_ptr<Fabric>& rail);

// Tells the launcher, in words of that kind, where this process's rails are, if only it knows.
Status say_queue_pairs(int control, std::byte kind, std::span<const Address> by_rail);

// Members in the order in which they refer to each other.
struct Ground {
  ProcessTable table;
  std::vector<std::unique_ptr<Fabric>> data;
  std::vector<std::unique_ptr<CountingFabric>> counted;   // around data
  std::vector<std::unique_ptr<ImpairedFabric>> impaired;  // around those; empty: frames are spared
  std::unique_ptr<WatchFabric> watch;
  std::unique_ptr<AddressBook> addresses;
  std::unique_ptr<RecordingWriter> recording;
  std::unique_ptr<AddressBook> recorded_addresses;
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<Fabric*> rails;

  // Takes over the descriptor of the process table. The assignment must outlive this. An error says
  // what the system refused.
  Status open(const Assignment& assignment, int table_descriptor);
  // From here on, if the assignment says so. An error says what cannot be written.
  Status record(const Assignment& assignment);
  // When the job starts, or has started: what happens to frames by plan counts from then.
  void start(Time at);
  // Tells the launcher that this process can be sent frames, and where, if only it knows.
  Status say_ready(int control) const;
  // Those that carry frames.
  std::vector<CountingFabric*> counted_rails() const;
  // For the end of the event log: to how many frames what happened.
  std::string notes() const;
  const AddressBook& book() const { return recorded_addresses ? *recorded_addresses : *addresses; }

 private:
  void impair(const Assignment& assignment);
};

}  // namespace holdfast::hw
