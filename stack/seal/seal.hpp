// Sealing: a keyed check over a whole frame, so that what changes a view was said by a process of
// the job and arrived as it was sent (threat model in ARCHITECTURE.md).
//
// The key of a pair comes from the job's key, both processes and both incarnations through BLAKE2b,
// once per pair and direction; a frame of an earlier life, of another job or turned around does not
// verify. SipHash-2-4 with 128 bits of output is Aumasson and Bernstein's; both are libsodium's.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "stack/base/bytes.hpp"
#include "stack/base/ids.hpp"
#include "stack/wire/frame.hpp"

namespace holdfast {

struct JobKey {
  std::array<std::byte, 32> bytes{};
};

struct PairKey {
  std::array<std::byte, 16> bytes{};
};

// The seal of who has none. Inline: a simulation checks nothing else.
inline bool is_zero_seal(std::span<const std::byte, kSealBytes> seal) {
  return (load_le<std::uint64_t>(seal.data()) | load_le<std::uint64_t>(seal.data() + 8)) == 0;
}

// Has no state, so every engine may use the same one.
class Seal {
 public:
  virtual ~Seal() = default;
  virtual SealAlgorithm algorithm() const = 0;
  // False: the seal is zero, and the functions below need not be called.
  virtual bool keyed() const { return true; }
  // The key of frames from one life of a process to one life of another.
  virtual PairKey derive(const JobKey& job, ProcessId sender, Incarnation sender_incarnation,
                         ProcessId receiver, Incarnation receiver_incarnation) const = 0;
  // The last kSealBytes of `frame` are the seal; there is something before it.
  virtual void write(const PairKey& key, std::span<std::byte> frame) const = 0;
  virtual bool matches(const PairKey& key, std::span<const std::byte> frame) const = 0;
};

// Null if there is none of that name: `none`, or `siphash128`. Lives as long as the program.
const Seal* find_seal(std::string_view name);

}  // namespace holdfast
