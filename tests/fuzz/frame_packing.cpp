// The simulator's packed frames: whatever is packed, in whatever order it is needed and let go,
// unpacks to its bytes, and references do not pile up.
//
// The input is steps: a byte n, then 4 (n % 33) bytes that are packed; where n is 33 or more, the
// oldest packed frame is unpacked first.
#include "sim/fabric/frame_packing.hpp"

#include <algorithm>
#include <deque>

#include "tests/fuzz/frames.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

class Wire {
 public:
  void send(Input frame) {
    Sent sent{{}, {frame.begin(), frame.end()}};
    if (!packing_.pack(sent.frame.data(), static_cast<std::uint32_t>(frame.size()), sent.packed)) {
      return;
    }
    under_way_.push_back(sent);
  }

  void arrive() {
    if (under_way_.empty()) return;
    const Sent sent = under_way_.front();
    under_way_.pop_front();
    Bytes frame(sim::FramePacking::kFrameBytesMax);
    FUZZ_CHECK(packing_.size_of(sent.packed) == sent.frame.size());
    packing_.unpack(sent.packed, frame.data());
    FUZZ_CHECK(std::equal(sent.frame.begin(), sent.frame.end(), frame.begin()));
    packing_.release(sent.packed);
  }

  void end() {
    while (!under_way_.empty()) arrive();
    FUZZ_CHECK(packing_.references() <= 4);  // the recent ones
  }

 private:
  struct Sent {
    sim::FramePacking::Packed packed;
    Bytes frame;
  };
  sim::FramePacking packing_;
  std::deque<Sent> under_way_;
};

}  // namespace

std::vector<Bytes> seeds() {
  Bytes steps;
  for (int round = 0; round < 2; ++round) {
    for (const Bytes& frame : frames_of_every_type(SealAlgorithm::none)) {
      if (frame.size() > sim::FramePacking::kFrameBytesMax) continue;
      steps.push_back(static_cast<std::byte>(33 * round + static_cast<int>(frame.size() / 4)));
      steps.insert(steps.end(), frame.begin(), frame.end());
    }
  }
  return {steps};
}

void play(Input input) {
  Wire wire;
  while (!input.empty()) {
    const auto step = std::to_integer<std::size_t>(input.front());
    input = input.subspan(1);
    if (step >= 33) wire.arrive();
    const std::size_t bytes = 4 * (step % 33);
    if (bytes < 4 || bytes > input.size()) continue;
    wire.send(input.first(bytes));
    input = input.subspan(bytes);
  }
  wire.end();
}

}  // namespace holdfast::fuzz
