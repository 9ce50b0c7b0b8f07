// Replaces the global operator new. A file of its own, so that no compiler sees through it.
#include "tests/unit/hw/counting_new.hpp"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}  // namespace

namespace holdfast {
std::size_t allocations() {
  return count;
}
}  // namespace holdfast

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
