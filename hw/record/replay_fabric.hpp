// One rail of a replay: a fabric whose world is a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/record/byte_stream.hpp"
#include "hw/record/replay.hpp"
#include "hw/record/slot_table.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class ReplayFabric final : public Fabric {
 public:
  // The replay must outlive the fabric and have that rail. Rails are made in their order, before
  // the engine, as their recorders were.
  ReplayFabric(Replay& replay, std::uint8_t rail);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return address_; }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer peer, PathChoice choice) override;
  // A replay never sleeps.
  Armed arm() override { return {}; }

 private:
  ByteReader ask(CallKind kind);
  // Ends the replay: no fabric answers so.
  void refuse(CallKind kind, const std::string& why) { replay_.refuse(kind, rail_, why); }
  bool take(Event& event, ByteReader& results);
  bool take_frame(Event& event, ByteReader& results);

  Replay& replay_;
  std::uint8_t rail_;
  Caps caps_;
  Address address_;
  SlotTable slots_;
  std::vector<std::uint64_t> under_way_;  // cookies of operations that were accepted
  bool posted_inline_ = false;
  ByteWriter arguments_;
};

}  // namespace holdfast::hw
