// The one place that knows the bytes of a recording; recorder and replayer share it, so that what
// they compare is written alike.
#include "hw/record/format.hpp"

#include <zlib.h>

#include <algorithm>

namespace holdfast::hw {

namespace {

constexpr std::size_t kOperationBytes = 26;   // one operation of a post without its frame
constexpr std::size_t kFrameSizeOffset = 22;  // in it: the count of bytes that follow

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::uint8_t flag(bool value) {
  return value ? 1 : 0;
}

}  // namespace

const char* name_of(CallKind kind) {
  switch (kind) {
    case CallKind::opening:
      return "opening";
    case CallKind::rail:
      return "rail";
    case CallKind::attach:
      return "attach";
    case CallKind::detach:
      return "detach";
    case CallKind::reset:
      return "reset";
    case CallKind::register_memory:
      return "register_memory";
    case CallKind::post:
      return "post";
    case CallKind::offer:
      return "offer";
    case CallKind::poll:
      return "poll";
    case CallKind::set_path:
      return "set_path";
    case CallKind::address:
      return "address";
  }
  return "an unknown call";
}

void encode(const RecordingOpening& opening, ByteWriter& to) {
  to.put_block(bytes_of(opening.configuration));
  to.put_block(opening.roster);
  to.put(opening.seed);
  to.put(opening.self.value);
  to.put(opening.incarnation.value);
}

RecordingOpening decode_opening(ByteReader& from) {
  RecordingOpening opening;
  const std::span<const std::byte> text = from.get_block();
  opening.configuration.assign(reinterpret_cast<const char*>(text.data()), text.size());
  const std::span<const std::byte> roster = from.get_block();
  opening.roster.assign(roster.begin(), roster.end());
  opening.seed = from.get<std::uint64_t>();
  opening.self = {from.get<std::uint32_t>()};
  opening.incarnation = {from.get<std::uint32_t>()};
  return opening;
}

void encode(const Address& address, ByteWriter& to) {
  to.put(address.size);
  to.put_bytes(address.bytes);
}

Address decode_address(ByteReader& from) {
  Address address;
  address.size = from.get<std::uint8_t>();
  if (address.size > Address::kBytesMax) from.fail();
  const std::span<const std::byte> bytes = from.get_bytes(Address::kBytesMax);
  std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
  if (!from.good()) return {};
  return address;
}

void encode(const Caps& caps, ByteWriter& to) {
  to.put(caps.frame_bytes_max);
  to.put(caps.inline_bytes_max);
  to.put(caps.send_depth);
  to.put(caps.receive_depth);
  for (const bool ability :
       {caps.datagram, caps.connected, caps.watch, caps.one_sided, caps.fetch_add,
        caps.path_control, caps.frames_protected, caps.stateless_attach}) {
    to.put(flag(ability));
  }
}

Caps decode_caps(ByteReader& from) {
  Caps caps;
  caps.kind = "replay";
  caps.frame_bytes_max = from.get<std::uint32_t>();
  caps.inline_bytes_max = from.get<std::uint32_t>();
  caps.send_depth = from.get<std::uint32_t>();
  caps.receive_depth = from.get<std::uint32_t>();
  for (bool* ability :
       {&caps.datagram, &caps.connected, &caps.watch, &caps.one_sided, &caps.fetch_add,
        &caps.path_control, &caps.frames_protected, &caps.stateless_attach}) {
    *ability = from.get<std::uint8_t>() != 0;
  }
  return caps;
}

void encode_post(std::span<const Operation> operations, std::uint32_t frame_bytes_max,
                 ByteWriter& to) {
  for (const Operation& operation : operations) {
    to.put(static_cast<std::uint8_t>(operation.kind));
    to.put(flag(operation.inline_data));
    to.put(operation.peer.value);
    to.put(operation.region.value);
    to.put(operation.size);
    to.put(operation.cookie);
    const bool sends = operation.kind == OperationKind::send && operation.size <= frame_bytes_max;
    to.put(sends ? operation.size : std::uint32_t{0});
    if (sends) to.put_bytes({operation.data, operation.size});
  }
}

std::string place_in_post(std::span<const std::byte> arguments, std::size_t offset) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin + kOperationBytes <= arguments.size(); ++number) {
    const std::size_t frame = begin + kOperationBytes;
    const std::size_t end = frame + load_le<std::uint32_t>(&arguments[begin + kFrameSizeOffset]);
    const std::string operation = "operation " + std::to_string(number);
    if (offset < frame) return operation + ", its description";
    if (offset < end)
      return operation + ", byte " + std::to_string(offset - frame) + " of its frame";
    begin = end;
  }
  return "operation " + std::to_string(number);
}

void encode_offer(std::span<const ReceiveSlot> slots, ByteWriter& to) {
  for (const ReceiveSlot& slot : slots) {
    to.put(slot.region.value);
    to.put(slot.size);
    to.put(slot.cookie);
  }
}

void encode(const Event& event, ByteWriter& to) {
  to.put(static_cast<std::uint8_t>(event.kind));
  to.put(static_cast<std::uint8_t>(event.completion));
  to.put(event.peer.value);
  to.put(event.size);
  to.put(event.cookie);
  to.put(static_cast<std::uint64_t>(event.at.ns));
}

Event decode_event(ByteReader& from) {
  Event event;
  event.kind = static_cast<EventKind>(from.get<std::uint8_t>());
  event.completion = static_cast<Completion>(from.get<std::uint8_t>());
  event.peer = {from.get<std::uint32_t>()};
  event.size = from.get<std::uint32_t>();
  event.cookie = from.get<std::uint64_t>();
  event.at = {static_cast<std::int64_t>(from.get<std::uint64_t>())};
  return event;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace holdfast::hw
