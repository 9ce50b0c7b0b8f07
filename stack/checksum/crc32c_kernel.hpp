// The ways to compute CRC-32C, one for each kind of processor; all give the same values.
//
// Kernels work on the register as it is between bytes: the CRC with all bits inverted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast {

struct Crc32cKernel {
  std::string_view name;
  std::string_view idea;  // one line for people
  bool (*runs_here)();
  std::uint32_t (*update)(std::uint32_t crc, const std::byte* from, std::size_t bytes);
  // Also copies to `to`, which may not overlap `from`.
  std::uint32_t (*copy)(std::uint32_t crc, std::byte* to, const std::byte* from, std::size_t bytes);
  // Likewise, writing past the caches; ordered with other writes when it returns.
  std::uint32_t (*stream)(std::uint32_t crc, std::byte* to, const std::byte* from,
                          std::size_t bytes);
};

// Those compiled in, the oldest instructions first; all but the first may not run here. Of two with
// the same instructions the last is what is taken without tuning.
std::span<const Crc32cKernel* const> crc32c_kernels();

// The last of them that runs here.
const Crc32cKernel& newest_crc32c_kernel();

// Null if there is none of that name that runs here.
const Crc32cKernel* find_crc32c_kernel(std::string_view name);

extern const Crc32cKernel kCrc32cPortable;
#if defined(__x86_64__)
extern const Crc32cKernel kCrc32cSse42;
extern const Crc32cKernel kCrc32cPclmulqdq;
extern const Crc32cKernel kCrc32cAvx2;
extern const Crc32cKernel kCrc32cAvx512Folding;
extern const Crc32cKernel kCrc32cAvx512;
#endif

// Where a kernel puts the bytes it reads.
enum class Crc32cCopy : std::uint8_t { none, cached, streamed };

}  // namespace holdfast
