// A place that the launcher gives: assignment, table of processes, and the word that all are ready.
#include <fcntl.h>

#include <array>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/launch/ground.hpp"
#include "hw/library/place.hpp"

namespace holdfast::hw {

namespace {

Outcome outcome_of(const HandOver& given) {
  switch (given.fault) {
    case HandOverFault::none:
      return {};
    case HandOverFault::gone:
      return {HOLDFAST_ABANDONED, given.message};
    case HandOverFault::late:
      return {HOLDFAST_TIMED_OUT, given.message + "; has another process joined in this place?"};
    case HandOverFault::spoilt:
      return {HOLDFAST_BAD_ASSIGNMENT, given.message};
    case HandOverFault::other_version:
      return {HOLDFAST_WRONG_VERSION, given.message};
  }
  return {HOLDFAST_BAD_ASSIGNMENT, given.message};
}

class LaunchedPlace final : public Place {
 public:
  LaunchedPlace(int control, int table) : control_(control), table_(table) {
    // Not for programs that this one starts.
    for (const int descriptor : {control, table}) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }

  Outcome take(Time until, std::unique_ptr<NodeProgram>& program) override {
    if (HandOver given = receive_assignment(control_.get(), assignment_, until); !given.is_ok()) {
      return outcome_of(given);
    }
    const int table = ::fcntl(table_.get(), F_DUPFD_CLOEXEC, 0);  // the ground takes it over
    if (Status opened = ground_.open(assignment_, table); !opened.is_ok()) {
      return {HOLDFAST_SYSTEM, opened.message()};
    }
    const NodeStart start = start_of(assignment_, ground_.rails, ground_.book());
    if (Status made = make_engine_program(start, program); !made.is_ok()) {
      return {HOLDFAST_BAD_ASSIGNMENT, made.message()};
    }
    return {};
  }

  Outcome wait_for_start(Time until, Time& start_at) override {
    if (Status sent = ground_.say_ready(control_.get()); !sent.is_ok()) {
      return {HOLDFAST_ABANDONED, sent.message()};
    }
    std::array<std::byte, 8> bytes;
    const HandOver given = receive_bytes(control_.get(), bytes, until);
    if (given.fault == HandOverFault::late) {
      return {HOLDFAST_TIMED_OUT, "not all of the " + std::to_string(assignment_.processes()) +
                                      " processes of the job have joined in time"};
    }
    start_at = {static_cast<std::int64_t>(load_le<std::uint64_t>(bytes.data()))};
    return outcome_of(given);
  }

  // A launcher that is gone need not know.
  void left() override { (void)send_word(control_.get(), {kLeft, 0}).is_ok(); }

  std::span<Fabric* const> rails() const override { return ground_.rails; }
  std::uint32_t job() const override { return assignment_.job; }
  std::vector<CountingFabric*> counted_rails() override { return ground_.counted_rails(); }
  int lifeline() const override { return control_.get(); }

 private:
  Descriptor control_, table_;
  Assignment assignment_;
  Ground ground_;
};

}  // namespace

std::unique_ptr<Place> place_of_launcher(int control, int table) {
  return std::make_unique<LaunchedPlace>(control, table);
}

}  // namespace holdfast::hw
