// Lines are put together in one buffer that is allocated once, and written with one call a turn.
#include "hw/run/event_log.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "stack/base/excerpt.hpp"

namespace holdfast::hw {

namespace {

constexpr std::string_view kHeader = "monotonic_ns,process,incarnation,state\n";
constexpr std::array<std::string_view, 6> kStateNames{"joining", "alive", "suspected",
                                                      "failed",  "left",  "committed"};
static_assert(kStateNames.size() == static_cast<std::size_t>(kLastMemberState) + 1);

template <class Integer>
void append(std::string& text, Integer value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

// Takes the part of `line` before the next comma.
std::string_view next_field(std::string_view& line) {
  const std::size_t comma = line.find(',');
  const std::string_view field = line.substr(0, comma);
  line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  return field;
}

template <class Integer>
bool parse(std::string_view field, Integer& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size();
}

bool parse_line(std::string_view line, BeliefEvent& event) {
  if (!parse(next_field(line), event.at.ns)) return false;
  if (!parse(next_field(line), event.process.value)) return false;
  if (!parse(next_field(line), event.incarnation.value)) return false;
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (line == kStateNames[i]) {
      event.state = static_cast<MemberState>(i);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view name_of(MemberState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}

EventLog::EventLog(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {
  buffer_.reserve(64 * 1024);
  buffer_ = kHeader;
  flush();
}

void EventLog::write(Time at, std::span<const Membership::Change> changes) {
  if (changes.empty()) return;
  for (const Membership::Change& change : changes) {
    append(buffer_, at.ns);
    buffer_ += ',';
    append(buffer_, change.process.value);
    buffer_ += ',';
    append(buffer_, change.record.incarnation.value);
    buffer_ += ',';
    buffer_ += name_of(change.record.state);
    buffer_ += '\n';
  }
  flush();
}

void EventLog::write_notes(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    buffer_ += '#';
    buffer_ += text.substr(0, end);
    buffer_ += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
}

void EventLog::flush() {
  std::string_view rest = buffer_;
  while (descriptor_ >= 0 && !rest.empty() && status_.is_ok()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      status_ = Status::error("cannot write " + name_ + ": " + std::strerror(errno));
    }
  }
  buffer_.clear();
}

Status parse_event_log(std::string_view text, ParsedLog& parsed) {
  std::size_t number = 0;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    ++number;
    if (number == 1 && line == kHeader.substr(0, kHeader.size() - 1)) continue;
    BeliefEvent event;
    if (line.starts_with('#')) {
      parsed.notes.append(line.substr(1)).append("\n");
    } else if (parse_line(line, event)) {
      parsed.events.push_back(event);
    } else {
      return Status::error(
          "line " + std::to_string(number) +
          " of an event log is not monotonic_ns,process,incarnation,state: " + excerpt(line));
    }
  }
  return Status::ok();
}

}  // namespace holdfast::hw
