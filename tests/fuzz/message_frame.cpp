// A message frame (stack/reliable), as it comes, with a checksum that fits it, so that the fields
// are reached, and as one whose seal was right: what decodes encodes to the same bytes, and a
// fragment lies in its virtual fragment and that in its message.
#include "stack/reliable/message_frame.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "stack/base/bytes.hpp"
#include "stack/checksum/crc32c.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/reliable/message_examples.hpp"

namespace holdfast::fuzz {

using namespace reliable;

namespace {

void check_geometry(const MessageHeader& header, std::uint64_t payload) {
  if (header.type == MessageFrameType::eager) {
    FUZZ_CHECK(payload <= header.bytes && (payload > 0 || header.bytes == 0));
  } else if (has_payload(header.type)) {
    const std::uint64_t begin = std::uint64_t{header.index} * header.fragment_bytes;
    FUZZ_CHECK(payload > 0 && header.index < kFragmentsMax);
    FUZZ_CHECK(begin + payload <= header.bytes);
    FUZZ_CHECK(begin + payload == header.bytes || payload == header.fragment_bytes);
    FUZZ_CHECK(header.bytes <= std::uint64_t{kFragmentsMax} * header.fragment_bytes);
    FUZZ_CHECK(header.offset <= std::numeric_limits<std::uint64_t>::max() - header.bytes);
  } else {
    FUZZ_CHECK(payload == 0);
  }
  FUZZ_CHECK(header.rail < kMessageRailsMax && header.sender != kNoProcess);
}

void play_as(Input frame, bool sealed) {
  MessageHeader header;
  if (decode_message_header(frame, kConnection, sealed, header) != MessageDecodeStatus::ok) return;
  FUZZ_CHECK(sender_of_message_frame(frame) == header.sender);
  check_geometry(header, frame.size() - kMessageHeaderBytes);
  std::array<std::byte, kMessageHeaderBytes> again;
  encode_message_header(header, kConnection, again.data());
  const std::size_t seal = sealed && has_seal(header.type) ? 16 : 0;
  FUZZ_CHECK(std::equal(again.begin(), again.end() - seal, frame.begin()));
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> frames;
  for (const Example& example : examples()) frames.push_back(example.frame);
  return frames;
}

void play(Input input) {
  play_as(input, false);
  play_as(input, true);
  if (input.size() < kMessageHeaderBytes) return;
  Bytes mended(input.begin(), input.end());
  const std::size_t at = has_seal(static_cast<MessageFrameType>(mended[3])) ? 32 : 44;
  store_le(mended.data() + at, crc32c(Input(mended).first(at), kConnection.header));
  play_as(mended, false);
}

}  // namespace holdfast::fuzz
