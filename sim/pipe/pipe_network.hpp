// A simulated network whose cables have a rate: every process hangs by one cable on a switch that
// carries all of them at once. A frame takes its bytes at the rate to leave, the latency to cross,
// and its bytes again at the receiver's end; the switch passes on what it has not yet wholly
// received, so one frame alone pays for its bytes once. Frames of several senders queue before the
// receiver's cable, and what finds that queue full is lost.
//
// The networks of sim/fabric are fabrics of a cluster, for control frames of at most 512 bytes; at
// message fidelity they know no rate. This one carries the streams of a few processes over rails
// that are as unlike as one wants, with frames of any size, and its faults are those of a rail.
//
// Handling a frame may take time of its process's processor, which handles one after the other in
// both directions: what is posted leaves no earlier than it has been handled, and what has come is
// there to be polled no earlier. So checksums and copies of one frame overlap with the wire of
// another.
//
// Exact: instants are kept as fractions (sim/packet/exact_time.hpp), so n frames take n times what
// one takes. It belongs to one simulation and one thread, whose driver says what time it is and
// brings the events that the network has put into the queue.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/packet/exact_time.hpp"
#include "sim/pipe/pipe_fabric.hpp"
#include "sim/pipe/processor.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::sim {

struct PipeOptions {
  std::uint32_t processes = 2;
  std::int64_t bits_per_second = 10'000'000'000;  // of each cable in each direction, > 0
  Duration latency = microseconds(1);             // >= 0
  std::uint32_t frame_bytes_max = 1472;           // >= 1
  std::uint32_t inline_bytes_max = 1472;          // 0 … frame_bytes_max
  std::uint32_t send_depth = 256;                 // >= 1
  std::uint32_t receive_depth = 256;              // >= 1
  std::uint32_t queue_bytes = 4u << 20;           // before a receiver's cable
  std::uint32_t frames_waiting_max = 4096;        // that have come and find no slot; more are lost
  FrameWork work = {};                            // of each frame, at either end
};

// What may be wrong with a process's end of the network. Nothing of it is told to the others.
enum class PortState : std::uint8_t {
  well,
  down,     // neither sends nor receives; its process is told when that begins and ends
  failing,  // what is posted fails with an error; what comes is received
  stuck,    // takes frames, but sends none and completes none until it is well again
};

// What became of a frame.
enum class PipeFate : std::uint8_t {
  left,      // its last bit is on the cable
  arrived,   // it waits for its receiver's poll
  cut,       // lost where the way is cut, or at a port that is down
  overflow,  // lost before a cable, or at a process, that has no room
  nobody,    // the receiver is no more
};

class PipeWitness {
 public:
  virtual ~PipeWitness() = default;
  virtual void frame(Time at, PipeFate fate, ProcessId from, ProcessId to,
                     std::span<const std::byte> bytes) = 0;
};

class PipeNetwork {
 public:
  // `queue` must outlive the network. Its events have the targets first_target, first_target + 1, …
  PipeNetwork(const PipeOptions& options, EventQueue& queue, std::uint32_t first_target);
  ~PipeNetwork();

  const PipeOptions& options() const { return options_; }
  Fabric& fabric(ProcessId process);
  static Address address(ProcessId process);
  // Null: nobody. It must outlive the network.
  void set_witness(PipeWitness* witness) { witness_ = witness; }

  void set_now(SimTime now) { now_ = now; }
  // The process computes for so long, after what its processor has to do. When that is done.
  SimTime compute(ProcessId process, SimTime takes);
  // An event of this network is due. True: the process at its target has something to poll.
  bool handle(const QueuedEvent& event);

  // Cuts the way from one process to another, in that direction; as often as it has been cut it
  // must be mended.
  void cut(ProcessId from, ProcessId to);
  void mend(ProcessId from, ProcessId to);
  // True: the process has something to poll.
  bool set_port(ProcessId process, PortState state);

  // The process ends, and all that it has posted and not seen; it starts again with an empty
  // fabric. What was on its way to it arrives at whoever is there.
  void stop(ProcessId process);
  void restart(ProcessId process);

  std::uint64_t frames(PipeFate fate) const { return fates_[static_cast<std::size_t>(fate)]; }
  std::uint32_t frames_under_way() const {
    return static_cast<std::uint32_t>(cells_.size() - free_.size());
  }

 private:
  friend class PipeFabric;

  // A frame between its post (inline) or departure and the poll that receives it.
  struct Frame {
    ProcessId from;
    ProcessId to;
    std::uint32_t size = 0;
    enum class Place : std::uint8_t {
      way,    // on a cable
      queue,  // before the receiver's cable, and counted there
      hands,  // of the receiver's processor, and counted there
    };
    Place place = Place::way;
    Instant arrives;  // at an idle cable
    std::unique_ptr<std::byte[]> bytes;
  };

  Time stack_time() const { return Time{} + round_up(now_); }
  std::uint32_t take_frame(ProcessId from, ProcessId to, const std::byte* data, std::uint32_t size);
  void give_frame(std::uint32_t frame) { free_.push_back(frame); }
  void lose(std::uint32_t frame, PipeFate why);
  void tell(const Frame& frame, PipeFate fate);
  bool is_cut(const Frame& frame) const;
  void push_departure(ProcessId process, SimTime at);
  void put_on_wire(std::uint32_t frame, const Instant& left);
  bool arrive(std::uint32_t frame);
  bool hand_over(std::uint32_t frame);
  void push_arrival(std::uint32_t frame, SimTime at);

  PipeOptions options_;
  EventQueue& queue_;
  std::uint32_t first_target_;
  Serialisation rates_;
  std::uint32_t rate_;
  SimTime now_{};
  PipeWitness* witness_ = nullptr;
  std::vector<std::uint16_t> cuts_;  // how often, by from * processes + to
  std::vector<Frame> cells_;
  std::vector<std::uint32_t> free_;
  std::uint64_t fates_[5] = {};
  std::vector<std::unique_ptr<PipeFabric>> fabrics_;
};

}  // namespace holdfast::sim
