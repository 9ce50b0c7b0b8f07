// The distribution of IS's keys, and the messages of its iterations; see the header.
#include "sim/workload/bucket_sort.hpp"

#include "sim/workload/collective.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint64_t kKeyBytes = 4;
constexpr std::uint64_t kTestKeys = 5;  // travel with the sizes of the buckets
constexpr std::uint32_t kGreatestKeyTag = 0;

}  // namespace

BucketSort::BucketSort(const Job& job, ProcessId self)
    : size_(sort_size(job.problem_class)),
      all_(all_processes(job.processes, self)),
      work_(iteration_work(job)) {}

// The distribution of the sum of four numbers from [0, 1) (Irwin and Hall):
//   F(y) = (y^4 - 4 (y-1)^4 + 6 (y-2)^4 - 4 (y-3)^4) / 24, terms of what is negative left out.
// A bucket is 4/B of y. Everything is multiplied by B^4, which is a power of two.
std::uint64_t BucketSort::keys_before(std::uint64_t bucket) const {
  const std::uint64_t buckets = std::uint64_t{1} << size_.buckets;
  const auto fourth_power = [&](std::uint64_t k) -> std::uint64_t {
    if (4 * bucket <= k * buckets) return 0;
    const std::uint64_t y = 4 * bucket - k * buckets;
    return y * y * y * y;
  };
  const std::uint64_t scaled =
      fourth_power(0) + 6 * fourth_power(2) - 4 * fourth_power(1) - 4 * fourth_power(3);
  return (scaled >> (4 * size_.buckets - size_.keys)) / 24;
}

std::uint64_t BucketSort::buckets_until(std::uint32_t process) const {
  const std::uint64_t enough =
      (std::uint64_t{process} + 1) * ((std::uint64_t{1} << size_.keys) / all_.size);
  std::uint64_t low = 0, high = std::uint64_t{1} << size_.buckets;  // enough before `high`
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    (keys_before(middle) >= enough ? high : low) = middle;
  }
  return high;
}

std::uint64_t BucketSort::keys_to(std::uint32_t process) const {
  const std::uint64_t begin = process == 0 ? 0 : buckets_until(process - 1);
  const std::uint64_t end = buckets_until(process);
  return keys_before(end) / all_.size - keys_before(begin) / all_.size;
}

bool BucketSort::fill(const Place& place, Block& block) const {
  switch (place.phase) {
    case Phase::setup:
      if (place.block > 0) return false;
      block.collective(Collective::broadcast, all_, 4);  // whether to keep times
      return true;
    case Phase::iteration:
      return iteration(place.block, block);
    case Phase::start:
      return false;
    case Phase::finish:
      return finish(place.block, block);
  }
  return false;
}

bool BucketSort::iteration(std::uint32_t number, Block& block) const {
  const std::uint64_t buckets = std::uint64_t{1} << size_.buckets;
  const std::uint64_t keys = (std::uint64_t{1} << size_.keys) / all_.size;
  if (number == 0) {
    block.compute(work_ / 2);
    block.collective(Collective::all_reduce, all_, (buckets + kTestKeys) * kKeyBytes);
    block.collective(Collective::all_to_all, all_, kKeyBytes);
    block.enter(Collective::all_to_all_v, keys * kKeyBytes);
    return true;
  }
  if (number > all_.size) return false;
  if (number == all_.size) {
    block.compute(work_ / 2);
    return true;
  }
  const std::uint32_t partner = pairwise_partner(all_, number);
  block.set_collective(Collective::all_to_all_v);
  block.exchange(all_.member(partner), keys_to(all_.self) * kKeyBytes, all_.member(partner),
                 keys_to(partner) * kKeyBytes, collective_tag(Collective::all_to_all_v));
  return true;
}

// The longest time; each tells the next one its greatest key; and how many tests were passed.
bool BucketSort::finish(std::uint32_t number, Block& block) const {
  if (number > 0) return false;
  block.collective(Collective::reduce, all_, 8);
  if (all_.self > 0) block.post_receive(all_.member(all_.self - 1), kGreatestKeyTag, kKeyBytes);
  if (all_.self + 1 < all_.size) block.send(all_.member(all_.self + 1), kGreatestKeyTag, kKeyBytes);
  if (all_.self > 0) block.wait_all();
  block.collective(Collective::reduce, all_, kKeyBytes);
  return true;
}

}  // namespace holdfast::sim
