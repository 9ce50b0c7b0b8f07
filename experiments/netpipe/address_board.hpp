// Where two processes tell each other addresses of rails that they could open only after they had
// parted. Made before, in memory that both share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::netpipe {

class AddressBoard {
 public:
  static constexpr std::size_t kRailsMost = 8;

  // An error: the kernel has no page for it.
  static Status create(std::unique_ptr<AddressBoard>& made);
  ~AddressBoard();
  AddressBoard(const AddressBoard&) = delete;
  AddressBoard& operator=(const AddressBoard&) = delete;

  // Of that end, 0 or 1; once.
  void tell(std::size_t rail, std::size_t end, const Address& address);
  // Waits for it. Throws EndFailed if nothing is told for half a minute.
  Address hear(std::size_t rail, std::size_t end) const;

 private:
  struct Line {
    std::atomic<std::uint32_t> is_told;
    Address address;
  };
  using Lines = std::array<std::array<Line, 2>, kRailsMost>;

  explicit AddressBoard(Lines* lines) : lines_(lines) {}

  Lines* lines_;
};

}  // namespace holdfast::netpipe
