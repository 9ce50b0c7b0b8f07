// IS: integers are sorted by buckets. In an iteration all processes add up how many keys lie in
// each bucket, agree by that on who ranks which buckets, say each other how many keys they will
// send, and send them.
//
// How many keys go to whom depends on the keys. They are drawn as the mean of four uniform random
// numbers, so the numbers in the buckets are near their expectation, and that is what is sent here:
// every process has the same numbers, and the sums are exact. (A drawn number differs from it by
// its square root or so: for 16 processes and class C, 524,288 keys on average, by one in a
// thousand.)
#pragma once

#include <cstdint>

#include "sim/workload/block.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/place.hpp"
#include "sim/workload/problem.hpp"

namespace holdfast::sim {

class BucketSort {
 public:
  BucketSort(const Job& job, ProcessId self);

  bool fill(const Place& place, Block& block) const;

  // How many keys each process sends to this one, itself included.
  std::uint64_t keys_to(std::uint32_t process) const;

 private:
  bool iteration(std::uint32_t number, Block& block) const;
  bool finish(std::uint32_t number, Block& block) const;
  // Expected keys of all processes in the buckets before this one.
  std::uint64_t keys_before(std::uint64_t bucket) const;
  // The bucket with which a process ends: the first one after which there are enough keys for all
  // up to it. Gives the number of the next.
  std::uint64_t buckets_until(std::uint32_t process) const;

  SortSize size_;
  Group all_;
  Duration work_;
};

}  // namespace holdfast::sim
