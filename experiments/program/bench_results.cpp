// Files are written at the end, each whole or not at all.
#include "experiments/program/bench_results.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/program/commands.hpp"
#include "experiments/runner/durable_file.hpp"
#include "experiments/runner/version.hpp"
#include "hw/probe/processor.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast::program {
namespace {

std::string machine_json(const std::string& special) {
  const hw::FactGroup processor = hw::probe_processor();
  nlohmann::ordered_json json;
  json["measured"] = true;
  for (const hw::Fact& fact : processor.facts) {
    if (!fact.value) continue;
    std::visit([&](const auto& value) { json["processor"][fact.name] = value; }, *fact.value);
  }
  json["last_level_cache_bytes"] = last_level_cache_bytes();
  json.update(nlohmann::ordered_json::parse(special));
  json["version"] = {runner::version().number, runner::version().git, runner::version().compiler};
  return json.dump(2) + "\n";
}

// A folder in which there is nothing yet would keep the next run from beginning.
std::array<char, PATH_MAX> begun{};

void end_by(int signal) {
  ::rmdir(begun.data());
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void remove_if_stopped(const std::string& folder) {
  if (folder.size() >= begun.size()) return;
  std::ranges::copy(folder, begun.begin());
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, end_by);
}

}  // namespace

int refuse_bench(const std::string& message) {
  std::fprintf(stderr, "holdfast bench: %s\n", message.c_str());
  return kRefused;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string interval_cells(const std::optional<bench::Interval>& interval) {
  return interval ? short_number(interval->low) + "," + short_number(interval->high) : ",";
}

std::string bandwidth_csv(const std::vector<bench::BandwidthRow>& rows) {
  std::string csv =
      "measurement,contender,message_bytes,samples,median_bytes_per_s,low_bytes_per_s,"
      "high_bytes_per_s\n";
  for (const bench::BandwidthRow& row : rows) {
    csv += row.measurement + "," + row.contender + "," + std::to_string(row.message_bytes) + "," +
           std::to_string(row.samples) + "," + short_number(row.median_bytes_per_second) + "," +
           interval_cells(row.bytes_per_second) + "\n";
  }
  return csv;
}

std::string shows_csv(const std::vector<bench::ShowRow>& rows) {
  std::string csv =
      "show,message_bytes,ratio,least_ratio,ours_bytes_per_s,peer_bytes_per_s,limit,"
      "limit_bytes_per_s\n";
  for (const bench::ShowRow& row : rows) {
    csv += "\"" + row.show + "\"," + std::to_string(row.message_bytes) + "," +
           short_number(row.ratio) + "," + short_number(row.least) + "," +
           short_number(row.bytes_per_second) + "," + short_number(row.peer_bytes_per_second) +
           "," + row.limit + "," + short_number(row.limit_bytes_per_second) + "\n";
  }
  return csv;
}

Status make_results_folder(const Arguments& arguments, const std::string& otherwise,
                           std::string& folder) {
  // NEW/.. is a folder that is there, which only its name without the detour shows.
  folder = std::filesystem::path(arguments.value("--output", otherwise)).lexically_normal();
  std::error_code error;
  if (std::filesystem::exists(folder, error))
    return Status::error(folder +
                         " is there already; name another one with --output, or remove it");
  std::filesystem::create_directories(folder, error);
  if (error) return Status::error(folder + " cannot be made: " + error.message());
  remove_if_stopped(folder);
  return Status::ok();
}

std::function<void(const std::string&)> bench_progress(const Arguments& arguments) {
  const bool shown = !arguments.has("--quiet") && ::isatty(STDERR_FILENO) == 1;
  return [shown](const std::string& what) {
    if (shown) std::fprintf(stderr, "\r\033[K%s", what.c_str());
  };
}

Status write_bench_files(const std::string& folder, const std::string& special,
                         const std::vector<std::pair<std::string, std::string>>& files) {
  if (Status status = runner::write_durably(folder + "/machine.json", machine_json(special));
      !status.is_ok())
    return status;
  for (const auto& [name, text] : files) {
    if (Status status = runner::write_durably(folder + "/" + name, text); !status.is_ok())
      return status;
  }
  return Status::ok();
}

Status write_bench_results(const std::string& folder, const std::string& special,
                           const std::vector<bench::BandwidthRow>& rows,
                           const std::vector<bench::ShowRow>& shows) {
  return write_bench_files(
      folder, special, {{"shows.csv", shows_csv(shows)}, {"bandwidth.csv", bandwidth_csv(rows)}});
}

void print_shows(const std::vector<bench::ShowRow>& rows) {
  if (rows.empty()) return;
  std::printf("\n%-46s %10s %7s %6s %8s %8s %20s\n", "ratio, median of rounds", "bytes", "ratio",
              "least", "ours", "peer", "limit, GB/s");
  for (const bench::ShowRow& row : rows) {
    std::printf("%-46s %10zu %7.3f %6.2f %8.2f %8.2f %11s %8.2f%s\n", row.show.c_str(),
                row.message_bytes, row.ratio, row.least, row.bytes_per_second / 1e9,
                row.peer_bytes_per_second / 1e9, row.limit.c_str(),
                row.limit_bytes_per_second / 1e9, row.kept() ? "" : "  too slow");
  }
}

std::string limits_csv(const std::vector<bench::LimitShow>& shows) {
  std::string csv = "show,contender,fault,samples,value,limit,kept\n";
  for (const bench::LimitShow& show : shows) {
    csv += "\"" + show.show + "\"," + show.contender + "," + show.fault + "," +
           std::to_string(show.samples) + "," + short_number(show.value) + "," +
           short_number(show.limit) + "," + (show.kept() ? "yes" : "no") + "\n";
  }
  return csv;
}

void print_limits(const std::vector<bench::LimitShow>& shows) {
  std::printf("\n%-12s %-15s %-30s %7s %9s %9s\n", "", "fault", "", "samples", "value", "limit");
  for (const bench::LimitShow& show : shows) {
    std::printf("%-12s %-15s %-30s %7zu %9s %s%-7s%s\n", show.contender.c_str(), show.fault.c_str(),
                show.show.c_str(), show.samples, short_number(show.value).c_str(),
                show.is_least ? ">= " : "<= ", short_number(show.limit).c_str(),
                show.kept() ? "" : "  not kept");
  }
}

// A step of a plain socket may be over before the scheduler lets others run; a longer one of ours
// is not. So what others take from it would look as if it were ours.
void print_disturbed(std::uint64_t disturbed_steps, std::uint64_t steps) {
  constexpr std::uint64_t kStepsToOneDisturbed = 20;
  if (disturbed_steps * kStepsToOneDisturbed <= steps) return;
  std::printf(
      "note: in %llu of %llu steps a process that polls was without a processor for more than a "
      "tenth of the time; something else runs here, or both share one, and our figures are too "
      "low\n",
      static_cast<unsigned long long>(disturbed_steps), static_cast<unsigned long long>(steps));
}

}  // namespace holdfast::program
