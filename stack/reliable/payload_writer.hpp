// Payloads that are written where the fabric has their frames: memory that processes share. So they
// are copied once less, and summed just before that copy, or in its course.
#pragma once

#include "stack/fabric.hpp"
#include "stack/reliable/payload_sum.hpp"
#include "stack/reliable/send_slots.hpp"

namespace holdfast::reliable {

class PayloadWriter final : public FrameWriter {
 public:
  // Both must outlive it.
  PayloadWriter(const PayloadSum& sum, SendSlots& slots) : sum_(sum), slots_(slots) {}

  // Of the operation whose frame begins in the slot that its cookie names (Port), as the slot says.
  // The header there learns the checksum.
  void write(const Operation& operation, std::byte* to, Passes passes) override;

 private:
  const PayloadSum& sum_;
  SendSlots& slots_;
};

}  // namespace holdfast::reliable
