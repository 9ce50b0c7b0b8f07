// A finished replicate, which --resume reads: what is taken writes to a text that says the same.
#include "experiments/runner/replicate_file.hpp"

#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

std::vector<Bytes> seeds() {
  runner::FinishedReplicate empty;
  runner::FinishedReplicate full;
  runner::Outcome& outcome = full.outcome;
  outcome.processes = 8;
  outcome.state_hash = ~std::uint64_t{0};
  outcome.mistake_durations = {milliseconds(4)};
  outcome.packets.emplace();
  outcome.failures.emplace_back().which = "host \"a\", \xff";
  outcome.failures.back().detection = milliseconds(30);
  outcome.faults.emplace_back().until = Time{5};
  outcome.cuts.emplace_back().reconciled = seconds(2);
  outcome.raw_events.emplace_back().at = Time{7};
  full.wall = seconds(1);
  // Beyond every whole number.
  std::string too_large = replicate_text(full);
  too_large.replace(too_large.rfind("[7,"), 2, "[4e20");
  return {bytes_of(replicate_text(empty)), bytes_of(replicate_text(full)), bytes_of(too_large)};
}

void play(Input input) {
  runner::FinishedReplicate replicate;
  const Status status = parse_replicate("fuzz.json", std::string(text_of(input)), replicate);
  if (!status.is_ok()) return check_sentence(status.message());
  const std::string text = replicate_text(replicate);
  runner::FinishedReplicate again;
  FUZZ_CHECK(parse_replicate("again.json", text, again).is_ok());
  FUZZ_CHECK(replicate_text(again) == text);
}

}  // namespace holdfast::fuzz
