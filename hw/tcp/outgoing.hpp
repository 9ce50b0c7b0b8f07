// The connection over which we send to one endpoint.
//
// It is made when there is something to send, and made again when it breaks. Frames wait in a
// buffer of fixed size; one that finds no room, or whose connection breaks before it has left, is
// lost and counted. Nothing here blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

class Outgoing {
 public:
  // `from` is the address that connections leave from: the kernel would choose one by the way that
  // it knows to the other side, which may be another rail's.
  Outgoing(const IpAddress& from, const UdpEndpoint& to, std::size_t buffer_bytes)
      : from_(from), to_(to), buffer_(buffer_bytes) {}

  const UdpEndpoint& endpoint() const { return to_; }
  int descriptor() const { return socket_.get(); }
  bool is_open() const { return socket_.is_open(); }
  // Something waits for the connection to be made or to take more.
  bool is_waiting() const { return is_open() && (connecting_ || waiting() > 0); }

  // Takes a frame, and begins a connection if there is none and it is time to; false if the frame
  // is lost. `opened` tells that there is a new descriptor.
  bool take(const std::byte* data, std::uint32_t size, Time now, bool& opened);
  // Hands to the kernel what it takes. Returns how many frames were lost with the connection.
  std::uint64_t flush(Time now);
  // The other side has gone, or the connection was not to be had; returns as flush does.
  std::uint64_t close(Time now);

 private:
  bool connect(Time now);
  enum class Progress : std::uint8_t { waiting, made, failed };
  Progress progress() const;
  std::size_t waiting() const { return end_ - begin_; }

  IpAddress from_;
  UdpEndpoint to_;
  Descriptor socket_;
  bool connecting_ = false;
  Time again_;                     // not tried before
  std::vector<std::byte> buffer_;  // [begin_, end_) waits
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t frames_ = 0;  // taken since nothing waited last: those that a break may cost
};

}  // namespace holdfast::hw
