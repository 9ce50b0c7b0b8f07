// Reads the LANL records that trace.hpp describes. Times are minutes since 1 January 1970.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <sstream>

#include "sim/faults/csv_line.hpp"
#include "sim/faults/text_file.hpp"
#include "sim/faults/trace.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/excerpt.hpp"

namespace holdfast::sim {
namespace {

// Minutes since 1 January 1970, in the trace's own local time.
using Minutes = std::int64_t;

constexpr std::int64_t kNanosecondsPerMinute = 60'000'000'000;
constexpr Minutes kMinutesPerDay = 24 * 60;
// A century; in nanoseconds there are not quite three.
constexpr Minutes kOutageMax = 36'525 * kMinutesPerDay;

Minutes start_of(std::chrono::year_month_day date) {
  return std::chrono::sys_days(date).time_since_epoch().count() * kMinutesPerDay;
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// M/D/YYYY H:MM.
std::optional<Minutes> parse_minutes(std::string_view text) {
  constexpr std::string_view kSeparators = "// :";
  std::array<std::uint32_t, 5> part{};  // month, day, year, hour, minute
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::size_t end = i < kSeparators.size() ? text.find(kSeparators[i]) : text.size();
    if (end == std::string_view::npos) return {};
    const auto number = parse_number(text.substr(0, end));
    if (!number) return {};
    part[i] = *number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(part[2])),
                                         std::chrono::month(part[0]), std::chrono::day(part[1])};
  if (part[2] < 1000 || part[2] > 9999 || !date.ok() || part[3] > 23 || part[4] > 59) return {};
  return start_of(date) + part[3] * 60 + part[4];
}

struct Period {
  Minutes begin = 0;
  Minutes end = 0;  // the first minute after it
};

Period period_of(const LanlSelection& selection) {
  using std::chrono::January, std::chrono::year, std::chrono::month, std::chrono::day;
  const year y{static_cast<int>(selection.year)};
  if (!selection.month)
    return {start_of(y / January / 1), start_of((y + std::chrono::years(1)) / January / 1)};
  const auto first = y / month(*selection.month);
  const auto following = first + std::chrono::months(1);
  return {start_of(first / day(1)), start_of(following / day(1))};
}

// Where the columns in use stand in a line.
struct Columns {
  std::size_t system = 0, node = 0, started = 0, fixed = 0;
  std::size_t count = 0;
};

Status find_columns(const std::string& place, const std::vector<std::string>& header,
                    Columns& columns) {
  const auto find = [&](std::string_view name, std::size_t& column) {
    const auto match = [&](const std::string& field) { return trimmed(field) == name; };
    const auto found = std::find_if(header.begin(), header.end(), match);
    column = static_cast<std::size_t>(found - header.begin());
    return found != header.end();
  };
  columns.count = header.size();
  for (const auto& [name, column] : {std::pair{"System", &columns.system},
                                     {"nodenumz", &columns.node},
                                     {"Prob Started", &columns.started},
                                     {"Prob Fixed", &columns.fixed}}) {
    if (!find(name, *column))
      return Status::error(place + "the header has no column \"" + name +
                           "\"; expected the failure records of LANL as they are published");
  }
  return Status::ok();
}

struct Record {
  Minutes started = 0;
  std::optional<Minutes> fixed;
  std::optional<std::uint32_t> node;
};

std::string years_of(const std::set<int>& years) {
  std::string text;
  for (const int year : years) text += (text.empty() ? "" : ", ") + std::to_string(year);
  return text;
}

// Reads the records of the system that start in the period, in the order of the file.
class LanlReader {
 public:
  LanlReader(const std::string& path, const LanlSelection& selection)
      : path_(path), selection_(selection), period_(period_of(selection)) {}

  Status read(std::vector<Record>& records) {
    std::string text;
    if (Status status = read_text_file(path_, text); !status.is_ok()) return status;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
      if (trimmed(line).empty()) continue;
      const std::string place = path_ + ":" + std::to_string(number) + ": ";
      if (!split_csv_line(trimmed(line), fields_))
        return Status::error(place + "has an unclosed quote");
      Status status =
          columns_.count == 0 ? find_columns(place, fields_, columns_) : record(place, records);
      if (!status.is_ok()) return status;
    }
    return records.empty() ? nothing_selected() : Status::ok();
  }

