// Arrays in huge pages: alignment, life of the elements, sizes on both sides of a page.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "sim/engine/huge_array.hpp"

namespace holdfast::sim {
namespace {

struct alignas(64) Counted {
  explicit Counted(int& living) : living_(living) { ++living_; }
  Counted(const Counted&) = delete;
  ~Counted() { --living_; }
  int& living_;
  std::size_t number = 0;
};

TEST(HugeArray, MakesEachElementInItsPlaceAndEndsItOnce) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}}) {
    int living = 0;
    {
      HugeArray<Counted> array(size, [&living](std::size_t) { return Counted(living); });
      ASSERT_EQ(array.size(), size);
      EXPECT_EQ(living, static_cast<int>(size));
      std::size_t number = 0;
      for (Counted& element : array) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&element) % 64, 0u);
        element.number = number++;
      }
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(array[i].number, i);
    }
    EXPECT_EQ(living, 0);
  }
}

TEST(HugeArray, TakesAnySizeAndPutsLargeOnesAtTheBeginningOfAPage) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  for (const std::size_t size : {std::size_t{3}, kPage / 8 - 1, kPage / 8, kPage / 4, kPage + 1}) {
    HugeArray<std::uint32_t> array(size);
    for (std::size_t i = 0; i < size; ++i) array[i] = static_cast<std::uint32_t>(i);
    EXPECT_EQ(array[size - 1], size - 1);
    const bool large = size * sizeof(std::uint32_t) >= kPage / 2;
    EXPECT_TRUE(!large || reinterpret_cast<std::uintptr_t>(array.begin()) % kPage == 0) << size;
  }
}

TEST(HugeArray, EndsWhatWasMadeBeforeOneThatThrows) {
  int living = 0;
  const auto make = [&living](std::size_t i) {
    if (i == 5) throw std::runtime_error("the sixth");
    return Counted(living);
  };
  EXPECT_THROW(HugeArray<Counted>(10, make), std::runtime_error);
  EXPECT_EQ(living, 0);
}

}  // namespace
}  // namespace holdfast::sim
