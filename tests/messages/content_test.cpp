// What is compared eight bytes at a time is compared to the last byte.
#include "tests/content.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace holdfast::tests {
namespace {

constexpr std::size_t kLongest = 40;

std::vector<std::byte> content(std::uint64_t number, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  fill_content(number, made);
  return made;
}

TEST(Content, AWrongByteIsFoundWhereverItIs) {
  for (std::size_t bytes = 0; bytes <= kLongest; ++bytes) {
    const std::vector<std::byte> right = content(7, bytes);
    EXPECT_EQ(first_wrong(7, right), std::nullopt) << bytes;
    for (std::size_t place = 0; place < bytes; ++place) {
      std::vector<std::byte> wrong = right;
      wrong[place] ^= std::byte{0x80};
      EXPECT_EQ(first_wrong(7, wrong), place) << bytes;
      EXPECT_FALSE(same_bytes(wrong, right)) << bytes << ' ' << place;
      wrong.back() = ~wrong.back();  // a later one does not matter, and may be this one
      EXPECT_EQ(first_wrong(7, wrong), place) << bytes;
    }
  }
}

TEST(Content, OfAShortMessageIsTheBeginningOfALongOnes) {
  const std::vector<std::byte> longest = content(9, kLongest);
  for (std::size_t bytes = 0; bytes <= kLongest; ++bytes) {
    const std::vector<std::byte> made = content(9, bytes);
    EXPECT_TRUE(std::equal(made.begin(), made.end(), longest.begin())) << bytes;
    EXPECT_EQ(number_in(made), bytes < 8 ? std::nullopt : std::optional<std::uint64_t>(9));
    EXPECT_EQ(same_bytes(made, longest), bytes == kLongest);
  }
}

TEST(Content, DiffersBetweenMessages) {
  EXPECT_EQ(first_wrong(1, content(2, kLongest)), 0u);
  EXPECT_EQ(first_wrong(256, content(512, kLongest)), 1u);
  EXPECT_FALSE(same_bytes(content(1, 8), content(1, 9)));
}

}  // namespace
}  // namespace holdfast::tests
