// What the public interface takes: the variable in which the launcher names its descriptors, and
// arguments that make no sense. Every refusal has a sentence.
#include <holdfast/holdfast.h>

#include <cstdlib>
#include <string>

#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

constexpr const char* kVariable = "HOLDFAST_LAUNCHER";

void check_refused(holdfast_status status) {
  FUZZ_CHECK(status != HOLDFAST_OK);
  check_sentence(holdfast_error());
}

}  // namespace

std::vector<Bytes> seeds() {
  return {bytes_of("control=900 table=901"), bytes_of("control=-1 table=5"), bytes_of("control=3"),
          bytes_of("control=99999999999 table=901\n")};
}

void play(Input input) {
  const std::string text(text_of(input));
  ::setenv(kVariable, text.c_str(), 1);
  holdfast_job* job = nullptr;
  check_refused(holdfast_join(0, &job));
  FUZZ_CHECK(job == nullptr);
  check_refused(holdfast_join(0, nullptr));
  check_refused(holdfast_join(-1, &job));
  check_refused(holdfast_leave(nullptr, 0));
  check_refused(holdfast_next_verdict(nullptr, 0, nullptr));
  check_refused(holdfast_find_member(nullptr, 0, nullptr));
  check_refused(holdfast_view(nullptr, nullptr, 0, nullptr));
  FUZZ_CHECK(holdfast_verdict_fd(nullptr) == -1);
  std::int32_t state = 0;
  for (const std::byte byte : input) {
    state = state << 8 ^ std::to_integer<std::int32_t>(byte);
    FUZZ_CHECK(holdfast_state_name(state) != nullptr);
  }
}

}  // namespace holdfast::fuzz
