// Frames leave, cross and arrive.
#include "sim/pipe/pipe_network.hpp"

#include <algorithm>
#include <cstring>

#include "sim/pipe/pipe_event.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::sim {

PipeNetwork::PipeNetwork(const PipeOptions& options, EventQueue& queue, std::uint32_t first_target)
    : options_(options),
      queue_(queue),
      first_target_(first_target),
      rate_(rates_.add_rate(options.bits_per_second)),
      cuts_(std::size_t{options.processes} * options.processes) {
  HOLDFAST_ASSERT(options.processes > 0 && options.bits_per_second > 0);
  HOLDFAST_ASSERT(options.latency >= Duration{0});
  HOLDFAST_ASSERT(options.inline_bytes_max <= options.frame_bytes_max);
  HOLDFAST_ASSERT(options.send_depth > 0 && options.receive_depth > 0);
  for (std::uint32_t i = 0; i < options.processes; ++i) {
    fabrics_.push_back(std::make_unique<PipeFabric>(*this, ProcessId{i}));
  }
}

PipeNetwork::~PipeNetwork() = default;

Fabric& PipeNetwork::fabric(ProcessId process) {
  return *fabrics_[process.value];
}

Address PipeNetwork::address(ProcessId process) {
  Address address;
  store_le<std::uint32_t>(address.bytes.data(), process.value);
  address.size = sizeof(std::uint32_t);
  return address;
}

std::uint32_t PipeNetwork::take_frame(ProcessId from, ProcessId to, const std::byte* data,
                                      std::uint32_t size) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(cells_.size()));
    cells_.emplace_back().bytes = std::make_unique<std::byte[]>(options_.frame_bytes_max);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  HOLDFAST_ASSERT(index < kPipeArrival);
  Frame& frame = cells_[index];
  frame.from = from;
  frame.to = to;
  frame.size = size;
  frame.place = Frame::Place::way;
  if (size > 0) std::memcpy(frame.bytes.get(), data, size);
  return index;
}

void PipeNetwork::tell(const Frame& frame, PipeFate fate) {
  ++fates_[static_cast<std::size_t>(fate)];
  if (witness_ == nullptr) return;
  witness_->frame(stack_time(), fate, frame.from, frame.to, {frame.bytes.get(), frame.size});
}

void PipeNetwork::lose(std::uint32_t frame, PipeFate why) {
  tell(cells_[frame], why);
  give_frame(frame);
}

bool PipeNetwork::is_cut(const Frame& frame) const {
  const auto down = [&](ProcessId process) {
    return fabrics_[process.value]->state_ == PortState::down;
  };
  return cuts_[frame.from.value * options_.processes + frame.to.value] > 0 || down(frame.from) ||
         down(frame.to);
}

void PipeNetwork::push_departure(ProcessId process, SimTime at) {
  const std::uint32_t lives = fabrics_[process.value]->lives_ & ~kPipeArrival;
  queue_.push(at.value, first_target_ + process.value, lives);
}

// A way that is cut loses what begins to cross it and what is on it when it is cut.
void PipeNetwork::put_on_wire(std::uint32_t index, const Instant& left) {
  Frame& frame = cells_[index];
  tell(frame, PipeFate::left);
  if (is_cut(frame)) return lose(index, PipeFate::cut);
  frame.arrives = left + to_sim_time(options_.latency);
  push_arrival(index, round_up(frame.arrives));
}

void PipeNetwork::push_arrival(std::uint32_t index, SimTime at) {
  queue_.push(at.value, first_target_ + cells_[index].to.value, kPipeArrival | index);
}

// At the receiver's end; a frame comes here once more if it has to queue before the cable, and once
// more if it has to be handled.
bool PipeNetwork::arrive(std::uint32_t index) {
  Frame& frame = cells_[index];
  PipeFabric& receiver = *fabrics_[frame.to.value];
  if (frame.place == Frame::Place::hands) return hand_over(index);
  if (frame.place == Frame::Place::queue) {
    receiver.in_queue_bytes_ -= frame.size;
  } else {
    const Instant whole =
        std::max(frame.arrives, rates_.end(receiver.in_free_at_, frame.size, rate_));
    if (receiver.in_queue_bytes_ + frame.size > options_.queue_bytes) {
      lose(index, PipeFate::overflow);
      return false;
    }
    receiver.in_free_at_ = frame.arrives = whole;
    if (round_up(whole) > now_) {
      frame.place = Frame::Place::queue;
      receiver.in_queue_bytes_ += frame.size;
      push_arrival(index, round_up(whole));
      return false;
    }
  }
  if (is_cut(frame) || !receiver.up_) {
    lose(index, receiver.up_ ? PipeFate::cut : PipeFate::nobody);
    return false;
  }
  if (!receiver.has_room()) {
    lose(index, PipeFate::overflow);
    return false;
  }
  ++receiver.in_hands_;
  frame.place = Frame::Place::hands;
  if (!options_.work.any()) return hand_over(index);
  push_arrival(index, receiver.processor_.work(now_, options_.work.of(frame.size)));
  return false;
}

// To the process, if it is still there.
bool PipeNetwork::hand_over(std::uint32_t index) {
  const Frame& frame = cells_[index];
  PipeFabric& receiver = *fabrics_[frame.to.value];
  --receiver.in_hands_;
  if (!receiver.up_) {
    lose(index, PipeFate::nobody);
    return false;
  }
  receiver.arrived_.push_back(index);
  tell(frame, PipeFate::arrived);
  return true;
}

SimTime PipeNetwork::compute(ProcessId process, SimTime takes) {
  return fabrics_[process.value]->processor_.work(now_, takes);
}

bool PipeNetwork::handle(const QueuedEvent& event) {
  if ((event.payload & kPipeArrival) != 0) return arrive(event.payload & ~kPipeArrival);
  PipeFabric& fabric = *fabrics_[event.target - first_target_];
  // What a process had posted that has ended since is nobody's.
  return event.payload == (fabric.lives_ & ~kPipeArrival) && fabric.depart();
}

void PipeNetwork::cut(ProcessId from, ProcessId to) {
  ++cuts_[from.value * options_.processes + to.value];
}

void PipeNetwork::mend(ProcessId from, ProcessId to) {
  std::uint16_t& times = cuts_[from.value * options_.processes + to.value];
  HOLDFAST_ASSERT(times > 0);
  --times;
}

bool PipeNetwork::set_port(ProcessId process, PortState state) {
  return fabrics_[process.value]->set_state(state);
}

void PipeNetwork::stop(ProcessId process) {
  PipeFabric& fabric = *fabrics_[process.value];
  HOLDFAST_ASSERT(fabric.up_);
  fabric.clear();
  fabric.up_ = false;
}

void PipeNetwork::restart(ProcessId process) {
  PipeFabric& fabric = *fabrics_[process.value];
  HOLDFAST_ASSERT(!fabric.up_);
  fabric.up_ = true;
}

}  // namespace holdfast::sim
