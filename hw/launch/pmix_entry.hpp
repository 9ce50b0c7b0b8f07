// What each process of a job puts into PMIx for the others. Who can put something there may be
// anybody, so it is checked like what comes from a network.
//
//   magic 4, version 1, wire version 1, zero 2; processes 4, digest 32, member, addresses of its
//   messages by rail; job's number 4, key
//
// Addresses come after their number, 1. The job's number and key are process 0's to give, and zero
// in all other entries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/launch/meeting.hpp"

namespace holdfast::hw {

// Of `job` its number and key.
std::vector<std::byte> encode_pmix_entry(const Introduction& introduction, const MetJob& job);

// Adds the member of process `rank` and the addresses of its messages to `job`, and of process 0
// its number and key. Refused, with a sentence and `job` as it was, if it is of another build or of
// who has another configuration or another number of rails than `introduction` says; failed if it
// is no entry.
Met read_pmix_entry(std::span<const std::byte> bytes, std::uint32_t rank,
                    const Introduction& introduction, MetJob& job);

}  // namespace holdfast::hw
