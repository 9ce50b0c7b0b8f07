// First in, first out, with room for a fixed number of values: allocated once, never after.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

template <class Value>
class FixedQueue {
 public:
  explicit FixedQueue(std::size_t capacity) : values_(capacity) {}

  std::size_t size() const { return size_; }
  std::size_t room() const { return values_.size() - size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == values_.size(); }

  void push(const Value& value) {
    HOLDFAST_ASSERT(!full());
    values_[wrap(first_ + size_)] = value;
    ++size_;
  }

  // The oldest of at least one.
  Value& front() { return values_[first_]; }
  const Value& front() const { return values_[first_]; }

  // The i-th oldest, i < size().
  const Value& operator[](std::size_t i) const { return values_[wrap(first_ + i)]; }

  Value pop() {
    HOLDFAST_ASSERT(!empty());
    Value& value = values_[first_];
    first_ = wrap(first_ + 1);
    --size_;
    return std::move(value);
  }

  // Removes every value for which `unwanted` holds; the others keep their order.
  template <class Predicate>
  void remove_if(Predicate unwanted) {
    for (std::size_t left = size_; left > 0; --left) {
      Value value = pop();
      if (!unwanted(value)) push(value);
    }
  }

 private:
  std::size_t wrap(std::size_t i) const { return i >= values_.size() ? i - values_.size() : i; }

  std::vector<Value> values_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace holdfast::hw
