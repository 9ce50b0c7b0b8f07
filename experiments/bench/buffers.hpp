// Two pieces of memory that are really there: touched, from a page's start, and on huge pages where
// the kernel has some, so that neither faults nor address translation are measured.
#pragma once

#include <cstddef>
#include <span>

namespace holdfast::bench {

class Buffers {
 public:
  // `bytes` each; throws std::bad_alloc. The source holds random bytes.
  explicit Buffers(std::size_t bytes);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  std::span<const std::byte> source(std::size_t bytes) const { return {memory_, bytes}; }
  std::byte* target() const { return memory_ + reserved_; }

 private:
  std::size_t reserved_;  // of each; whole huge pages
  std::byte* memory_;
};

}  // namespace holdfast::bench
