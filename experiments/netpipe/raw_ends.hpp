// What nothing that goes over the same network can be faster than: a socket, or memory that two
// processes share, used as directly as possible and protected by nothing. A pair is opened before
// its two processes part.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "experiments/netpipe/address_board.hpp"
#include "experiments/netpipe/end.hpp"
#include "experiments/netpipe/places.hpp"
#include "stack/base/status.hpp"

namespace holdfast::netpipe {

struct RawPair {
  std::array<std::unique_ptr<End>, 2> ends;
};

// Datagrams of so many bytes, sent in runs and received in runs where the kernel can (UDP_SEGMENT,
// UDP_GRO). A socket beside it carries 8 bytes for each quarter of what may be under way, which is
// what the receiver's buffer holds of long messages or of short ones, so that it does not overflow;
// there is no other protocol.
Status open_raw_udp(const Places& places, std::uint32_t datagram_bytes, bool sleeps,
                    RawPair& opened);
// A connection, without delay.
Status open_raw_tcp(const Places& places, bool sleeps, RawPair& opened);
// A ring of pieces in each direction: a copy in, a copy out, one atomic store for each piece.
Status open_raw_shm(bool sleeps, RawPair& opened);
// A connection between two adapters, which each end opens by itself in its own process. Pieces of
// 32 KiB at most are copied into registered memory and out of it. It polls. Throws EndFailed.
std::unique_ptr<End> make_raw_verbs_end(bool is_first, AddressBoard& board);

}  // namespace holdfast::netpipe
