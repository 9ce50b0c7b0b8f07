// Plays a target without libFuzzer: its seeds, then so many mutations of them.
//
//   fuzz_NAME [--count N]   inputs 0 … N-1
//   fuzz_NAME --only K      input K alone
//   fuzz_NAME FILE...       these files, such as one that libFuzzer has left
//
// The inputs are played in a child, so that whatever ends it, the number of the input is known and
// said. Exit status: 0, 1 if the target has broken a promise, 2 for a wrong command line.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

#include "tests/fuzz/mutator.hpp"

#ifdef __SANITIZE_ADDRESS__
// A length that somebody has sent must not size memory.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256";
}
#endif

namespace holdfast::fuzz {
namespace {

constexpr std::uint64_t kCount = 4'000;

// The number of the input that is played, which outlives whoever plays it.
using Shared = std::atomic<std::uint64_t>;
static_assert(Shared::is_always_lock_free);

struct Plan {
  std::uint64_t first = 0;
  std::uint64_t end = kCount;
  std::span<char* const> files = {};
};

bool read_number(const char* text, std::uint64_t& number) {
  const char* const end = text + std::strlen(text);
  return std::from_chars(text, end, number).ptr == end && text != end;
}

bool read_plan(std::span<char* const> words, Plan& plan) {
  if (words.size() == 2 && std::strcmp(words[0], "--count") == 0) {
    return read_number(words[1], plan.end);
  }
  if (words.size() == 2 && std::strcmp(words[0], "--only") == 0) {
    if (!read_number(words[1], plan.first)) return false;
    plan.end = plan.first + 1;
    return true;
  }
  plan.files = words;
  return words.empty() || words[0][0] != '-';
}

[[noreturn]] void play_all(const Plan& plan, Shared& current) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const char* name : plan.files) {
    std::ifstream file(name, std::ios::binary);
    play(bytes_of(std::string{std::istreambuf_iterator<char>(file), {}}));
  }
  if (plan.files.empty()) {
    const std::vector<Bytes> made = seeds();
    for (std::uint64_t number = plan.first; number < plan.end; ++number) {
      current = number;
      play(nth_input(made, number));
    }
  }
  std::exit(0);  // the sanitizer looks for leaks
}

int run(const char* program, std::span<char* const> words) {
  Plan plan;
  if (!read_plan(words, plan)) {
    std::fprintf(stderr, "usage: %s [--count N | --only K | FILE...]\n", program);
    return 2;
  }
  void* const shared =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  HOLDFAST_ASSERT(shared != MAP_FAILED);
  auto& current = *new (shared) Shared(0);
  const pid_t child = ::fork();
  HOLDFAST_ASSERT(child >= 0);
  if (child == 0) play_all(plan, current);
  int ended = 0;
  while (::waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return 0;
  if (plan.files.empty()) {
    const auto number = static_cast<unsigned long long>(current.load());
    std::fprintf(stderr, "input %llu has broken a promise; again: %s --only %llu\n", number,
                 program, number);
  }
  return 1;
}

}  // namespace
}  // namespace holdfast::fuzz

int main(int count, char** words) {
  return holdfast::fuzz::run(words[0],
                             std::span(words, static_cast<std::size_t>(count)).subspan(1));
}
