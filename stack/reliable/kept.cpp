// Messages that are kept until they are received.
#include <algorithm>

#include "stack/reliable/outgoing.hpp"
#include "stack/reliable/receiving.hpp"

namespace holdfast::reliable {

// What credit allows has room in any case: a sender that waits for it to arrive may be what the
// program waits for. Who says that he has more credit has none.
bool Receiving::keep(IncomingMessage& message) {
  if (message.is_rendezvous) return false;
  if (message.connection != kNone && !is_within_credit(core_.connections[message.connection])) {
    return false;
  }
  message.memory.start = core_.unexpected.take(message.bytes);
  message.is_kept = message.memory.start != nullptr;
  return message.is_kept;
}

std::uint32_t Receiving::credit_max() const {
  return core_.options.limits.unexpected_bytes / kCreditUnit;
}

// What a frame says of a length that no credit covers counts as just that, so that the charges of
// all messages that there may be do not add up to 2^32 and seem to be none.
std::uint32_t Receiving::charge_of(std::uint64_t bytes) const {
  return std::min(credit_of(bytes), credit_max() + 1);
}

bool Receiving::is_within_credit(const Connection& connection) const {
  return connection.credit_used - connection.credit_given <= credit_max();
}

// This process has as much credit with itself as each of its peers.
bool Receiving::keep_of_self(IncomingMessage& message) {
  if (message.bytes == 0) return true;
  const std::uint32_t charge = charge_of(message.bytes);
  const bool is_within = message.bytes <= core_.options.limits.eager_bytes_max &&
                         core_.kept_of_self + charge <= credit_max();
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

}  // namespace holdfast::reliable
