// Arrays in huge pages: alignment, life of the elements, sizes on both sides of a page.
#include <gtest/gtest.h>

#include <cstdint>

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

}  // namespace
}  // namespace holdfast::sim
