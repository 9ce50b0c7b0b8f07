// An array of fixed length for the states of many processes, in huge pages where the system has
// them. Every event of a large simulation touches other processes than the one before; with pages
// of 4 KiB each touch would miss the translation buffer besides the cache.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace holdfast::sim {

template <class T>
class HugeArray {
 public:
  // Element i is make(i). Throws std::bad_alloc.
  template <class Make>
  HugeArray(std::size_t size, Make make) : HugeArray(Empty{}, size) {
    for (; size_ < size; ++size_) new (&data_[size_]) T(make(size_));
  }
  explicit HugeArray(std::size_t size) : HugeArray(Empty{}, size) {
    for (; size_ < size; ++size_) new (&data_[size_]) T;
  }
  HugeArray(const HugeArray&) = delete;
  HugeArray& operator=(const HugeArray&) = delete;
  ~HugeArray() {
    std::destroy_n(data_, size_);
    std::free(data_);
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  // No element yet. The others begin with this one, so that an element that throws while it is made
  // leaves no memory behind.
  struct Empty {};
  HugeArray(Empty, std::size_t size) : data_(allocate(size)) {}

  static T* allocate(std::size_t size) {
    const std::size_t bytes = std::max<std::size_t>(size, 1) * sizeof(T);
    // A small array is not worth a page of its own.
    const std::size_t alignment =
        bytes < kHugePage / 2 ? std::max(alignof(T), sizeof(void*)) : kHugePage;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    // A wish: without huge pages the array is slower, not wrong.
    if (alignment == kHugePage) static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }

  T* data_;
  std::size_t size_ = 0;
};

}  // namespace holdfast::sim
