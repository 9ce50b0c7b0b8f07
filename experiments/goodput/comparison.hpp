// What `holdfast bench goodput` measures: a stream of messages over UDP by ours while datagrams are
// lost at random or are late, beside the same without, and beside a plain socket's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/goodput/goodput_rows.hpp"
#include "stack/base/status.hpp"

namespace holdfast::goodput {

struct Plan {
  std::uint32_t rounds = 1;
  std::uint64_t seed = 1;  // from which losses are drawn, of each contender others
  std::function<void(const std::string&)> before_each;  // told what is measured next
  std::function<bool()> is_over;                        // the user wants it to end
};

struct Findings {
  std::vector<GoodputRow> rows;
  std::vector<bench::LimitShow> shows;
  double round_trip_s = 0;     // without a fault; datagrams are late by up to half of it
  std::uint64_t messages = 0;  // compared with their generators
  // Steps of ours, and those in which one of the two processes was off its processor for more than
  // a tenth of the time: others run there.
  std::uint64_t steps = 0, disturbed_steps = 0;
};

constexpr std::size_t kMessageBytes = 1 << 20;
constexpr std::size_t kMessages = 32;  // of a step

// An error if something cannot be opened, hangs, or gives a message that is not what was sent.
Status measure(const Plan& plan, Findings& findings);

}  // namespace holdfast::goodput
