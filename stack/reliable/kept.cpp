// Messages that are kept until they are received.
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "stack/reliable/outgoing.hpp"
#include "stack/reliable/receiving.hpp"

namespace holdfast::reliable {

// What credit allows has room, if not in one piece; unless more senders than there are shares have
// used theirs, or a peer has come back and nobody has received what its life before sent.
bool Receiving::keep(IncomingMessage& message) {
  if (message.is_rendezvous) return false;
  message.memory.start = core_.unexpected.take(message.bytes);
  if (message.memory.start == nullptr && core_.unexpected.has_room_for(message.bytes)) {
    move_together();
    message.memory.start = core_.unexpected.take(message.bytes);
  }
  message.is_kept = message.memory.start != nullptr;
  return message.is_kept;
}

// This process has a share as each of its peers has, and takes nothing of theirs.
bool Receiving::keep_of_self(IncomingMessage& message) {
  const EndpointLimits& limits = core_.options.limits;
  if (message.bytes == 0) return true;
  const std::uint32_t charge = credit_of(message.bytes);
  const bool is_within = message.bytes <= limits.eager_bytes_max &&
                         core_.kept_of_self + charge <= limits.unexpected_bytes / kCreditUnit;
  if (!is_within || !keep(message)) return false;
  message.charge = charge;
  core_.kept_of_self += charge;
  return true;
}

void Receiving::forget_kept(IncomingMessage& message) {
  if (!message.is_kept) return;
  core_.unexpected.give(message.memory.start, message.bytes);
  message.is_kept = false;
  message.memory = {};
}

// Longest first, into memory of which nothing is taken: so what is left over is in one piece. It
// takes a copy of all that is kept, and allocations, and is needed only where many short ones
// were received from between others.
void Receiving::move_together() {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < core_.incoming.size(); ++i) {
    if (core_.incoming[i].is_kept) kept.push_back(i);
  }
  std::ranges::sort(kept, std::ranges::greater{},
                    [this](std::uint32_t i) { return core_.incoming[i].bytes; });
  UnexpectedMemory together = core_.unexpected.another();
  for (const std::uint32_t i : kept) {
    IncomingMessage& message = core_.incoming[i];
    std::byte* const to = together.take(message.bytes);
    std::memcpy(to, message.memory.start, message.bytes);
    message.memory.start = to;
  }
  core_.unexpected = std::move(together);
}

}  // namespace holdfast::reliable
