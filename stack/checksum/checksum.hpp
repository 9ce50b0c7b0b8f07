// Checksums of messages: what a receiver compares, so that no flipped bit, cut or misplaced
// fragment is taken for what was sent.
//
// An algorithm is a policy without state of its own; the state of one computation is a value of the
// caller's. Data may come in pieces of any length and alignment, also none: the value is that of
// all of them in a row. `copy` does the same and copies on the way, so that memory is read once.
// The algorithms are those that Denis, Trahay and Ishikawa compare (EuroMPI 2012, section 3),
// CRC-32C and XXH3. Only crc32c promises to find all small errors: up to 3 flipped bits in 256 MiB,
// one burst of up to 32 bits.
//
// Adding a checksum is a file and a line in registered.inc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>

namespace holdfast {

struct Crc32cKernel;

// One computation. Trivially copyable: a copy goes on from where the original was.
struct ChecksumState {
  static constexpr std::size_t kBytes = 640;  // XXH3's, the largest by far, needs 576
  alignas(64) std::array<std::byte, kBytes> place;
};

class Checksum {
 public:
  virtual ~Checksum() = default;

  // Bits of the value, 32 or 64; the others are zero.
  virtual unsigned bits() const = 0;
  // Begins the computation over `bytes` bytes; they must all come before `finish`, since some
  // algorithms start from the length. Values with different seeds have nothing to do with each
  // other as far as the algorithm can do it; seed 0 gives the published value.
  virtual void begin(ChecksumState& state, std::uint64_t seed, std::uint64_t bytes) const = 0;
  virtual void update(ChecksumState& state, std::span<const std::byte> from) const = 0;
  // Likewise, and copies `from` to `to`; they may not overlap. Messages of more than
  // ChecksumPlan::streaming_from bytes are written past the caches.
  virtual void copy(ChecksumState& state, std::byte* to, std::span<const std::byte> from) const = 0;
  virtual std::uint64_t finish(const ChecksumState& state) const = 0;

  // The same in one go; what is short then costs little more than its bytes.
  virtual std::uint64_t of(std::span<const std::byte> from, std::uint64_t seed = 0) const;
  virtual std::uint64_t copy_of(std::byte* to, std::span<const std::byte> from,
                                std::uint64_t seed = 0) const;
};

// What differs between machines and changes no value.
struct ChecksumPlan {
  const Crc32cKernel* crc32c;    // one that runs here
  std::uint64_t streaming_from;  // bytes of a message from which copies bypass the caches
  // What the processor says of itself: the newest kernel that it runs, its last-level cache.
  static ChecksumPlan of_this_processor();
};

struct ChecksumEntry {
  std::string_view name;
  std::string_view idea;  // one line for people
  std::unique_ptr<Checksum> (*make)(const ChecksumPlan& plan);
};

// Every checksum there is.
std::span<const ChecksumEntry> checksums();

// Null if there is none of that name.
std::unique_ptr<Checksum> make_checksum(
    std::string_view name, const ChecksumPlan& plan = ChecksumPlan::of_this_processor());

}  // namespace holdfast
