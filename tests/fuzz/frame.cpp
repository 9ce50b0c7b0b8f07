// A control frame (stack/wire): what decodes encodes to the same bytes, and every process, run and
// broadcast in it is one that the job can have.
#include "stack/wire/frame.hpp"

#include <algorithm>
#include <array>

#include "tests/fuzz/frames.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

std::vector<Bytes> seeds() {
  return frames_of_every_type(SealAlgorithm::none);
}

void play(Input input) {
  Header header;
  if (decode_header(input, header) != DecodeStatus::ok) return;
  std::array<Run, kRunsMax> runs;
  Body body;
  if (decode_body(input, header.type, kProcesses, runs, body) != DecodeStatus::ok) return;
  if (has_body(header.type)) {
    FUZZ_CHECK(body.after <= body.upto);
    FUZZ_CHECK(!body.broadcast.named() || body.broadcast.starter.value < kProcesses);
    for (const Run& run : body.runs) {
      FUZZ_CHECK(run.count > 0 && run.first.value < kProcesses);
      FUZZ_CHECK(run.count <= kProcesses - run.first.value);
    }
  }
  std::array<std::byte, kFrameBytesMax> again;
  const std::size_t bytes = encode_frame(header, body, again);
  FUZZ_CHECK(bytes == input.size());
  const Input unsealed = input.first(bytes - kSealBytes);
  FUZZ_CHECK(std::equal(unsealed.begin(), unsealed.end(), again.begin()));
}

}  // namespace holdfast::fuzz
