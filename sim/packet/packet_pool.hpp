// Packets under way, named by 32-bit indices; the last one freed is the next one taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/packet/exact_time.hpp"
#include "sim/topology/sim_time.hpp"

namespace holdfast::sim {

constexpr std::uint32_t kNoPacket = 0xffff'ffff;
constexpr std::uint32_t kNoPort = 0xffff'ffff;

// One cache line.
struct alignas(64) Packet {
  // Units of an instant; see PacketPool::ready.
  std::int64_t ready_units = 0;
  std::uint64_t serial = 0;        // order of injection: decides between equal times
  std::uint64_t token = 0;         // the sender's
  SimTime tail_at;                 // its last bit is at the far end of the link it is on
  std::uint32_t to = 0;            // host
  std::uint32_t wire_bytes = 0;    // with headers
  std::uint32_t next = kNoPacket;  // in its queue, or in the free list
  std::uint32_t port = kNoPort;    // the output it waits for or is on its way to; its first one
                                   // while it is collapsed
  std::uint32_t on = kNoPort;      // the output it has left last, and of that link
  std::uint32_t far = 0;           // … the far end, as in OutputPort
  std::uint32_t generation = 0;    // of this index: changes when the packet is gone
  std::uint16_t link_kind = 0;     // … the kind
  std::uint8_t path : 7 = 0;
  bool corrupted : 1 = false;  // by an impaired link: the receiver's checksum will find out
  std::uint8_t lane : 4 = 0;
  bool to_switch : 1 = false;  // the far end is one
  bool holds : 1 = false;      // credits of the output it has left last
  bool collapsed : 1 = false;
  bool broken : 1 = false;  // cut while it was sent: what arrives is not it
};
static_assert(sizeof(Packet) == 64);

class PacketPool {
 public:
  // Before the first packet.
  void keep_parts(Parts parts_per_unit) { parts_per_unit_ = parts_per_unit; }

  std::uint32_t take() {
    if (free_ == kNoPacket) {
      free_ = static_cast<std::uint32_t>(packets_.size());
      packets_.emplace_back();
      ready_parts_.resize(packets_.size(), parts_per_unit_);
    }
    const std::uint32_t index = free_;
    free_ = packets_[index].next;
    const std::uint32_t generation = packets_[index].generation;
    packets_[index] = Packet{};
    packets_[index].generation = generation;
    ++in_use_;
    return index;
  }

  void give(std::uint32_t index) {
    Packet& packet = packets_[index];
    ++packet.generation;
    packet.collapsed = false;
    packet.next = free_;
    free_ = index;
    --in_use_;
  }

  // Until the next take.
  Packet& operator[](std::uint32_t index) { return packets_[index]; }
  const Packet& operator[](std::uint32_t index) const { return packets_[index]; }

  // When its next output may begin to send the packet; before that output is known, when the header
  // has been through the switch (store and forward: the whole packet); of a collapsed one, when it
  // was injected.
  Instant ready(std::uint32_t index) const {
    return {packets_[index].ready_units, ready_parts_.get(index)};
  }
  void set_ready(std::uint32_t index, const Instant& ready) {
    packets_[index].ready_units = ready.units;
    ready_parts_.set(index, ready.parts);
  }

  void prefetch(std::uint32_t index) const { __builtin_prefetch(&packets_[index]); }

  std::uint32_t in_use() const { return in_use_; }
  // Indices ever used; those that are free now among them.
  std::uint32_t size() const { return static_cast<std::uint32_t>(packets_.size()); }
  std::size_t memory_bytes() const { return packets_.capacity() * sizeof(Packet); }

 private:
  std::vector<Packet> packets_;
  PartsOf ready_parts_;
  Parts parts_per_unit_ = 1;
  std::uint32_t free_ = kNoPacket;
  std::uint32_t in_use_ = 0;
};

}  // namespace holdfast::sim
