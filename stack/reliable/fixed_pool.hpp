// Objects of a fixed number that are called by their index, and lists of them. What is taken is as
// new; what has been given back is the next to be taken. Everything that an endpoint has under way
// lies in such pools, so nothing is allocated after it was made (but by UnexpectedMemory), and no
// order depends on where memory lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/reliable/number_order.hpp"

namespace holdfast::reliable {

constexpr std::uint32_t kNone = 0xffff'ffff;

template <class T>
class FixedPool {
 public:
  explicit FixedPool(std::uint32_t size) : objects_(size), free_(size), left_(size) {
    for (std::uint32_t i = 0; i < size; ++i) free_[i] = size - 1 - i;
  }
  FixedPool(const FixedPool&) = delete;
  FixedPool& operator=(const FixedPool&) = delete;

  // kNone: all are taken.
  std::uint32_t take() {
    if (left_ == 0) return kNone;
    const std::uint32_t i = free_[--left_];
    objects_[i] = T{};
    return i;
  }
  void give(std::uint32_t i) {
    HOLDFAST_ASSERT(i < objects_.size() && left_ < free_.size());
    free_[left_++] = i;
  }
  T& operator[](std::uint32_t i) { return objects_[i]; }
  const T& operator[](std::uint32_t i) const { return objects_[i]; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(objects_.size()); }
  std::uint32_t left() const { return left_; }
  bool has_left() const { return left_ > 0; }

 private:
  std::vector<T> objects_;
  std::vector<std::uint32_t> free_;  // of which the first left_ are
  std::uint32_t left_;
};

// An object's neighbours in a list that it can be in, one at a time.
struct Links {
  std::uint32_t before = kNone;
  std::uint32_t after = kNone;
};

struct List {
  std::uint32_t first = kNone;
  std::uint32_t last = kNone;
  bool empty() const { return first == kNone; }
};

// The lists whose neighbours are in `kLinks`, such as ListBy<&SendSlot::of_port>.
template <auto kLinks>
struct ListBy {
  // Before `where`; kNone: at the end.
  template <class T>
  static void insert(FixedPool<T>& pool, List& list, std::uint32_t i, std::uint32_t where) {
    Links& links = pool[i].*kLinks;
    links.after = where;
    links.before = where == kNone ? list.last : (pool[where].*kLinks).before;
    (links.before == kNone ? list.first : (pool[links.before].*kLinks).after) = i;
    (where == kNone ? list.last : (pool[where].*kLinks).before) = i;
  }
  template <class T>
  static void append(FixedPool<T>& pool, List& list, std::uint32_t i) {
    insert(pool, list, i, kNone);
  }
  // In a list that ascends by number, searched from its end.
  template <class T>
  static void insert_by_number(FixedPool<T>& pool, List& list, std::uint32_t i) {
    std::uint32_t after = kNone;
    for (std::uint32_t k = list.last; k != kNone && is_before(pool[i].number, pool[k].number);
         k = (pool[k].*kLinks).before) {
      after = k;
    }
    insert(pool, list, i, after);
  }
  template <class T>
  static void remove(FixedPool<T>& pool, List& list, std::uint32_t i) {
    Links& links = pool[i].*kLinks;
    (links.before == kNone ? list.first : (pool[links.before].*kLinks).after) = links.after;
    (links.after == kNone ? list.last : (pool[links.after].*kLinks).before) = links.before;
    links = {};
  }
  template <class T>
  static std::uint32_t after(const FixedPool<T>& pool, std::uint32_t i) {
    return (pool[i].*kLinks).after;
  }
};

}  // namespace holdfast::reliable
