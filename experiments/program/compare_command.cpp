// holdfast compare: two sets of results side by side, and which differences are real.
#include <array>
#include <cstdio>

#include "experiments/compare/describe.hpp"
#include "experiments/program/commands.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--json", nullptr, "for scripts: all numbers, times in seconds"},
};

int run_compare(const Arguments& arguments) {
  compare::Comparison comparison;
  const Status status =
      compare::compare(arguments.operands()[0], arguments.operands()[1], comparison);
  if (!status.is_ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return kRefused;
  }
  const bool json = arguments.has("--json");
  std::fputs((json ? to_json(comparison) : describe(comparison)).c_str(), stdout);
  return kDone;
}

}  // namespace

const Command kCompareCommand = {
    "compare",
    "A B [options]",
    "compare two runs, or two sweep points, and say which differences are real",
    "A and B are results folders, or some of the sweep points of one: FOLDER#3 is the point of "
    "that\n"
    "number, FOLDER#detector.order=rank those with that value (several with commas between). "
    "Points\n"
    "are compared that agree in whatever else is swept; a single one with a single one, always.\n\n"
    "Prints what is set differently, and for each column of results.csv the medians over the\n"
    "replicates, the difference and its 95 % interval, and whether it is real. Replicates of one\n"
    "seed had the same random numbers on both sides and are compared pair by pair (sign test), "
    "others\n"
    "as independent samples (Mann and Whitney); no distribution is assumed. p is corrected for "
    "the\n"
    "number of columns, after Holm. Nothing is run and nothing is written.\n\n"
    "examples:\n"
    "  holdfast compare results/quickstart results/quickstart-2\n"
    "  holdfast compare results/quickstart#propagation.kind=bmg "
    "results/quickstart#propagation.kind=chord",
    kOptions,
    2,
    2,
    run_compare};

}  // namespace holdfast::program
