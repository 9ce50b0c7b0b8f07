// A fabric that hands everything on to another one and writes it down: what was asked, what was
// answered, and the bytes that arrived. It cannot record memory that the network writes by itself,
// so one-sided operations are not among its capabilities, nor, as no engine makes any yet,
// connections.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/record/byte_stream.hpp"
#include "hw/record/recording_writer.hpp"
#include "hw/record/slot_table.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class Recorder final : public Fabric {
 public:
  // Both must outlive the recorder. `rail` is the fabric's place among the rails of its engine.
  Recorder(Fabric& inner, RecordingWriter& writer, std::uint8_t rail);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return inner_.local_address(); }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;
  // What it brings about is in what polls bring.
  void look_anew() override { inner_.look_anew(); }
  bool set_path(Peer peer, PathChoice choice) override;
  // Belongs to the sleep between turns and is not recorded.
  Armed arm() override { return inner_.arm(); }
  std::size_t losses(std::span<LostFrames> to) const override { return inner_.losses(to); }

 private:
  void begin();
  void end(CallKind kind);

  Fabric& inner_;
  RecordingWriter& writer_;
  std::uint8_t rail_;
  Caps caps_;
  SlotTable slots_;
  std::vector<ReceiveSlot> numbered_;  // working memory of offer
  ByteWriter arguments_;
  ByteWriter results_;
};

}  // namespace holdfast::hw
