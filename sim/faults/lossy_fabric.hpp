// Loses frames: a fabric around a fabric. Each datagram that is posted is lost with a fixed
// probability, independently, as far as the sender can tell after it has been sent.
#pragma once

#include <cstdint>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/fabric.hpp"

namespace holdfast::sim {

class LossyFabric final : public Fabric {
 public:
  // `inner` must outlive this. loss in [0, 1).
  LossyFabric(Fabric& inner, double loss, Random random);

  const Caps& caps() const override { return inner_.caps(); }
  Address local_address() const override { return inner_.local_address(); }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override { inner_.detach(peer); }
  void reset(Peer peer) override { inner_.reset(peer); }
  Region register_memory(std::span<std::byte> memory) override;
  RemoteMemory expose(Region region) override { return inner_.expose(region); }
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return inner_.offer(slots); }
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer peer, PathChoice choice) override { return inner_.set_path(peer, choice); }
  Armed arm() override;

  // From now on nothing is lost.
  void stop_losing() { loss_ = 0.0; }

  std::uint64_t lost() const { return lost_; }

 private:
  Fabric& inner_;
  double loss_;
  Random random_;
  std::uint64_t lost_ = 0;
  std::vector<Event> completed_;  // of lost operations that are owed an event
};

}  // namespace holdfast::sim
