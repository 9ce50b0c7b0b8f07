// What a checksum costs where payloads cross from one processor to another: a ring of cells that
// one thread fills and another one empties, by several ways to fill and to empty a cell. The limit
// is memcpy on both sides; `copied and summed` is what Checksum::copy_of does, `summed, then
// copied` what sum_then_copy_of does (stack/checksum/sum_then_copy.hpp). `Taken` is what hw/shm
// does: memcpy brings a cell into one of few slots, where the endpoint finds it.
//
// usage: cross_bench [rounds (9)] [bytes of a cell (16384)]
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "experiments/bench/alternation.hpp"
#include "experiments/bench/buffers.hpp"
#include "hw/monotonic_clock.hpp"
#include "stack/checksum/sum_then_copy.hpp"

namespace {

using namespace holdfast;

constexpr std::size_t kCells = 64;
constexpr std::size_t kLineBytes = 64;
// Before the payload, as in hw/shm. No line is of two cells.
constexpr std::size_t kHeaderBytes = 48;
constexpr std::size_t kReleaseEvery = 8;
constexpr std::size_t kSlots = 16;  // of an endpoint's rail of shared memory
constexpr std::size_t kMessageBytes = std::size_t{4} << 20;  // the source and the target, each
constexpr std::size_t kStepBytes = std::size_t{512} << 20;

using Copy = std::uint64_t (*)(const Checksum&, std::byte* to, std::span<const std::byte> from);

std::uint64_t only_copy(const Checksum&, std::byte* to, std::span<const std::byte> from) {
  std::memcpy(to, from.data(), from.size());
  return 0;
}
std::uint64_t only_sum(const Checksum& checksum, std::byte*, std::span<const std::byte> from) {
  return checksum.of(from, 0);
}
std::uint64_t copy_and_sum(const Checksum& checksum, std::byte* to,
                           std::span<const std::byte> from) {
  return checksum.copy_of(to, from);
}
std::uint64_t sum_then_copy(const Checksum& checksum, std::byte* to,
                            std::span<const std::byte> from) {
  return sum_then_copy_of(checksum, to, from, 0);
}

struct Way {
  const char* name;
  Copy fill, empty;
  bool is_taken = false;  // into a slot, which is then emptied
};
constexpr std::array<Way, 8> kWays{
    {{"memcpy, memcpy", only_copy, only_copy},
     {"copied and summed, memcpy", copy_and_sum, only_copy},
     {"copied and summed, the same", copy_and_sum, copy_and_sum},
     {"summed, then copied; the other", sum_then_copy, copy_and_sum},
     {"memcpy, summed", only_copy, only_sum},
     {"memcpy; taken, memcpy", only_copy, only_copy, true},
     {"copied and summed; taken, the same", copy_and_sum, copy_and_sum, true},
     {"summed, then copied; taken, the other", sum_then_copy, copy_and_sum, true}}};

// Of those that this process may use at first; a thread that is made later may use its maker's
// only.
void run_on(std::size_t processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

// At first: whoever runs on one of them has no other to choose from later.
std::vector<std::size_t> usable_processors() {
  cpu_set_t usable;
  std::vector<std::size_t> found;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return found;
  for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &usable)) found.push_back(processor);
  }
  return found;
}

struct alignas(64) Number {
  std::atomic<std::size_t> value{0};
};

class Ring {
 public:
  Ring(std::size_t cell_bytes, std::size_t readers_processor)
      : readers_processor_(readers_processor),
        cell_bytes_(cell_bytes),
        stride_((kHeaderBytes + cell_bytes + kLineBytes - 1) / kLineBytes * kLineBytes),
        buffers_(kMessageBytes),
        cells_(kCells * stride_),
        slots_(kSlots * stride_) {}

  // Bytes a second.
  double run(const Way& way, const Checksum& checksum) {
    for (Number& full : full_) full.value = 0;
    emptied_.value = 0;
    const std::size_t count = kStepBytes / cell_bytes_;
    std::thread reader([&] {
      run_on(readers_processor_);
      for (std::size_t i = 0; i < count; ++i) {
        while (full_[i % kCells].value.load(std::memory_order_acquire) != i + 1) {
        }
        const std::byte* const from = way.is_taken ? take(i) : cell(i);
        read_ += way.empty(checksum, buffers_.target() + place(i), {from, cell_bytes_});
        if ((i + 1) % kReleaseEvery == 0) emptied_.value.store(i + 1, std::memory_order_release);
      }
    });
    const std::span<const std::byte> source = buffers_.source(kMessageBytes);
    const Time begun = hw::monotonic_now();
    for (std::size_t i = 0; i < count; ++i) {
      while (emptied_.value.load(std::memory_order_acquire) + kCells <= i) {
      }
      written_ += way.fill(checksum, cell(i), source.subspan(place(i), cell_bytes_));
      full_[i % kCells].value.store(i + 1, std::memory_order_release);
    }
    reader.join();
    const auto took = static_cast<double>((hw::monotonic_now() - begun).ns);
    return static_cast<double>(count * cell_bytes_) / took * 1e9;
  }

 private:
  std::byte* cell(std::size_t i) { return cells_.target() + i % kCells * stride_ + kHeaderBytes; }
  const std::byte* take(std::size_t i) {
    std::byte* const slot = slots_.target() + i % kSlots * stride_ + kHeaderBytes;
    std::memcpy(slot, cell(i), cell_bytes_);
    return slot;
  }
  std::size_t place(std::size_t i) const { return i % (kMessageBytes / cell_bytes_) * cell_bytes_; }

  std::size_t readers_processor_;
  std::size_t cell_bytes_, stride_;
  bench::Buffers buffers_;
  bench::Buffers cells_;
  bench::Buffers slots_;
  std::array<Number, kCells> full_;
  Number emptied_;
  // Of all sums, so that none is left out.
  alignas(kLineBytes) std::uint64_t written_ = 0;
  alignas(kLineBytes) std::uint64_t read_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const std::size_t rounds = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 9;
  const std::size_t cell_bytes = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 16384;
  if (rounds == 0 || cell_bytes == 0 || cell_bytes > kMessageBytes) {
    std::fprintf(stderr, "cross_bench: expected rounds above zero, and 1 to %zu bytes\n",
                 kMessageBytes);
    return 2;
  }
  const std::vector<std::size_t> processors = usable_processors();
  if (processors.size() < 2) {
    std::fprintf(stderr, "cross_bench: it takes two processors\n");
    return 1;
  }
  run_on(processors[0]);
  const auto ring = std::make_unique<Ring>(cell_bytes, processors[1]);
  const auto checksum = make_checksum("crc32c");
  std::array<std::vector<double>, kWays.size()> rates;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t way = 0; way < kWays.size(); ++way)
      rates[way].push_back(ring->run(kWays[way], *checksum));
  }
  std::printf("cells of %zu bytes, CRC-32C; GB/s, ratio to memcpy; medians of %zu rounds\n",
              cell_bytes, rounds);
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rounds; ++round)
      ratios.push_back(rates[way][round] / rates[0][round]);
    std::printf("%-38s %6.2f %5.2f\n", kWays[way].name, bench::median(rates[way]) / 1e9,
                bench::median(ratios));
  }
  return 0;
}
