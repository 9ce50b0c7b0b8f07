// Numbers below a limit in lists, each number in one list at most: a table of chains in memory that
// is taken once. A list is named by a hash; lists whose hashes end alike are one list, so whoever
// walks along it looks at each number. Order is the order of appending, never that of hashes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/reliable/fixed_pool.hpp"

namespace holdfast::reliable {

class NumberLists {
 public:
  // For the numbers 0 … limit - 1, with a list or two for each. 20 to 28 bytes a number.
  explicit NumberLists(std::uint32_t limit)
      : lists_(std::bit_ceil(std::max<std::size_t>(limit, 1))), places_(limit) {}

  // The one longest in the list, and the next one after it; kNone behind the last.
  std::uint32_t first(std::uint64_t hash) const { return lists_[list_of(hash)].first; }
  std::uint32_t next(std::uint32_t number) const { return places_[number].next; }

  // `number` must be in no list.
  void append(std::uint64_t hash, std::uint32_t number) {
    const std::uint32_t list = list_of(hash);
    const std::uint32_t last = lists_[list].last;
    places_[number] = {list, last, kNone};
    next_of(list, last) = number;
    lists_[list].last = number;
  }

  // `number` must be in a list.
  void remove(std::uint32_t number) {
    const Place place = places_[number];
    next_of(place.list, place.previous) = place.next;
    (place.next == kNone ? lists_[place.list].last : places_[place.next].previous) = place.previous;
  }

 private:
  struct Ends {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Place {
    std::uint32_t list = 0;
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
  };

  std::uint32_t list_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash & (lists_.size() - 1));
  }
  // What leads to the number after `number`, or to the first one.
  std::uint32_t& next_of(std::uint32_t list, std::uint32_t number) {
    return number == kNone ? lists_[list].first : places_[number].next;
  }

  std::vector<Ends> lists_;  // a power of two
  std::vector<Place> places_;
};

}  // namespace holdfast::reliable
