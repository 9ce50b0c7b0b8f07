// Lists, numbers and signals.
#include "experiments/program/bench_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "experiments/config/nearest.hpp"
#include "experiments/program/commands.hpp"

namespace holdfast::program {
namespace {

volatile sig_atomic_t interrupted = 0;

}  // namespace

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    parts.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

bool parse_whole(const std::string& text, std::uint32_t least, std::uint32_t most,
                 std::uint32_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= least && number <= most;
}

std::string parse_numbers(const Arguments& arguments, const std::string& option,
                          std::uint32_t least, std::uint32_t most, std::set<std::uint32_t>& to) {
  for (const std::string& part : split_at_commas(arguments.value(option))) {
    std::uint32_t number = 0;
    if (!parse_whole(part, least, most, number))
      return option + " has \"" + part + "\"; expected whole numbers from " +
             std::to_string(least) + " to " + std::to_string(most) + ", with commas between";
    to.insert(number);
  }
  return "";
}

std::string parse_timers(const Arguments& arguments, std::vector<reliable::Timers>& to) {
  constexpr std::array kAll = {reliable::Timers::measured, reliable::Timers::paper};
  std::vector<std::string> names;
  for (const reliable::Timers each : kAll) names.emplace_back(name_of(each));
  const auto asked = split_at_commas(arguments.value("--timers", names[0]));
  for (const std::string& name : asked) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return "--timers has \"" + name + "\"" + runner::config::did_you_mean(name, names) +
             "; expected measured, paper, or both with a comma between";
  }
  for (const reliable::Timers each : kAll) {
    if (std::find(asked.begin(), asked.end(), name_of(each)) != asked.end()) to.push_back(each);
  }
  return "";
}

const char* name_of(reliable::Timers timers) {
  return timers == reliable::Timers::paper ? "paper" : "measured";
}

std::string mpi_program(const Arguments& arguments, const std::string& name) {
  if (arguments.has("--no-mpi")) return "";
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

Interruptible::Interruptible() {
  struct sigaction noting {};
  noting.sa_handler = [](int) { interrupted = 1; };
  ::sigaction(SIGINT, &noting, &before_[0]);
  ::sigaction(SIGTERM, &noting, &before_[1]);
}

Interruptible::~Interruptible() {
  ::sigaction(SIGINT, &before_[0], nullptr);
  ::sigaction(SIGTERM, &before_[1], nullptr);
}

bool Interruptible::was_interrupted() {
  return interrupted != 0;
}

std::optional<int> ending_of(const Status& measured) {
  if (Interruptible::was_interrupted()) return kInterrupted;
  if (measured.is_ok()) return std::nullopt;
  std::fprintf(stderr, "holdfast bench: %s\n", measured.message().c_str());
  return kFailed;
}

}  // namespace holdfast::program
