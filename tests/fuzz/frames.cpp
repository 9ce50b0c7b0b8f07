// The bodies have no runs, one, and several; a broadcast with a name and without.
#include "tests/fuzz/frames.hpp"

#include <array>

namespace holdfast::fuzz {

std::vector<Bytes> frames_of_every_type(SealAlgorithm seal) {
  const std::array<Run, 3> runs{{{{3}, {0}, 1, MemberState::failed},
                                 {{5}, first_incarnation_of_boot(1), 2, MemberState::alive},
                                 {{7}, {2}, 1, MemberState::left}}};
  std::vector<Bytes> frames;
  std::uint64_t sequence = 0;
  const auto add = [&](FrameType type, const Body& body) {
    Header header;
    header.type = type;
    header.seal = seal;
    header.job = kJob;
    header.sender = {sequence % 2 == 0 ? 0u : 2u};
    header.receiver = kReceiver;
    header.sequence = ++sequence;
    header.digest = 0x0123'4567'89ab'cdef;
    Bytes bytes(kFrameBytesMax);
    bytes.resize(encode_frame(header, body, bytes));
    frames.push_back(bytes);
  };
  add(FrameType::heartbeat, {});
  add(FrameType::observe, {});
  for (const std::size_t count : {0u, 1u, 3u}) {
    Body body;
    body.after = 4;
    body.upto = 4 + count;
    body.runs = std::span(runs).first(count);
    add(FrameType::difference, body);
    body.answer_wanted = body.more_follows = true;
    add(FrameType::difference, body);
    body.sender_joining = true;
    add(FrameType::join, body);
    body = Body{};
    body.upto = count;
    body.runs = std::span(runs).first(count);
    add(FrameType::notice, body);
    body.broadcast = {{2}, {0}, 9, 1};
    add(FrameType::notice, body);
    body.runs = {};
    add(FrameType::acknowledgement, body);
    body.broadcast = {};
    add(FrameType::acknowledgement, body);
  }
  return frames;
}

}  // namespace holdfast::fuzz
