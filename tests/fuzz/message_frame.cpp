// A datagram of message frames (stack/reliable): it is cut into frames that are all of it, and each
// of those is played as it comes, with a checksum that fits it, so that the fields are reached, and
// as one whose seal was right. What decodes encodes to the same bytes, and a fragment lies in its
// virtual fragment and that in its message.
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

void play_frame(Input frame) {
  play_as(frame, false);
  play_as(frame, true);
  if (frame.size() < kMessageHeaderBytes) return;
  Bytes mended(frame.begin(), frame.end());
  const std::size_t at = has_seal(static_cast<MessageFrameType>(mended[3])) ? 32 : 44;
  store_le(mended.data() + at, crc32c(Input(mended).first(at), kConnection.header));
  play_as(mended, false);
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> datagrams;
  const Bytes acknowledgement = example(MessageFrameType::acknowledgement).frame;
  for (const Example& one : examples()) {
    datagrams.push_back(one.frame);
    Bytes& shared = datagrams.emplace_back(acknowledgement);
    shared.insert(shared.end(), one.frame.begin(), one.frame.end());
  }
  return datagrams;
}

// Acknowledgements only have another frame behind them, and are as long as ever there.
void play(Input datagram) {
  for (Input left = datagram; !left.empty();) {
    const Input frame = first_message_frame(left);
    FUZZ_CHECK(!frame.empty() && frame.data() == left.data() && frame.size() <= left.size());
    if (frame.size() < left.size()) {
      FUZZ_CHECK(frame.size() == kMessageHeaderBytes);
      FUZZ_CHECK(type_of_message_frame(frame) == MessageFrameType::acknowledgement);
    }
    play_frame(frame);
    left = left.subspan(frame.size());
  }
}

}  // namespace holdfast::fuzz
