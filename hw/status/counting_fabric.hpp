// A fabric around another one that counts what passes: frames and bytes, and whether its port is
// up. So all kinds of rails are counted alike, and none has to do it itself.
#pragma once

#include <cstdint>

#include "stack/outer_fabric.hpp"

namespace holdfast::hw {

class CountingFabric final : public OuterFabric {
 public:
  using OuterFabric::OuterFabric;

  std::size_t post(std::span<const Operation> operations) override;
  std::size_t poll(std::span<Event> events) override;

  // Sent are operations that the fabric has accepted, whatever became of them.
  struct Counts {
    std::uint64_t frames_sent = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_received = 0;
  };
  const Counts& counts() const { return counts_; }
  bool up() const { return up_; }

 private:
  Counts counts_;
  bool up_ = true;
};

}  // namespace holdfast::hw
