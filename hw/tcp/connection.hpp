// A connection: its socket, and the frames that come over it.
//
// Its peer may be anybody. A length beyond the limit ends the connection, and so does what is no
// prefix, since what follows could not be told from a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/udp/udp_address.hpp"

struct iovec;

namespace holdfast::hw {

class Connection {
 public:
  enum class Stage : std::uint8_t { connecting, made, failed };

  // `peer` is its other end.
  Connection(Descriptor socket, const UdpEndpoint& peer, Stage stage,
             std::uint32_t frame_bytes_max);
  // The other side hears of it, whoever else has the socket: a child that we have made, say.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int descriptor() const { return socket_.get(); }
  const UdpEndpoint& peer() const { return peer_; }
  bool is_made() const { return stage_ == Stage::made; }
  // What has become of it; asks the kernel unless that is known.
  Stage look();

  enum class Next : std::uint8_t { frame, incomplete, impossible };
  // The oldest frame, which lies here until drop() or a read.
  Next next(std::span<const std::byte>& frame) const;
  void drop();

  // What follows is for when next() has found the oldest frame incomplete.
  enum class Read : std::uint8_t { some, nothing, ended };
  // Reads no more than `most`, or what is thrown away.
  Read read(std::size_t most);

  // Whether the oldest frame is a long one, and its length and its first `beginning_bytes` are
  // here.
  bool has_begun(std::uint32_t beginning_bytes) const;
  std::span<const std::byte> beginning(std::uint32_t beginning_bytes) const;
  std::uint32_t begun_bytes() const;  // how long it is

  // All of a long frame that has begun, straight to `to`, where there is room for it. True in
  // `is_whole`: it is there, and not here any more. Else what has come of it is kept here, and `to`
  // may have been written.
  Read read_whole(std::byte* to, bool& is_whole);

  // What follows the beginning of a long frame, >= 1 byte, straight to where it belongs, and its
  // padding and the beginning of the next frame behind its own here: to the same place until all of
  // it is there, or it is given up.
  Read read_rest(std::uint32_t beginning_bytes, std::byte* to);
  const std::byte* rest() const { return rest_; }  // that place; null: none of it has been read so
  bool has_rest() const { return rest_ != nullptr && rest_bytes_ == bytes_of_rest(); }
  void drop_placed();
  // What is still to come of it is thrown away.
  void give_up_rest();

  // The other side is told that no more is coming, and may go on sending.
  void send_no_more();
  bool may_send() const { return may_send_; }
  // Before the end: without this the kernel would break off what is still on its way to the other
  // side, for what has come from there and nobody has read.
  void finish();

  // When the newest of what was read arrived, on the wall clock; 0 if the kernel did not say.
  std::int64_t wall_ns() const { return wall_ns_; }

 private:
  std::size_t here() const { return end_ - begin_; }
  std::uint32_t bytes_of_rest() const;
  void move_to_front();
  // Past so many bytes from the oldest on, of which some may be still to come.
  void advance(std::size_t bytes);
  Read receive(std::span<iovec> pieces, std::size_t& got);

  Descriptor socket_;
  UdpEndpoint peer_;
  Stage stage_;
  bool may_send_ = true;
  std::uint32_t frame_bytes_max_;
  // [begin_, end_) was read. Empty before anything was; larger once a longer frame came.
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_drained_ = false;  // the last read found less than there was room for
  // Of the oldest frame, of which only the beginning is in the buffer: where the rest belongs, and
  // how much of it is there.
  std::byte* rest_ = nullptr;
  std::uint32_t rest_bytes_ = 0;
  std::uint32_t beginning_bytes_ = 0;
  std::size_t skipped_ = 0;  // so much is to come before the oldest frame, and nothing is here
  std::int64_t wall_ns_ = 0;
};

}  // namespace holdfast::hw
