// Says how to play a seed again, also when an assertion ends the program.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace holdfast::swarm {

inline char line_of_seed[96];

// `command`: what to put before the seed, and `options` behind it.
inline void note_seed(const char* command, std::uint64_t seed, const char* options) {
  std::snprintf(line_of_seed, sizeof line_of_seed, "  to see it: %s --seed %llu %s\n", command,
                static_cast<unsigned long long>(seed), options);
}

inline void say_seed_and_end(int) {
  static_cast<void>(::write(STDOUT_FILENO, line_of_seed, std::strlen(line_of_seed)));
  std::signal(SIGABRT, SIG_DFL);
}

inline void say_seed_of_assertions() {
  std::signal(SIGABRT, say_seed_and_end);
}

}  // namespace holdfast::swarm
