// What a message of the benchmark holds: words that follow from its number and nothing else, so
// that whoever receives it can say what should have come, and a message in another's place, or an
// old one, is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::netpipe {

// Of one message; two that differ have different bytes.
struct MessageName {
  std::uint64_t batch = 0;
  std::uint32_t direction = 0;  // the process that sends it
  std::uint32_t index = 0;      // in the batch
};

void generate(const MessageName& name, std::span<std::byte> message);
bool is_generated(const MessageName& name, std::span<const std::byte> message);

}  // namespace holdfast::netpipe
