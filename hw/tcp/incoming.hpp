// A connection that somebody made to send to us: bytes in, frames out.
//
// Its peer may be anybody. A length beyond the limit ends the connection, since what follows could
// not be told from a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/descriptor.hpp"

namespace holdfast::hw {

class Incoming {
 public:
  Incoming(Descriptor socket, std::uint32_t frame_bytes_max);

  int descriptor() const { return socket_.get(); }

  enum class Read : std::uint8_t { some, nothing, ended };
  // Reads what there is room for. `wall_ns` is the kernel's stamp of what was read.
  Read read();

  enum class Next : std::uint8_t { frame, incomplete, impossible };
  // The oldest frame, which lies here until drop() or read().
  Next next(std::span<const std::byte>& frame) const;
  void drop();

  // When the newest of what was read arrived, on the wall clock; 0 if the kernel did not say.
  std::int64_t wall_ns() const { return wall_ns_; }

 private:
  Descriptor socket_;
  std::uint32_t frame_bytes_max_;
  std::vector<std::byte> buffer_;  // [begin_, end_) was read
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_drained_ = false;  // the last read found less than there was room for
  std::int64_t wall_ns_ = 0;
};

}  // namespace holdfast::hw
