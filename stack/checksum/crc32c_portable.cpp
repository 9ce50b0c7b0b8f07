// CRC-32C without instructions of its own: slicing by eight (Kounavis and Berry, 2005). Table k
// says what a byte does to the register after k further bytes.
#include <array>
#include <cstring>

#include "stack/base/bytes.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/stream_copy.hpp"

namespace holdfast {

namespace {

using Table = std::array<std::uint32_t, 256>;

constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc32c_polynomial::times_x(crc);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}
constexpr std::array<Table, 8> kTables = make_tables();

template <bool kCopies>
std::uint32_t run(std::uint32_t crc, std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t done = 0;
  for (; bytes - done >= 8; done += 8) {
    const std::uint64_t word = load_le<std::uint64_t>(from + done);
    if constexpr (kCopies) store_le<std::uint64_t>(to + done, word);
    const std::uint64_t sum = word ^ crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(sum >> (8 * k)) & 0xff];
  }
  for (; done < bytes; ++done) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(from[done])) & 0xff];
    if constexpr (kCopies) to[done] = from[done];
  }
  return crc;
}

std::uint32_t update(std::uint32_t crc, const std::byte* from, std::size_t bytes) {
  return run<false>(crc, nullptr, from, bytes);
}

std::uint32_t stream(std::uint32_t crc, std::byte* to, const std::byte* from, std::size_t bytes) {
  stream_copy(to, from, bytes);
  stream_fence();
  return update(crc, from, bytes);
}

}  // namespace

const Crc32cKernel kCrc32cPortable = {
    "portable", "tables, eight bytes a step", [] { return true; }, update, run<true>, stream};

}  // namespace holdfast
