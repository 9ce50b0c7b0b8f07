// A ring order in which neighbours hang on different leaf switches, so that the death of a leaf
// leaves no two neighbours dead, and each of its domains has an observer of its own that lives.
//
// Think of a pack of cards sorted by suit and dealt into piles as high as the longest suit: whoever
// then reads the bottom row, the next row and so on, never sees a suit twice in a row, and meets
// the same suit again only after a whole row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace holdfast {

// The item at each position of a ring; leaf_of[i] is the leaf of item i. If no leaf has more than
// half of the items, no two neighbours of the ring share a leaf, and two items of one leaf are at
// least ⌊items / the largest leaf's items⌋ positions apart; otherwise as few neighbours as can be
// do. The same for the same leaves. O(items log items).
std::vector<std::uint32_t> spread_order(std::span<const std::uint32_t> leaf_of);

}  // namespace holdfast
