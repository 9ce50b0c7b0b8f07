// A frame of the handshake between two adapters (PROTOCOL 11.2, 11.3): what decodes encodes to the
// same bytes, and every field is one that a queue pair may be given.
//
// The first byte of the input says whether the check is put right, without which hardly anything
// would get past it: where it is even it is.
#include "hw/verbs/handshake_frame.hpp"

#include <algorithm>

#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

using namespace hw;

constexpr std::size_t kChecked = 64;  // bytes, before the check

void put_check(Bytes& frame) {
  std::uint64_t check = 0;
  for (std::size_t at = 0; at < kChecked; at += 8) {
    check = mix64(check ^ load_le<std::uint64_t>(&frame[at]));
  }
  store_le(&frame[kChecked], check);
}

HandshakeFrame said(Says says) {
  HandshakeFrame frame;
  frame.says = says;
  frame.sender = {{std::byte{0xfe}, std::byte{0x80}}, 7, 0x11'2233};
  frame.attempt = 0x0102'0304'0506'0708;
  frame.order = 3;
  if (says != Says::asking) frame.heard = 0x1112'1314'1516'1718;
  if (says != Says::gone) frame.pair = {0x44'5566, 0x77'8899, 5, 16};
  return frame;
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> inputs;
  for (const std::byte kind : {std::byte{0}, std::byte{1}}) {
    for (const Says says : {Says::asking, Says::linked, Says::ready, Says::gone}) {
      const auto frame = encode(said(says));
      Bytes input{kind};
      input.insert(input.end(), frame.begin(), frame.end());
      inputs.push_back(input);
    }
  }
  return inputs;
}

void play(Input input) {
  if (input.empty()) return;
  Bytes bytes(input.begin() + 1, input.end());
  const bool right = std::to_integer<unsigned>(input.front()) % 2 == 0;
  if (right && bytes.size() == kHandshakeBytes) put_check(bytes);
  const std::optional<HandshakeFrame> frame = decode_handshake(bytes);
  if (!frame) return;
  FUZZ_CHECK(bytes.size() == kHandshakeBytes);
  const auto again = encode(*frame);
  FUZZ_CHECK(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()));
  FUZZ_CHECK(to_verbs_endpoint(to_address(frame->sender)) == frame->sender);
  FUZZ_CHECK(frame->attempt != 0);
  FUZZ_CHECK(frame->heard != 0 || frame->says == Says::asking);
  if (frame->says == Says::gone) {
    FUZZ_CHECK(frame->pair == QueuePairFacts{});
  } else {
    FUZZ_CHECK(frame->pair.number > 1 && frame->pair.number < 0xff'ffff);
    FUZZ_CHECK(frame->pair.first_sequence < 1u << 24 && frame->pair.reads_served > 0);
    FUZZ_CHECK(frame->pair.packet_size >= 1 && frame->pair.packet_size <= 5);
  }
}

}  // namespace holdfast::fuzz
