// Aligned text, and JSON.
#include "experiments/compare/describe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace holdfast::compare {
namespace {

struct Unit {
  const char* name;
  double size;
};
constexpr std::array<Unit, 4> kTimes{{{" ns", 1e-9}, {" µs", 1e-6}, {" ms", 1e-3}, {" s", 1.0}}};

bool is_time(const std::string& name) {
  return name.ends_with("_s");
}

// The unit of a measure: one for its medians and their difference. By the larger median.
Unit unit_of(const Measure& measure) {
  if (!is_time(measure.name)) return {"", 1.0};
  double greatest = 0.0;
  for (const double value : {measure.a, measure.b, std::abs(measure.difference.estimate)})
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  Unit unit = kTimes[0];
  for (const Unit& larger : kTimes)
    if (greatest >= larger.size) unit = larger;
  return unit;
}

// Four digits, without an exponent up to a million.
std::string number_text(double value) {
  char text[32];
  const double size = std::abs(value);
  if (size != 0.0 && (size >= 1e6 || size < 1e-3)) {
    std::snprintf(text, sizeof text, "%.3e", value);
    return text;
  }
  const int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  std::string shown = text;
  if (shown.find('.') != std::string::npos) {
    shown.erase(shown.find_last_not_of('0') + 1);
    if (shown.back() == '.') shown.pop_back();
  }
  return shown == "-0" ? "0" : shown;
}

std::string value_text(double value, const Unit& unit) {
  return std::isinf(value) ? "never" : number_text(value / unit.size) + unit.name;
}

std::string signed_text(double value, const Unit& unit) {
  if (std::isinf(value)) return value > 0 ? "+never" : "-never";
  const std::string text = number_text(value / unit.size);
  return (value > 0 ? "+" : "") + text;
}

std::string p_text(double p) {
  char text[16];
  std::snprintf(text, sizeof text, p < 0.001 ? "%.0e" : "%.3f", p);
  return text;
}

std::size_t width_of(const std::string& text) {
  // Bytes that continue a character of UTF-8 take no place.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

using Table = std::vector<std::vector<std::string>>;

// The first column is words, to the left; the others end at the right.
std::string aligned(const Table& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text;
  for (const auto& row : table) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      line += i == 0 ? row[i] + blanks : "  " + blanks + row[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// A measure, and of how many replicates if it had no value in the others.
std::string name_text(const PointComparison& point, const Measure& measure) {
  const std::string a = std::to_string(measure.a_count), b = std::to_string(measure.b_count);
  if (measure.a_count == point.a_samples && measure.b_count == point.b_samples) return measure.name;
  return measure.name + (point.paired ? " (in " + a + " pairs)" : " (in " + a + " and " + b + ")");
}

std::vector<std::string> row_of(const PointComparison& point, const Measure& measure) {
  const Unit unit = unit_of(measure);
  const auto& interval = measure.difference.interval;
  return {name_text(point, measure),
          value_text(measure.a, unit),
          value_text(measure.b, unit),
          signed_text(measure.difference.estimate, unit) + unit.name,
          interval ? signed_text(interval->first, unit) + " to " +
                         signed_text(interval->second, unit) + unit.name
                   : "too few",
          p_text(measure.p_corrected),
          measure.real ? "yes" : "-"};
}

std::string listed(const std::vector<std::string>& names, std::size_t columns) {
  std::string text, line;
  for (const std::string& name : names) {
    if (!line.empty() && line.size() + name.size() + 4 > columns) {
      text += line + ",\n";
      line.clear();
    }
    line += (line.empty() ? "    " : ", ") + name;
  }
  return text + line + "\n";
}

std::string method_text(const PointComparison& point) {
  const std::string a = std::to_string(point.a_replicates), b = std::to_string(point.b_replicates);
  const std::string pairs = std::to_string(point.a_samples);
  if (point.paired)
    return "  paired: both have seed " + point.seed_a + ", so replicate r had the same random " +
           "numbers on both sides; " + pairs + " pairs" +
           (a == b ? "" : " (A has " + a + " replicates, B " + b + ")") +
           "; sign test, interval of order statistics\n";
  return "  independent samples: seeds " + point.seed_a + " and " + point.seed_b + "; " + a +
         " and " + b + " replicates; test of Mann and Whitney, difference of Hodges and Lehmann\n";
}

std::string describe_point(const PointComparison& point) {
  std::string text = point.label.empty() ? "" : "\n" + point.label + "\n";
  for (const Setting& setting : point.settings)
    text += "  " + setting.path + ": " + (setting.a.empty() ? "(none)" : setting.a) + " -> " +
            (setting.b.empty() ? "(none)" : setting.b) + "\n";
  if (point.settings.empty()) text += "  the configurations are the same\n";
  text += method_text(point);
  if (!point.measures.empty()) {
    Table table = {{"measure", "A, median", "B, median", "B less A", "95 % interval", "p", "real"}};
    // What is real comes first.
    for (const bool real : {true, false})
      for (const Measure& measure : point.measures)
        if (measure.real == real) table.push_back(row_of(point, measure));
    text += "\n" + aligned(table);
  }
  if (!point.equal.empty()) text += "  the same in every replicate:\n" + listed(point.equal, 100);
  return text;
}

using Json = nlohmann::ordered_json;

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Measure& measure) {
  const auto& interval = measure.difference.interval;
  return {{"measure", measure.name},
          {"median_a", finite(measure.a)},
          {"median_b", finite(measure.b)},
          {"samples_a", measure.a_count},
          {"samples_b", measure.b_count},
          {"difference", finite(measure.difference.estimate)},
          {"interval", interval ? Json::array({finite(interval->first), finite(interval->second)})
                                : Json(nullptr)},
          {"p", measure.difference.p},
          {"p_corrected", measure.p_corrected},
          {"real", measure.real}};
}

Json to_json(const PointComparison& point) {
  Json document = {{"point", point.label},
                   {"method", point.paired ? "paired" : "independent"},
                   {"replicates_a", point.a_replicates},
                   {"replicates_b", point.b_replicates},
                   {"settings", Json::array()},
                   {"measures", Json::array()},
                   {"equal", point.equal}};
  for (const Setting& setting : point.settings)
    document["settings"].push_back({{"path", setting.path}, {"a", setting.a}, {"b", setting.b}});
  for (const Measure& measure : point.measures) document["measures"].push_back(to_json(measure));
  return document;
}

}  // namespace

std::string describe(const Comparison& comparison) {
  std::string text = "A  " + comparison.a + "\nB  " + comparison.b + "\n";
  for (const std::string& note : comparison.notes) text += "note: " + note + "\n";
  for (const PointComparison& point : comparison.points) text += describe_point(point);
  if (comparison.tests == 0) return text + "\nNothing differs.\n";
  text += "\nreal: p below 0.05. p is corrected, after Holm, for looking at " +
          std::to_string(comparison.tests) +
          " measures at once: if nothing differed,\none comparison in twenty, or fewer, would call "
          "anything real.\n";
  if (!comparison.can_be_real)
    text += "So few replicates cannot show that a difference is real; run more of them.\n";
  return text;
}

std::string to_json(const Comparison& comparison) {
  Json document = {{"a", comparison.a},
                   {"b", comparison.b},
                   {"notes", comparison.notes},
                   {"tests", comparison.tests},
                   {"correction", "Holm"},
                   {"real_below", kRealBelow},
                   {"can_be_real", comparison.can_be_real},
                   {"points", Json::array()}};
  for (const PointComparison& point : comparison.points)
    document["points"].push_back(to_json(point));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::compare
