// How much a skeleton sends: what can be compared with the counts that others have published.
#pragma once

#include <array>
#include <cstdint>

#include "sim/workload/job.hpp"
#include "stack/base/ids.hpp"

namespace holdfast::sim {

// Of one process, over a whole run.
struct Counts {
  std::uint64_t messages = 0;   // sent to others, those of collective operations among them
  std::uint64_t bytes = 0;      // of these
  std::uint64_t to_itself = 0;  // messages that MPI is asked to send to the process itself

  // As tools between a program and MPI count. They do not see of which messages a collective
  // operation is made; barriers are no calls here.
  std::uint64_t sends = 0;        // to others, by the program itself
  std::uint64_t sent_bytes = 0;   // of these
  std::uint64_t collectives = 0;  // calls of collective operations
  // Each send, each receive and each collective operation (with the whole buffer that is handed in)
  // is one. By size: up to 2 KiB, up to 16 KiB, up to 1 MiB, more.
  static constexpr std::size_t kSizes = 4;
  std::array<std::uint64_t, kSizes> calls{};

  friend bool operator==(const Counts&, const Counts&) = default;
};

// check(job) is ok. Iterations are alike but for the last, so two of them are counted and the
// others are multiplied.
Counts count_process(const Job& job, ProcessId self);

struct Spread {
  std::uint64_t least = 0;
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
};

// Over all processes.
struct JobCounts {
  Spread messages;
  Spread bytes;
  Spread sends;
  Spread sent_bytes;
  std::uint64_t to_itself = 0;    // the sum
  std::uint64_t collectives = 0;  // the sum
};

JobCounts count_job(const Job& job);

}  // namespace holdfast::sim
