// What the benchmarks that start processes understand alike on their command line and from the
// keyboard.
#pragma once

#include <signal.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/program/options.hpp"
#include "stack/base/status.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::program {

// At commas; of an empty text one empty part.
std::vector<std::string> split_at_commas(const std::string& list);

// A whole number within the bounds; false: it is none.
bool parse_whole(const std::string& text, std::uint32_t least, std::uint32_t most,
                 std::uint32_t& number);

// A list of whole numbers, in ascending order and once each. Says what is wrong with it; empty:
// nothing.
std::string parse_numbers(const Arguments& arguments, const std::string& option,
                          std::uint32_t least, std::uint32_t most, std::set<std::uint32_t>& to);

// --timers: whose rules an endpoint follows, each once, ours first; default these alone. Says what
// is wrong; empty: nothing.
std::string parse_timers(const Arguments& arguments, std::vector<reliable::Timers>& to);
const char* name_of(reliable::Timers timers);

// The path of a program of the same build; empty: --no-mpi was given.
std::string mpi_program(const Arguments& arguments, const std::string& name);

// While it lives, Ctrl-C and SIGTERM are noted, for a benchmark to ask before each step. Its
// processes end by Ctrl-C, too; then it ends as when one of them does.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  static bool was_interrupted();

 private:
  struct sigaction before_[2]{};
};

// After measuring: the exit status if it was interrupted, or failed, which is said; none: go on.
std::optional<int> ending_of(const Status& measured);

}  // namespace holdfast::program
