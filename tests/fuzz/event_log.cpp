// The event log of a process, which its launcher reads: what is taken writes to the same lines.
#include "hw/run/event_log.hpp"

#include <unistd.h>

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

// As a process writes them.
std::string written(const std::vector<hw::BeliefEvent>& events, const std::string& notes) {
  const hw::Descriptor file(::memfd_create("log", MFD_CLOEXEC));
  hw::EventLog log(file.get());
  for (const hw::BeliefEvent& event : events) {
    const Membership::Change change{event.process, {event.incarnation, event.state}};
    log.write(event.at, {&change, 1});
  }
  log.write_notes(notes);
  std::string text(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  FUZZ_CHECK(::pread(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  return text;
}

}  // namespace

std::vector<Bytes> seeds() {
  return {bytes_of(written({{Time{12}, {3}, {0}, MemberState::failed},
                            {Time{99'000}, {4'000'000'000}, {65'536}, MemberState::alive},
                            {Time{-5}, {0}, {1}, MemberState::left}},
                           "heartbeats 12\n\nnotices 3\n")),
          bytes_of(written({}, ""))};
}

void play(Input input) {
  hw::ParsedLog parsed;
  const Status status = hw::parse_event_log(text_of(input), parsed);
  if (!status.is_ok()) return check_sentence(status.message());
  hw::ParsedLog again;
  FUZZ_CHECK(hw::parse_event_log(written(parsed.events, parsed.notes), again).is_ok());
  FUZZ_CHECK(again.events == parsed.events && again.notes == parsed.notes);
}

}  // namespace holdfast::fuzz
