// What the bytes of a message are: a function of its number and of where they are, so that each
// received byte can be compared though nobody keeps a copy. The first eight say which message it
// is.
//
// Tests make and compare hundreds of megabytes of it. So it is compiled as the product is, while
// the tests themselves are not optimised where there are sanitizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace holdfast::tests {

void fill_content(std::uint64_t number, std::span<std::byte> bytes);

// The first byte that is not as it should be, if one is not.
std::optional<std::size_t> first_wrong(std::uint64_t number, std::span<const std::byte> bytes);

// Which message it says to be, if it is long enough to say so.
std::optional<std::uint64_t> number_in(std::span<const std::byte> bytes);

// What == of vectors says, which compares byte by byte.
bool same_bytes(std::span<const std::byte> some, std::span<const std::byte> others);

}  // namespace holdfast::tests
