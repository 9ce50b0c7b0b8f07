// A connection: its socket, and the frames that come over it.
//
// Its peer may be anybody. A length beyond the limit ends the connection, since what follows could
// not be told from a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/tcp/expected_frames.hpp"
#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

class Connection {
 public:
  enum class Stage : std::uint8_t { connecting, made, failed };

  // `peer` is its other end.
  Connection(Descriptor socket, const UdpEndpoint& peer, Stage stage,
             std::uint32_t frame_bytes_max);

  int descriptor() const { return socket_.get(); }
  const UdpEndpoint& peer() const { return peer_; }
  bool is_made() const { return stage_ == Stage::made; }
  // What has become of it; asks the kernel unless that is known.
  Stage look();

  enum class Next : std::uint8_t { frame, incomplete, impossible };
  // The oldest frame, which lies here until drop() or a read.
  Next next(std::span<const std::byte>& frame) const;
  void drop();

  // Both after next() has found the oldest frame incomplete.
  enum class Read : std::uint8_t { some, nothing, ended };
  // Reads what there is room for. `wall_ns` is the kernel's stamp of what was read.
  Read read();
  // Only if it expects_long(). Likewise, but frames as long as the latest one are read to where
  // they belong: 1 … ExpectedFrames::kMax places, each with room for the longest frame. `placed` of
  // them, of `sizes`, are in the first places then; the others may have been written to.
  Read read(std::span<std::byte* const> places, std::span<std::uint32_t> sizes,
            std::size_t& placed);
  // Whether that is possible, and saves more by a copy than it costs.
  bool expects_long() const;

  // The other side is told that no more is coming, and may go on sending.
  void send_no_more();
  bool may_send() const { return may_send_; }
  // Before the end: without this the kernel would break off what is still on its way to the other
  // side, for what has come from there and nobody has read.
  void finish();

  // When the newest of what was read arrived, on the wall clock; 0 if the kernel did not say.
  std::int64_t wall_ns() const { return wall_ns_; }

 private:
  void move_to_front();
  Read receive(std::span<iovec> pieces, std::size_t& got);

  Descriptor socket_;
  UdpEndpoint peer_;
  Stage stage_;
  bool may_send_ = true;
  std::uint32_t frame_bytes_max_;
  // [begin_, end_) was read. Empty before anything was; larger by as much as one read brings once
  // a frame came that was not as long as expected.
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_drained_ = false;         // the last read found less than there was room for
  std::uint32_t latest_bytes_ = 0;  // of the latest frame
  std::int64_t wall_ns_ = 0;
};

}  // namespace holdfast::hw
