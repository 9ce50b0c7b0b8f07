// A page that the kernel fills with zeros: nothing is told yet.
#include "experiments/netpipe/address_board.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "experiments/netpipe/end.hpp"
#include "hw/monotonic_clock.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::netpipe {

Status AddressBoard::create(std::unique_ptr<AddressBoard>& made) {
  void* const memory =
      ::mmap(nullptr, sizeof(Lines), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Status::error("there is no memory that two processes share");
  made.reset(new AddressBoard(static_cast<Lines*>(memory)));
  return Status::ok();
}

AddressBoard::~AddressBoard() {
  ::munmap(lines_, sizeof(Lines));
}

void AddressBoard::tell(std::size_t rail, std::size_t end, const Address& address) {
  HOLDFAST_ASSERT(rail < kRailsMost && end < 2);
  Line& line = (*lines_)[rail][end];
  line.address = address;
  line.is_told.store(1, std::memory_order_release);
}

Address AddressBoard::hear(std::size_t rail, std::size_t end) const {
  constexpr unsigned kNap_us = 1000;
  constexpr Duration kPatience = seconds(30);
  HOLDFAST_ASSERT(rail < kRailsMost && end < 2);
  const Line& line = (*lines_)[rail][end];
  const Time latest = hw::monotonic_now() + kPatience;
  while (line.is_told.load(std::memory_order_acquire) == 0) {
    if (hw::monotonic_now() > latest) throw EndFailed("the other process told no address");
    ::usleep(kNap_us);
  }
  return line.address;
}

}  // namespace holdfast::netpipe
