// The payload and its checksum, which goes into the header.
#include "stack/reliable/payload_writer.hpp"

namespace holdfast::reliable {

void PayloadWriter::write(const Operation& operation, std::byte* to, Passes passes) {
  const auto slot = static_cast<std::uint32_t>(operation.cookie);
  const LatePayload& payload = slots_.states()[slot].payload;
  const auto pack = passes == Passes::two ? &PayloadSum::pack_in_two_passes : &PayloadSum::pack;
  const std::uint32_t checksum =
      (sum_.*pack)(to, payload.memory, payload.offset, operation.more_size, payload.seed);
  if (!sum_.is_on()) return;
  std::byte* const frame = slots_.memory(slot, operation.frame_bytes());
  set_payload_checksum(checksum, payload.connection, frame);
}

}  // namespace holdfast::reliable
