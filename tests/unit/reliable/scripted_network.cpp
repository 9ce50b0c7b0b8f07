// Frames under way in order of arrival.
#include "tests/unit/reliable/scripted_network.hpp"

#include <algorithm>

#include "tests/unit/hw/counting_new.hpp"

namespace holdfast::reliable {

namespace {
// What is allocated in its life is not the endpoint's doing.
class OwnAllocations {
 public:
  explicit OwnAllocations(std::size_t& count) : count_(count), before_(allocations()) {}
  ~OwnAllocations() { count_ += allocations() - before_; }

 private:
  std::size_t& count_;
  std::size_t before_;
};
}  // namespace

ScriptedFabric::ScriptedFabric(ScriptedNetwork& network, std::size_t rail, ProcessId self,
                               const RailKind& kind)
    : network_(&network), rail_(rail), self_(self), kind_(kind) {
  caps_.kind = "scripted";
  caps_.frame_bytes_max = kind.frame_bytes_max;
  caps_.inline_bytes_max = kind.is_inline ? kind.frame_bytes_max : 0;
  caps_.send_depth = 4096;
  caps_.receive_depth = 4096;
  caps_.datagram = true;
  caps_.post_frames_best = kind.post_frames;
  caps_.peer_frames_max = kind.peer_frames;
  caps_.polls_memory = kind.polls_memory;
}

Peer ScriptedFabric::attach(const Address& address, Service) {
  return reachable ? Peer{load_le<std::uint32_t>(address.bytes.data())} : kNoPeer;
}

std::size_t ScriptedFabric::post(std::span<const Operation> operations) {
  const OwnAllocations own(network_->own_allocations);
  ++posts;
  std::size_t accepted = 0;
  for (const Operation& operation : operations) {
    if (room == 0) break;
    if (room != static_cast<std::size_t>(-1)) --room;
    ++accepted;
    if (operation.inline_data) {
      HOLDFAST_ASSERT(operation.size <= caps_.inline_bytes_max);
      network_->send(*this, ProcessId{operation.peer.value}, {operation.data, operation.size});
    } else {
      HOLDFAST_ASSERT(operation.region == Region{1});
      pending_.push_back(operation);
    }
  }
  return accepted;
}

void ScriptedFabric::happen(EventKind kind) {
  Event event;
  event.kind = kind;
  event.at = network_->now;
  events_.push_back(event);
}

void ScriptedFabric::complete() {
  std::vector<Operation> pending;
  pending.swap(pending_);
  for (const Operation& operation : pending) {
    network_->send(*this, ProcessId{operation.peer.value}, {operation.data, operation.size});
    // Whoever reads the buffer later finds rubbish.
    std::memset(operation.data, 0xee, std::min<std::size_t>(operation.size, 64));
    if (!completes) continue;
    events_.push_back(
        {EventKind::sent, Completion::ok, operation.peer, 0, operation.cookie, network_->now});
  }
}

std::size_t ScriptedFabric::offer(std::span<const ReceiveSlot> slots) {
  const OwnAllocations own(network_->own_allocations);
  for (const ReceiveSlot& slot : slots) {
    std::memset(slot.data, 0xdd, std::min<std::size_t>(slot.size, 64));
    slots_.push_back(slot);
  }
  return slots.size();
}

void ScriptedFabric::arrive(std::vector<std::byte> frame, Time at) {
  if (kind_.peer_frames > 0 && arrived_.size() >= kind_.peer_frames) return;
  arrived_.emplace_back(std::move(frame), at);
}

std::size_t ScriptedFabric::poll(std::span<Event> events) {
  const OwnAllocations own(network_->own_allocations);
  std::size_t count = 0;
  while (count < events.size() && !events_.empty()) {
    events[count++] = events_.front();
    events_.pop_front();
  }
  while (count < events.size() && !arrived_.empty() && !slots_.empty()) {
    const auto& [frame, at] = arrived_.front();
    const ReceiveSlot slot = slots_.front();
    slots_.pop_front();
    std::copy(frame.begin(), frame.end(), slot.data);
    events[count++] = {EventKind::received,
                       Completion::ok,
                       kNoPeer,
                       static_cast<std::uint32_t>(frame.size()),
                       slot.cookie,
                       at};
    arrived_.pop_front();
  }
  return count;
}

ScriptedNetwork::ScriptedNetwork(std::uint32_t processes, std::vector<RailKind> rails) {
  for (std::uint32_t p = 0; p < processes; ++p) {
    auto& of = fabrics_.emplace_back();
    for (std::size_t r = 0; r < rails.size(); ++r) {
      of.push_back(std::make_unique<ScriptedFabric>(*this, r, ProcessId{p}, rails[r]));
    }
  }
}

std::vector<Fabric*> ScriptedNetwork::fabrics(std::uint32_t process) {
  std::vector<Fabric*> all;
  for (const auto& fabric : fabrics_[process]) all.push_back(fabric.get());
  return all;
}

void ScriptedNetwork::launch() {
  for (const auto& of : fabrics_) {
    for (const auto& fabric : of) fabric->complete();
  }
}

void ScriptedNetwork::send(ScriptedFabric& from, ProcessId to, std::span<const std::byte> bytes) {
  ++frames;
  payload += bytes.size() - kMessageHeaderBytes;
  const Flight flight{from.rail_, from.self_, to, now, bytes};
  Fate fate = script ? script(flight) : Fate{};
  if (dead.count({from.rail_, from.self_.value, to.value}) != 0) fate.copies = 0;
  // The link carries one frame after the other.
  const Duration takes{
      static_cast<std::int64_t>(bytes.size() * 1'000'000'000u / from.kind_.bytes_per_second)};
  from.free_at_ = std::max(from.free_at_, now) + takes;
  for (int copy = 0; copy < fate.copies; ++copy) {
    std::vector<std::byte> frame(bytes.begin(), bytes.end());
    if (fate.corrupt >= 0) frame[static_cast<std::size_t>(fate.corrupt)] ^= std::byte{0x10};
    if (fate.cut_to < frame.size()) frame.resize(fate.cut_to);
    const Time at = from.free_at_ + from.kind_.latency + fate.later;
    under_way_[{at, ++count_}] = {from.rail_, to.value, std::move(frame)};
  }
}

void ScriptedNetwork::deliver() {
  while (next_arrival() <= now) {
    auto first = under_way_.extract(under_way_.begin());
    Arrival& arrival = first.mapped();
    fabrics_[arrival.to][arrival.rail]->arrive(std::move(arrival.bytes), first.key().first);
  }
}

}  // namespace holdfast::reliable
