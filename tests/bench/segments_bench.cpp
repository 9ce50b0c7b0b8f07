// What packing and unpacking non-contiguous memory costs, beside memcpy of as many contiguous bytes
// and beside the limit of such memory: nobody can be faster than the slowest of that memcpy, of
// reading (or writing) every cache line that is touched, and of moving contiguous bytes with no
// instruction that takes more than a block.
//
// All of one shape are measured in turns, round by round, in processor time; ratios are taken round
// by round, and their medians count.
//
// usage: segments_bench [rounds (15)]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "experiments/bench/alternation.hpp"
#include "experiments/bench/buffers.hpp"
#include "experiments/bench/checksum_figures.hpp"
#include "experiments/bench/memory_limit.hpp"
#include "stack/segments/convertor.hpp"

namespace {

using namespace holdfast;

constexpr double kSliceSeconds = 200e-6;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kMemoryBytes = std::size_t{256} << 20;

struct Shape {
  std::string name;
  std::uint64_t block, stride, blocks;
};

// Contiguous bytes, a block at a time: what is left of memcpy if no instruction may take more.
template <std::size_t kBlock>
void copy_blocks(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto copy = [=](std::size_t at) {
    std::memcpy(to + at, from + at, kBlock);
    asm volatile("" : : : "memory");
  };
  std::size_t at = 0;
  for (; at + 4 * kBlock <= bytes; at += 4 * kBlock) {
    copy(at);
    copy(at + kBlock);
    copy(at + 2 * kBlock);
    copy(at + 3 * kBlock);
  }
  for (; at + kBlock <= bytes; at += kBlock) copy(at);
}

void copy_block_by_block(std::byte* to, const std::byte* from, std::size_t bytes,
                         std::uint64_t block) {
  if (block == 4) return copy_blocks<4>(to, from, bytes);
  if (block == 8) return copy_blocks<8>(to, from, bytes);
  if (block == 16) return copy_blocks<16>(to, from, bytes);
  if (block == 24) return copy_blocks<24>(to, from, bytes);
  if (block == 100) return copy_blocks<100>(to, from, bytes);
  std::memcpy(to, from, bytes);
}

// Reads the lines in which the blocks lie; as fast as memory is where these are all its lines.
void read_lines(const std::byte* from, const Shape& shape) {
  if (shape.stride <= kLineBytes) {
    bench::keep(bench::read_memory({from, shape.stride * shape.blocks}));
    return;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < shape.blocks; ++i)
    sum += std::to_integer<std::uint64_t>(from[i * shape.stride]);
  bench::keep(sum);
}

// Blocks one after the other in a list of pieces, or one strided segment.
void describe(SegmentList& list, const Shape& shape, std::byte* memory, bool as_list) {
  SegmentFault fault = SegmentFault::none;
  if (as_list) {
    std::vector<std::span<std::byte>> pieces;
    for (std::uint64_t i = 0; i < shape.blocks; ++i)
      pieces.emplace_back(memory + i * shape.stride, shape.block);
    fault = list.describe(pieces, MemoryUse::receiving);
  } else {
    const Level blocks{shape.blocks, static_cast<std::int64_t>(shape.stride)};
    const Segment segment{memory, shape.block, {blocks}};
    fault = list.describe(std::span(&segment, 1), MemoryUse::receiving);
  }
  if (fault != SegmentFault::none) std::exit(2);
}

void measure(const Shape& shape, bool as_list, const bench::Buffers& buffers, std::size_t rounds,
             const Checksum& checksum) {
  const std::size_t bytes = shape.block * shape.blocks;
  // Far memory and close memory are both in the target: packing reads the first part of it.
  std::byte* const far = buffers.target();
  std::byte* const close = buffers.target() + kMemoryBytes / 2;
  const std::byte* const source = buffers.source(bytes).data();
  SegmentList list;
  describe(list, shape, far, as_list);
  const auto checked = [&](auto move) {
    ChecksumState state;
    checksum.begin(state, 0, bytes);
    SegmentCursor cursor(list);
    move(cursor, RunningChecksum{checksum, state});
    bench::keep(checksum.finish(state));
  };
  const std::vector<bench::Contender> contenders = {
      {"memcpy",
       [&] {
         std::memcpy(close, source, bytes);
         asm volatile("" : : : "memory");
       }},
      {"lines", [&] { read_lines(far, shape); }},
      {"blocks", [&] { copy_block_by_block(close, source, bytes, shape.block); }},
      {"pack",
       [&] {
         SegmentCursor cursor(list);
         pack(cursor, close, bytes);
       }},
      {"unpack",
       [&] {
         SegmentCursor cursor(list);
         unpack(cursor, source, bytes);
       }},
      {"pack+crc",
       [&] {
         checked([&](SegmentCursor& cursor, RunningChecksum running) {
           pack(cursor, close, bytes, running);
         });
       }},
      {"unpack+crc", [&] {
         checked([&](SegmentCursor& cursor, RunningChecksum running) {
           unpack(cursor, source, bytes, running);
         });
       }}};
  const bench::Alternation all(contenders, rounds, kSliceSeconds);
  const auto rate = [&](std::size_t who) {
    return static_cast<double>(bytes) / bench::median(all.seconds(who)) / 1e9;
  };
  std::printf("%-26s %8.2f", (shape.name + (as_list ? ", list" : "")).c_str(), rate(0));
  for (std::size_t who = 3; who < contenders.size(); ++who) {
    std::vector<double> to_copy, to_limit;
    for (std::size_t round = 0; round < rounds; ++round) {
      const double copy = all.seconds(0)[round], took = all.seconds(who)[round];
      to_copy.push_back(copy / took);
      to_limit.push_back(std::max({copy, all.seconds(1)[round], all.seconds(2)[round]}) / took);
    }
    std::printf("  %6.2f %4.2f %4.2f", rate(who), bench::median(to_copy), bench::median(to_limit));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t rounds = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 15;
  if (rounds == 0) {
    std::fprintf(stderr, "segments_bench: expected a number of rounds above zero\n");
    return 2;
  }
  const bench::Buffers buffers(kMemoryBytes);
  const auto checksum = make_checksum("crc32c");
  std::printf("GB/s, ratio to memcpy of as many bytes, ratio to the limit; medians of %zu rounds\n",
              rounds);
  std::printf("%-26s %8s  %-17s  %-17s  %-17s  %-17s\n", "blocks", "memcpy", "pack", "unpack",
              "pack + CRC-32C", "unpack + CRC-32C");
  const std::vector<Shape> shapes = {
      {"4 B of 8 B, 16 KiB", 4, 8, 4'096},
      {"8 B of 16 B, 16 KiB", 8, 16, 2'048},
      {"8 B of 64 B, 16 KiB", 8, 64, 2'048},
      {"16 B of 32 B, 16 KiB", 16, 32, 1'024},
      {"24 B of 32 B, 16 KiB", 24, 32, 682},
      {"100 B of 128 B, 16 KiB", 100, 128, 164},
      {"8 B of 16 B, 16 MiB", 8, 16, 2'097'152},
      {"8 B of 8 KiB, 64 KiB", 8, 8'192, 8'192},
      {"4 KiB of 8 KiB, 16 MiB", 4'096, 8'192, 4'096},
      {"contiguous, 16 MiB", std::uint64_t{16} << 20, std::uint64_t{16} << 20, 1}};
  for (const Shape& shape : shapes) measure(shape, false, buffers, rounds, *checksum);
  for (const Shape& shape : {shapes[1], shapes[3]})
    measure(shape, true, buffers, rounds, *checksum);
  return 0;
}
