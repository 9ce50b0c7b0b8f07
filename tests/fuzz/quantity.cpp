// Quantities with units: what is taken is written as a text of the same value.
#include "experiments/config/quantity.hpp"

#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

template <class Value>
void check_problem(const runner::Parsed<Value>& parsed) {
  // Made fit for a terminal where it becomes part of a message (problem.cpp).
  if (!parsed.value) FUZZ_CHECK(!parsed.error.empty());
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> texts;
  for (const char* text :
       {"100 ms", "2.5 us", "10 years", "292 years", "0 s", "1min", "0.000000001 s", "100 Gb/s",
        "2.5 Tb/s", "1 b/s", "2 %", "0.0001%", "-1 s", "1e3 ms"}) {
    texts.push_back(bytes_of(text));
  }
  return texts;
}

void play(Input input) {
  const std::string_view text = text_of(input);
  const auto duration = runner::parse_duration(text);
  check_problem(duration);
  if (duration.value) {
    FUZZ_CHECK(*duration.value >= Duration{0});
    FUZZ_CHECK(runner::parse_duration(runner::format_duration(*duration.value)).value ==
               duration.value);
  }
  const auto rate = runner::parse_rate(text);
  check_problem(rate);
  if (rate.value) {
    FUZZ_CHECK(*rate.value >= 0);
    FUZZ_CHECK(runner::parse_rate(runner::format_rate(*rate.value)).value == rate.value);
  }
  const auto share = runner::parse_percentage(text);
  check_problem(share);
  if (share.value) FUZZ_CHECK(*share.value >= 0);
}

}  // namespace holdfast::fuzz
