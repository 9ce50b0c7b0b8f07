// Reads the csv traces that trace.hpp describes.
#include <charconv>
#include <sstream>

#include "sim/faults/csv_line.hpp"
#include "sim/faults/text_file.hpp"
#include "sim/faults/trace.hpp"
#include "stack/base/excerpt.hpp"

namespace holdfast::sim {
namespace {

constexpr std::string_view kHeader = "at_s,action,what,which";
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// Seconds as a decimal number, exactly; nothing if it is none, negative, finer than a nanosecond or
// beyond 292 years.
std::optional<Time> parse_seconds(std::string_view text) {
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  std::string fraction;
  if (dot != std::string_view::npos) fraction = text.substr(dot + 1);
  if (dot != std::string_view::npos && (fraction.empty() || fraction.size() > 9)) return {};
  fraction.resize(9, '0');
  std::uint64_t seconds = 0;
  std::uint64_t nanoseconds = 0;
  const auto parse = [](std::string_view digits, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (!parse(whole, seconds) || !parse(fraction, nanoseconds)) return {};
  if (seconds >= static_cast<std::uint64_t>(INT64_MAX / kNanosecondsPerSecond)) return {};
  return Time{static_cast<std::int64_t>(seconds) * kNanosecondsPerSecond +
              static_cast<std::int64_t>(nanoseconds)};
}

std::optional<FaultAction> parse_action(std::string_view text) {
  if (text == "crash") return FaultAction::crash;
  if (text == "repair") return FaultAction::repair;
  if (text == "pause") return FaultAction::pause;
  if (text == "resume") return FaultAction::resume;
  return {};
}

std::optional<FaultTarget> parse_target(std::string_view text) {
  if (text == "process") return FaultTarget::process;
  if (text == "node") return FaultTarget::node;
  return {};
}

// Fills `event`, or returns what is wrong with the line.
std::string parse_event(const std::vector<std::string>& fields, const ResolvePart& resolve,
                        FaultEvent& event) {
  const auto field = [&](std::size_t i) { return trimmed(fields[i]); };
  const auto quoted = [&](std::size_t i) { return "\"" + excerpt(field(i)) + "\""; };
  if (fields.size() != 4)
    return "has " + std::to_string(fields.size()) + " fields; expected 4: " + std::string(kHeader);
  const auto at = parse_seconds(field(0));
  if (!at) return "at_s is " + quoted(0) + "; expected seconds such as 12.5, not negative";
  const auto action = parse_action(field(1));
  if (!action) return "action is " + quoted(1) + "; expected crash, repair, pause or resume";
  const auto target = parse_target(field(2));
  if (!target) return "what is " + quoted(2) + "; expected process or node";
  const auto index = resolve(*target, field(3));
  if (!index) return "which is " + quoted(3) + "; the run has no such " + std::string(field(2));
  event.at = *at;
  event.action = *action;
  event.target = *target;
  event.index = *index;
  return "";
}

}  // namespace

Status read_csv_trace(const std::string& path, const ResolvePart& resolve,
                      ScheduleBuilder& builder) {
  std::string text;
  if (Status status = read_text_file(path, text); !status.is_ok()) return status;
  std::istringstream lines(text);
  std::string line;
  std::vector<std::string> fields;
  std::size_t number = 0;
  std::size_t record = 0;
  bool header_seen = false;
  while (std::getline(lines, line)) {
    const std::string place = path + ":" + std::to_string(++number) + ": ";
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    if (!header_seen) {
      if (content != kHeader)
        return Status::error(place + "is not the header; expected " + std::string(kHeader));
      header_seen = true;
      continue;
    }
    if (!split_csv_line(content, fields)) return Status::error(place + "has an unclosed quote");
    FaultEvent event;
    event.record = record++;
    const std::string complaint = parse_event(fields, resolve, event);
    if (!complaint.empty()) return Status::error(place + complaint);
    builder.add_event(event);
  }
  if (!header_seen)
    return Status::error(path + ": is empty; expected the header " + std::string(kHeader));
  return Status::ok();
}

}  // namespace holdfast::sim
