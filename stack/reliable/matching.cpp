// Whoever may match is walked to along one list, in order, and the first that does is taken. What
// waits for a message exactly lies in the list of its envelope, what leaves something open in that
// of its context; of the first of each the one that was posted earlier has the message.
#include "stack/reliable/matching.hpp"

#include <utility>

#include "stack/base/random.hpp"

namespace holdfast::reliable {

namespace {

std::uint64_t key_of(const Envelope& envelope) {
  const std::uint64_t whose = std::uint64_t{envelope.source.value} << 32 | envelope.context;
  return mix64(mix64(whose) ^ envelope.tag);
}

std::uint64_t key_of_context(std::uint32_t context) {
  return mix64(context);
}

std::uint64_t key_of(const Pattern& pattern) {
  if (!pattern.is_exact()) return key_of_context(pattern.context);
  return key_of(Envelope{pattern.source, pattern.context, pattern.tag});
}

// The first in a list of which `wanted` holds.
template <class Wanted>
std::uint32_t find(const NumberLists& lists, std::uint64_t key, Wanted wanted) {
  std::uint32_t number = lists.first(key);
  while (number != kNone && !wanted(number)) number = lists.next(number);
  return number;
}

// The first of the messages in a list that a receive takes.
template <class Messages>
std::uint32_t first_taken(const Pattern& pattern, std::uint64_t key, const Messages& messages,
                          const NumberLists& lists) {
  return find(lists, key, [&](std::uint32_t i) { return pattern.takes(messages[i].envelope); });
}

}  // namespace

Matching::Matching(std::uint32_t receives_max, std::uint32_t messages_max)
    : receives_(receives_max),
      receives_by_key_(receives_max),
      receives_by_ticket_(receives_max),
      messages_(messages_max),
      messages_by_envelope_(messages_max),
      messages_by_context_(messages_max),
      messages_by_ticket_(messages_max) {}

std::uint32_t Matching::oldest_for(const Envelope& envelope) const {
  const auto takes = [&](std::uint32_t number) {
    return receives_[number].pattern.takes(envelope);
  };
  if (lone_receive_ != kNone) return takes(lone_receive_) ? lone_receive_ : kNone;
  const std::uint32_t exact = find(receives_by_key_, key_of(envelope), takes);
  if (open_receives_ == 0) return exact;
  const std::uint32_t open = find(receives_by_key_, key_of_context(envelope.context), takes);
  if (exact == kNone || open == kNone) return exact == kNone ? open : exact;
  return receives_[exact].order < receives_[open].order ? exact : open;
}

std::uint32_t Matching::oldest_for(const Pattern& pattern) const {
  return first_taken(pattern, key_of(pattern), messages_,
                     pattern.is_exact() ? messages_by_envelope_ : messages_by_context_);
}

void Matching::enlist(std::uint32_t number) {
  const Receive& receive = receives_[number];
  if (!receive.pattern.is_exact()) ++open_receives_;
  receives_by_key_.append(key_of(receive.pattern), number);
  receives_by_ticket_.append(mix64(receive.ticket), number);
}

Matching::Ticket Matching::take_receive(std::uint32_t number) {
  if (number == lone_receive_) {
    lone_receive_ = kNone;
  } else {
    receives_by_key_.remove(number);
    receives_by_ticket_.remove(number);
    if (!receives_[number].pattern.is_exact()) --open_receives_;
  }
  const Ticket ticket = receives_[number].ticket;
  receives_.give(number);
  return ticket;
}

Matching::Ticket Matching::take_message(std::uint32_t number) {
  messages_by_envelope_.remove(number);
  messages_by_context_.remove(number);
  messages_by_ticket_.remove(number);
  const Ticket ticket = messages_[number].ticket;
  messages_.give(number);
  return ticket;
}

Matching::Posted Matching::post(const Pattern& pattern, Ticket receive, Ticket& message) {
  const bool is_alone = messages() == 0 && receives() == 0;
  const std::uint32_t waiting = is_alone ? kNone : oldest_for(pattern);
  if (waiting != kNone) {
    message = take_message(waiting);
    return Posted::matched;
  }
  const std::uint32_t number = receives_.take();
  if (number == kNone) return Posted::full;
  receives_[number] = {pattern, receive, waited_++};
  if (is_alone) {
    lone_receive_ = number;
    return Posted::waits;
  }
  if (lone_receive_ != kNone) enlist(std::exchange(lone_receive_, kNone));
  enlist(number);
  return Posted::waits;
}

Matching::Posted Matching::arrive(const Envelope& envelope, Ticket message, Ticket& receive) {
  const std::uint32_t waiting = oldest_for(envelope);
  if (waiting != kNone) {
    receive = take_receive(waiting);
    return Posted::matched;
  }
  const std::uint32_t number = messages_.take();
  if (number == kNone) return Posted::full;
  messages_[number] = {envelope, message};
  messages_by_envelope_.append(key_of(envelope), number);
  messages_by_context_.append(key_of_context(envelope.context), number);
  messages_by_ticket_.append(mix64(message), number);
  return Posted::waits;
}

std::optional<Matching::Ticket> Matching::probe(const Pattern& pattern) const {
  const std::uint32_t waiting = oldest_for(pattern);
  if (waiting == kNone) return std::nullopt;
  return messages_[waiting].ticket;
}

std::optional<Matching::Ticket> Matching::take(const Pattern& pattern) {
  const std::uint32_t waiting = oldest_for(pattern);
  if (waiting == kNone) return std::nullopt;
  return take_message(waiting);
}

bool Matching::cancel_receive(Ticket receive) {
  const auto is_meant = [&](std::uint32_t number) { return receives_[number].ticket == receive; };
  const bool is_lone = lone_receive_ != kNone && is_meant(lone_receive_);
  const std::uint32_t found =
      is_lone ? lone_receive_ : find(receives_by_ticket_, mix64(receive), is_meant);
  if (found == kNone) return false;
  take_receive(found);
  return true;
}

bool Matching::cancel_message(Ticket message) {
  const auto is_meant = [&](std::uint32_t number) { return messages_[number].ticket == message; };
  const std::uint32_t found = find(messages_by_ticket_, mix64(message), is_meant);
  if (found == kNone) return false;
  take_message(found);
  return true;
}

}  // namespace holdfast::reliable
