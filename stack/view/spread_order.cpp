// Sorted by the size of their leaf and by leaf, dealt into columns, read by rows.
#include "stack/view/spread_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace holdfast {

namespace {

// By item: how many items are on its leaf.
std::vector<std::uint32_t> leaf_sizes(std::span<const std::uint32_t> leaf_of) {
  std::vector<std::uint32_t> sorted(leaf_of.begin(), leaf_of.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> sizes;
  sizes.reserve(leaf_of.size());
  for (const std::uint32_t leaf : leaf_of) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), leaf);
    sizes.push_back(static_cast<std::uint32_t>(last - first));
  }
  return sizes;
}

}  // namespace

std::vector<std::uint32_t> spread_order(std::span<const std::uint32_t> leaf_of) {
  const std::vector<std::uint32_t> size = leaf_sizes(leaf_of);
  std::vector<std::uint32_t> dealt(leaf_of.size());
  std::iota(dealt.begin(), dealt.end(), 0u);
  // The largest leaf first: then no leaf lies both in the last row and in the one before it.
  std::sort(dealt.begin(), dealt.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(size[b], leaf_of[a], a) < std::tuple(size[a], leaf_of[b], b);
  });
  std::vector<std::uint32_t> order;
  order.reserve(dealt.size());
  const std::size_t rows = dealt.empty() ? 0 : size[dealt.front()];
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = row; at < dealt.size(); at += rows) order.push_back(dealt[at]);
  }
  return order;
}

}  // namespace holdfast
