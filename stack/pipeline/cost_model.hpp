// What a message should take: the models of Denis, Trahay and Ishikawa (EuroMPI 2012, "csum"
// below), as functions. They say what a measurement is to be compared with, and which of its terms
// a machine makes large.
//
// Lengths are bytes L, bandwidths bytes a second, results seconds. All assume that one message is
// alone and that nothing is lost. Bandwidths are above 0, lengths at least 0.
#pragma once

#include "stack/base/time.hpp"

namespace holdfast {

// A network as one message sees it.
struct NetworkCost {
  double bytes_per_s;  // B_net
  Duration latency;    // lambda_net: of one way
  Duration gap{};      // g of LogP: between the packets of one sender
};

// lambda_net + L / B_net (csum, section 3: T_net). What nothing below can undercut.
double network_seconds(double bytes, const NetworkCost& network);

// L / B_csum + lambda_net + L / B_net + L / B_csum (csum, section 3): the checksum before sending
// and again after receiving.
double naive_seconds(double bytes, const NetworkCost& network, double checksum_bytes_per_s);
// 1 / (1 / B_net + 2 / B_csum) (csum, section 3): bytes a second of endless messages.
double naive_bytes_per_s(double network_bytes_per_s, double checksum_bytes_per_s);

// 2 L / B_csum+copy + lambda_net + L / B_net (csum, section 4.2): copied with the checksum at
// either end. Without a checksum `copy_bytes_per_s` is that of the copy.
double eager_seconds(double bytes, const NetworkCost& network, double copy_bytes_per_s);
// Which part of eager_seconds is spent copying, 0 to 1. The paper's "overhead of 34 % on 4 kB" is
// this share of the total, not an addition to what is left.
double eager_copy_share(double bytes, const NetworkCost& network, double copy_bytes_per_s);

// C_0 = 2 lambda_net B_copy (csum, section 4.3): the bytes whose copy takes as long as the
// rendezvous.
double first_chunk_bytes(const NetworkCost& network, double copy_bytes_per_s);
// q = B_copy / B_net (csum, section 4.3): a chunk is copied while the one before is on the wire.
// The paper's "C_n = q^n" lacks the first chunk's size: it is C_0 q^n.
double chunk_ratio(const NetworkCost& network, double copy_bytes_per_s);
// n = log_q(1 + L (q - 1) / C_0) (csum, section 4.3): into how many chunks a message falls, as a
// real number. Only for q > 1; else chunks are equal, and it is L / C_0.
double chunk_count(double bytes, double first_bytes, double ratio);

// b / B_copy + g n + lambda_net + L / B_net (csum, section 4.3), from the end of the rendezvous on,
// where n is chunk_count and b `block_bytes`: what is copied when nothing is on the wire any more.
// With q <= 1 copying is what the wire waits for, unless the gaps make the wire slower: the larger
// of L / B_copy and g n + L / B_net takes the place of the latter (ours; the paper has q > 1).
double super_pipeline_seconds(double bytes, const NetworkCost& network, double copy_bytes_per_s,
                              double block_bytes);

}  // namespace holdfast
