// Collective operations as messages between two, by the algorithms that MPI libraries use for them
// (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH,
// IJHPCA 19(1), 2005):
//
//   barrier     dissemination: in round k to the one 2^k ahead, from the one 2^k behind
//   broadcast   binomial tree from index 0
//   reduce      binomial tree to index 0
//   all_reduce  recursive doubling; where the processes are no power of two, as many as are too
//   many
//               give their part to a neighbour first and get the result from it last
//   all_to_all  Bruck's algorithm where a block has at most kBruckBytesMax bytes, else pairwise
//               exchange: in round k with the one whose index differs by exclusive or with k
//
// Libraries switch to other algorithms for long all-reduces and broadcasts; the benchmarks' are
// short.
#pragma once

#include <cstdint>

#include "sim/workload/block.hpp"

namespace holdfast::sim {

constexpr std::uint64_t kBruckBytesMax = 256;  // of one block; MPICH's limit

// Puts the steps of the group's member `self` in round `round`, 0 and up, into `block`, which is
// empty; they may be none. False: there is no such round, and there was none from then on.
// `bytes`: of the buffer; of all_to_all, of the block from one to another. An all_to_all by
// pairwise exchange needs a group whose size is a power of two. all_to_all_v is none of these: what
// goes to whom is known to its caller only, who asks pairwise_partner().
bool collective_round(Collective which, const Group& group, std::uint64_t bytes,
                      std::uint32_t round, Block& block);

// The index with which `group.self` exchanges in round 1 … size-1 of a pairwise exchange.
std::uint32_t pairwise_partner(const Group& group, std::uint32_t round);

constexpr std::uint32_t collective_tag(Collective which) {
  return kCollectiveTags + static_cast<std::uint32_t>(which);
}

}  // namespace holdfast::sim
