// Copying equal blocks at equal distances: the loops in which the time of non-contiguous data goes.
// For the lengths that numbers, pairs and vectors of numbers have, the length is a constant, so a
// block is one or two loads and stores and no call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "stack/segments/segment_cursor.hpp"

namespace holdfast {

template <std::size_t kBytes>
using Length = std::integral_constant<std::size_t, kBytes>;

// use(length): with a constant where the length is a usual one.
template <class Use>
void with_length(std::uint64_t bytes, Use use) {
  switch (bytes) {
    case 4:
      return use(Length<4>{});
    case 8:
      return use(Length<8>{});
    case 12:
      return use(Length<12>{});
    case 16:
      return use(Length<16>{});
    case 24:
      return use(Length<24>{});
    case 32:
      return use(Length<32>{});
    case 64:
      return use(Length<64>{});
    default:
      return use(static_cast<std::size_t>(bytes));
  }
}

// copy(i) for each block, four a round.
template <class Copy>
void for_blocks(std::uint64_t blocks, Copy copy) {
  std::uint64_t i = 0;
  for (; i + 4 <= blocks; i += 4) {
    copy(i);
    copy(i + 1);
    copy(i + 2);
    copy(i + 3);
  }
  for (; i < blocks; ++i) copy(i);
}

// From where the blocks of a run lie to one row of them. Nothing may overlap.
inline void gather_blocks(std::byte* to, const BlockRun& run) {
  with_length(run.block_bytes, [to, run](auto length) {
    for (std::uint64_t row = 0; row < run.rows; ++row) {
      const std::byte* const from = run.first + static_cast<std::int64_t>(row) * run.row_stride;
      std::byte* const close = to + row * run.blocks * length;
      for_blocks(run.blocks, [=](std::uint64_t i) {
        std::memcpy(close + i * length, from + static_cast<std::int64_t>(i) * run.stride, length);
      });
    }
  });
}

// The way back.
inline void scatter_blocks(const BlockRun& run, const std::byte* from) {
  with_length(run.block_bytes, [run, from](auto length) {
    for (std::uint64_t row = 0; row < run.rows; ++row) {
      std::byte* const to = run.first + static_cast<std::int64_t>(row) * run.row_stride;
      const std::byte* const close = from + row * run.blocks * length;
      for_blocks(run.blocks, [=](std::uint64_t i) {
        std::memcpy(to + static_cast<std::int64_t>(i) * run.stride, close + i * length, length);
      });
    }
  });
}

// One block. Asking for the usual lengths one by one is faster than a jump to one of them.
inline void copy_short(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes == 16) {
    std::memcpy(to, from, 16);
  } else if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else {
    with_length(bytes, [=](auto length) { std::memcpy(to, from, length); });
  }
}

}  // namespace holdfast
