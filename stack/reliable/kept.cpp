// Messages that are kept until they are received.
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

bool Receiving::is_within_credit(const Connection& connection) const {
  return connection.credit_used - connection.credit_given <=
         core_.options.limits.unexpected_bytes / kCreditUnit;
}

// As each of its peers.
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

}  // namespace holdfast::reliable
