// A fabric that hands everything on to another one. What stands between an engine or an endpoint
// and its rail, to look at what passes, changes a function or two of it.
#pragma once

#include "stack/fabric.hpp"

namespace holdfast {

class OuterFabric : public Fabric {
 public:
  // `inner` must outlive it.
  explicit OuterFabric(Fabric& inner) : inner_(inner) {}

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
  std::size_t post(std::span<const Operation> operations) override {
    return inner_.post(operations);
  }
  void prepare(Peer peer) override { inner_.prepare(peer); }
  void set_placer(FramePlacer* placer, std::uint32_t beginning_bytes) override {
    inner_.set_placer(placer, beginning_bytes);
  }
  void set_lending(bool lends) override { inner_.set_lending(lends); }
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return inner_.offer(slots); }
  std::size_t poll(std::span<Event> events) override { return inner_.poll(events); }
  void look_anew() override { inner_.look_anew(); }
  bool set_path(Peer peer, PathChoice choice) override { return inner_.set_path(peer, choice); }
  Armed arm() override { return inner_.arm(); }
  std::size_t losses(std::span<LostFrames> to) const override { return inner_.losses(to); }

 protected:
  Fabric& inner_;
};

}  // namespace holdfast
