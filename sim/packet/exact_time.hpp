// Instants finer than the simulator's unit of 10 ps, so that the rates of links may be what they
// are.
//
// A byte at 100 Gb/s takes 8 units; one at 4xFDR takes 14 and two thirds of a unit, nearly, and if
// each packet were rounded, a port would lose or gain time with every packet. So a port keeps the
// rest: an instant is whole units and a number of parts, of which a unit has `parts_per_unit`, the
// least common multiple of what all rates of the fabric need. n packets then take n times the exact
// time. Events happen at the next whole unit, and only there is anything rounded. In a fabric whose
// rates all divide a unit has one part and the second number is always 0.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/topology/sim_time.hpp"

namespace holdfast::sim {

__extension__ using Parts = unsigned __int128;

// units + parts / parts_per_unit; parts < parts_per_unit.
struct Instant {
  std::int64_t units = 0;
  Parts parts = 0;

  friend constexpr auto operator<=>(const Instant&, const Instant&) = default;
  // A whole number of units later.
  friend constexpr Instant operator+(const Instant& a, SimTime span) {
    return {a.units + span.value, a.parts};
  }
};

// The first whole unit at or after an instant: when its event happens.
constexpr SimTime round_up(const Instant& instant) {
  return {instant.units + (instant.parts == 0 ? 0 : 1)};
}

// Where instants are kept that belong to something numbered: units with the thing itself, where
// they take 8 bytes; parts here, where they take nothing in a fabric that needs none.
class PartsOf {
 public:
  // Nothing is kept while there is one part per unit.
  void resize(std::size_t count, Parts parts_per_unit) {
    kept_ = parts_per_unit != 1;
    if (kept_) parts_.resize(count);
  }
  Parts get(std::uint32_t index) const { return kept_ ? parts_[index] : 0; }
  void set(std::uint32_t index, Parts parts) {
    if (kept_) parts_[index] = parts;
  }

 private:
  bool kept_ = false;
  std::vector<Parts> parts_;
};

// How long bytes take on the links of one fabric.
class Serialisation {
 public:
  // The rate with this number is added if it is not there yet. The least common multiple of all
  // rates must be below 2^76; that of all rates of link_rate.hpp is. Adding changes the size of a
  // part: add all rates before any instant is made.
  std::uint32_t add_rate(std::int64_t bits_per_second);

  // When `bytes` are sent that begin to be sent at `start`.
  Instant end(const Instant& start, std::uint32_t bytes, std::uint32_t rate) const {
    const PerByte& takes = per_byte_[rate];
    if (parts_per_unit_ == 1) return {start.units + bytes * takes.units, 0};
    return with_parts(start.units + bytes * takes.units, start.parts + bytes * takes.parts);
  }

  // The earliest start at rate `out` that ends no earlier than the bytes that begin to come in at
  // `start` at rate `in`: `start` itself, unless `out` is the faster one.
  Instant start_to_keep_up(const Instant& start, std::uint32_t bytes, std::uint32_t in,
                           std::uint32_t out) const;

  Parts parts_per_unit() const { return parts_per_unit_; }

 private:
  struct PerByte {
    std::int64_t bits_per_second = 0;
    std::int64_t units = 0;
    Parts parts = 0;
  };

  Instant with_parts(std::int64_t units, Parts parts) const {
    return {units + static_cast<std::int64_t>(parts / parts_per_unit_), parts % parts_per_unit_};
  }

  Parts parts_per_unit_ = 1;
  std::vector<PerByte> per_byte_;  // by rate number
};

}  // namespace holdfast::sim