 private:
  Status record(const std::string& place, std::vector<Record>& records) {
    if (fields_.size() != columns_.count)
      return Status::error(place + "has " + std::to_string(fields_.size()) +
                           " fields; the header has " + std::to_string(columns_.count));
    const auto system = parse_number(trimmed(fields_[columns_.system]));
    if (!system)
      return Status::error(place + "System is \"" + excerpt(fields_[columns_.system]) +
                           "\"; expected a number");
    systems_.insert(static_cast<int>(*system));
    if (*system != selection_.system) return Status::ok();
    const auto started = parse_minutes(trimmed(fields_[columns_.started]));
    if (!started) return bad_time(place, "Prob Started", fields_[columns_.started]);
    const std::chrono::sys_days day{
        std::chrono::days(*started / kMinutesPerDay - (*started % kMinutesPerDay < 0))};
    years_.insert(static_cast<int>(std::chrono::year_month_day(day).year()));
    if (*started < period_.begin || *started >= period_.end) return Status::ok();
    Record record;
    record.started = *started;
    const std::string_view fixed = trimmed(fields_[columns_.fixed]);
    if (!fixed.empty()) {
      record.fixed = parse_minutes(fixed);
      if (!record.fixed) return bad_time(place, "Prob Fixed", fields_[columns_.fixed]);
      if (*record.fixed - period_.begin > kOutageMax) {
        return Status::error(place + "Prob Fixed is \"" + excerpt(fixed) +
                             "\", more than a century after the period that is played; leave it "
                             "empty for a node that was never fixed");
      }
    }
    const std::string_view node = trimmed(fields_[columns_.node]);
    if (!node.empty()) {
      record.node = parse_number(node);
      if (!record.node)
        return Status::error(place + "nodenumz is \"" + excerpt(node) + "\"; expected a number");
    }
    records.push_back(record);
    return Status::ok();
  }

  static Status bad_time(const std::string& place, std::string_view column,
                         const std::string& text) {
    return Status::error(place + std::string(column) + " is \"" + excerpt(text) +
                         "\"; expected M/D/YYYY H:MM");
  }

  Status nothing_selected() const {
    if (columns_.count == 0) return Status::error(path_ + ": is empty; expected a header");
    const std::string system = "system " + std::to_string(selection_.system);
    if (years_.empty())
      return Status::error(path_ + ": has no records of " + system + "; its systems are " +
                           years_of(systems_));
    std::string when = std::to_string(selection_.year);
    if (selection_.month) when = "month " + std::to_string(*selection_.month) + " of " + when;
    return Status::error(path_ + ": has no records of " + system + " that start in " + when +
                         "; it has them in " + years_of(years_));
  }

  const std::string& path_;
  const LanlSelection& selection_;
  const Period period_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::set<int> systems_;
  std::set<int> years_;  // of the selected system
};

}  // namespace

Status read_lanl_trace(const std::string& path, const LanlSelection& selection,
                       std::span<const std::uint32_t> hosts_in_guid_order, ScheduleBuilder& builder,
                       LanlReport& report) {
  HOLDFAST_ASSERT(!hosts_in_guid_order.empty());
  if (selection.year < 1 || selection.year > 9998)
    return Status::error(path + ": year " + std::to_string(selection.year) +
                         " is asked for; expected 1 … 9998");
  if (selection.month && (*selection.month < 1 || *selection.month > 12))
    return Status::error(path + ": month " + std::to_string(*selection.month) +
                         " is asked for; expected 1 … 12");
  std::vector<Record> records;
  if (Status status = LanlReader(path, selection).read(records); !status.is_ok()) return status;
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.started < b.started; });

  const Period period = period_of(selection);
  const auto since_start = [&](Minutes m) {
    return Time{(m - period.begin) * kNanosecondsPerMinute};
  };
  report = {};
  report.records = records.size();
  report.period = since_start(period.end) - Time{0};
  std::map<std::uint32_t, LanlNode> nodes;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    if (!record.node) {
      ++report.without_node;
      continue;
    }
    const std::uint32_t host = hosts_in_guid_order[*record.node % hosts_in_guid_order.size()];
    LanlNode& node = nodes.try_emplace(*record.node, LanlNode{*record.node, host, 0}).first->second;
    ++node.records;
    if (record.fixed && *record.fixed < record.started) {
      ++report.fixed_before_started;
      continue;
    }
    Outage outage{since_start(record.started), {}, FaultAction::crash, FaultTarget::node, host, i};
    if (record.fixed) outage.until = since_start(*record.fixed);
    if (!record.fixed) ++report.never_fixed;
    builder.add(outage);
  }
  for (const auto& [number, node] : nodes) report.nodes.push_back(node);
  return Status::ok();
}

}  // namespace holdfast::sim
