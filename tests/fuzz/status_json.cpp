// What a process shows of itself, as `holdfast status` reads it: either one sentence, or a picture
// whose processes and states are those of the job, and which is the same once it was written again.
#include "hw/status/status_json.hpp"

#include "tests/fuzz/target.hpp"
#include "tests/unit/hw_status/sample_status.hpp"

namespace holdfast::fuzz {

namespace {

void check_record(const hw::ProcessStatus& status, ProcessId process, const Record& record) {
  FUZZ_CHECK(process.value < status.processes);
  FUZZ_CHECK(record.state <= kLastMemberState);
}

}  // namespace

std::vector<Bytes> seeds() {
  hw::ProcessStatus least;
  least.processes = least.nodes = 1;
  return {bytes_of(hw::status_json(hw::sample_status())), bytes_of(hw::status_json(least))};
}

void play(Input input) {
  hw::ProcessStatus status;
  if (const Status parsed = hw::parse_status_json(text_of(input), status); !parsed.is_ok()) {
    return check_sentence(parsed.message());
  }
  FUZZ_CHECK(status.self.value < status.processes);
  FUZZ_CHECK(status.nodes > 0 && status.per_node > 0);
  for (const hw::Belief& belief : status.beliefs) {
    check_record(status, belief.process, belief.record);
  }
  for (const hw::BeliefMoment& moment : status.moments) {
    check_record(status, moment.process, moment.record);
  }
  for (const hw::MessageRailStatus& rail : status.message_rails) {
    for (const auto& [peer, health] : rail.not_up) {
      FUZZ_CHECK(peer.value < status.processes);
      FUZZ_CHECK(static_cast<unsigned>(health) < reliable::kRailHealths);
    }
  }
  hw::ProcessStatus again;
  FUZZ_CHECK(hw::parse_status_json(hw::status_json(status), again).is_ok());
  FUZZ_CHECK(again == status);
}

}  // namespace holdfast::fuzz
