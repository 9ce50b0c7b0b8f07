// What no checksum can be faster than: reading the memory and doing next to nothing with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::bench {

// Loads every byte with the widest registers that this processor has; the value depends on all.
std::uint64_t read_memory(std::span<const std::byte> from);

}  // namespace holdfast::bench
