// A fabric that hands everything on to another one and counts what passes: frames and bytes, and
// whether its port is up. So all kinds of rails are counted alike, and none has to do it itself.
#pragma once

#include <cstdint>

#include "stack/fabric.hpp"

namespace holdfast::hw {

class CountingFabric final : public Fabric {
 public:
  // `inner` must outlive it.
  explicit CountingFabric(Fabric& inner) : inner_(inner) {}

  const Caps& caps() const override { return inner_.caps(); }
  Address local_address() const override { return inner_.local_address(); }
  Peer attach(const Address& address, Service service) override {
    return inner_.attach(address, service);
  }
  void detach(Peer peer) override { inner_.detach(peer); }
  void reset(Peer peer) override { inner_.reset(peer); }
  Region register_memory(std::span<std::byte> memory) override {
    return inner_.register_memory(memory);
  }
  RemoteMemory expose(Region region) override { return inner_.expose(region); }
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return inner_.offer(slots); }
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer peer, PathChoice choice) override { return inner_.set_path(peer, choice); }
  Armed arm() override { return inner_.arm(); }
  std::size_t losses(std::span<LostFrames> to) const override { return inner_.losses(to); }

  // Sent are operations that the fabric has accepted, whatever became of them.
  struct Counts {
    std::uint64_t frames_sent = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_received = 0;
  };
  const Counts& counts() const { return counts_; }
  bool up() const { return up_; }

 private:
  Fabric& inner_;
  Counts counts_;
  bool up_ = true;
};

}  // namespace holdfast::hw
