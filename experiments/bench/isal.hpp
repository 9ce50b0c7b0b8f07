// Intel's ISA-L, the best known CRC-32C, as a peer in benchmarks only: loaded where it is
// installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::bench {

// ISA-L's CRC-32C; null where Debian's package libisal2 is not installed.
using IsalCrc32c = std::uint32_t (*)(std::span<const std::byte>);
IsalCrc32c find_isal_crc32c();

}  // namespace holdfast::bench
