// One mapping for both. The target begins some lines behind a multiple of a page, so that a store
// and the loads of the same step do not lie on the same places of two pages, which processors take
// for the same place.
#include "experiments/bench/buffers.hpp"

#include <sys/mman.h>

#include <new>

#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"

namespace holdfast::bench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kApart = 1024;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

Buffers::Buffers(std::size_t bytes) : reserved_(whole_pages(bytes) + kApart) {
  const std::size_t all = whole_pages(2 * reserved_);
  void* const mapped =
      ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  static_cast<void>(::madvise(mapped, all, MADV_HUGEPAGE));
  memory_ = static_cast<std::byte*>(mapped);
  Random random(1, 0, 0);
  for (std::size_t i = 0; i + 8 <= all; i += 8) store_le<std::uint64_t>(memory_ + i, random.next());
}

Buffers::~Buffers() {
  ::munmap(memory_, whole_pages(2 * reserved_));
}

}  // namespace holdfast::bench
