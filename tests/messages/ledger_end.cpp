// What is looked at when nothing happens any more: which receive has which message, although some
// are too short to say, and whether that is as it must be.
#include <map>
#include <tuple>

#include "tests/messages/ledger.hpp"

namespace holdfast::messages {

namespace {

// Messages that are matched by the same: source, receiver and its life, context, tag.
using Stream = std::tuple<ProcessId, ProcessId, std::uint32_t, std::uint32_t, std::uint64_t>;

}  // namespace

// Of a life that has ended, at either end, a message may be lost with it.
bool Ledger::may_be_missing(std::uint64_t send, std::span<const Incarnation> lives) const {
  const PlannedSend& plan = scenario_.sends[send];
  return sends_[send].from != lives[plan.from.value] || sends_[send].to != lives[plan.to.value];
}

// Receives that took messages of one stream could each have taken any of them, so the one that was
// posted first has the one that was sent first, and so on. From the end, because what may be
// missing was sent in an earlier life: the others leave no choice.
void Ledger::assign(std::span<const Incarnation> lives) {
  std::map<Stream, std::vector<std::uint64_t>> streams;
  for (std::uint64_t number = 0; number < sends_.size(); ++number) {
    Sent& send = sends_[number];
    if (send.state == State::planned) continue;
    send.receive = kNone;
    const PlannedSend& plan = scenario_.sends[number];
    streams[{plan.from, plan.to, send.to.value, plan.context, plan.tag}].push_back(number);
  }
  for (std::uint64_t number = receives_.size(); number-- > 0;) {
    const Received& receive = receives_[number];
    if (!has_message(receive)) continue;
    const reliable::Envelope& envelope = receive.result.envelope;
    assign_one(number,
               streams[{envelope.source, receive.process, receive.life.value, envelope.context,
                        envelope.tag}],
               lives);
  }
}

// `stream`: what no later receive has.
void Ledger::assign_one(std::uint64_t receive, std::vector<std::uint64_t>& stream,
                        std::span<const Incarnation> lives) {
  while (!stream.empty()) {
    const std::uint64_t send = stream.back();
    stream.pop_back();
    if (is_message(receive, send)) {
      sends_[send].receive = receive;
      return;
    }
    if (!may_be_missing(send, lives)) {
      return wrong(text_of_receive(receive) + " should hold " + text_of_send(send) +
                   " by the order of sending");
    }
  }
  wrong(text_of_receive(receive) + " holds nothing that was sent and that no other receive has");
}

void Ledger::check_all_received(std::span<const Incarnation> lives) {
  for (std::uint64_t number = 0; number < sends_.size(); ++number) {
    const Sent& send = sends_[number];
    if (send.state == State::planned || may_be_missing(number, lives)) continue;
    if (send.state != State::completed || send.outcome != reliable::Outcome::delivered) {
      wrong(text_of_send(number) + " is not delivered, though both ends live");
    }
    if (send.receive == kNone) wrong(text_of_send(number) + " was never received");
  }
}

// Whether the receive that has it could have no other, which looks the same.
bool Ledger::is_certain(std::uint64_t send, std::span<const Incarnation> lives) const {
  return !may_be_missing(send, lives) || bytes_in(receives_[sends_[send].receive]).size() >= 8;
}

// Of two messages of one sender that a receive could have taken it has taken the one that was sent
// first, unless an earlier receive had that.
void Ledger::check_overtaking(std::span<const Incarnation> lives) {
  std::map<std::tuple<ProcessId, std::uint32_t, ProcessId, std::uint32_t>,
           std::vector<std::uint64_t>>
      pairs;
  for (std::uint64_t number = 0; number < sends_.size(); ++number) {
    const Sent& send = sends_[number];
    const PlannedSend& plan = scenario_.sends[number];
    if (send.state == State::planned || send.receive == kNone) continue;
    pairs[{plan.from, send.from.value, plan.to, send.to.value}].push_back(number);
  }
  for (const auto& [pair, numbers] : pairs) {
    for (std::size_t later = 1; later < numbers.size(); ++later) {
      const std::uint64_t taker = sends_[numbers[later]].receive;
      const reliable::Pattern& pattern = receives_[taker].pattern;
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const PlannedSend& plan = scenario_.sends[numbers[earlier]];
        if (sends_[numbers[earlier]].receive < taker) continue;
        if (!is_certain(numbers[earlier], lives) || !is_certain(numbers[later], lives)) continue;
        if (!pattern.takes({plan.from, plan.context, plan.tag})) continue;
        wrong(text_of_receive(taker) + " has " + text_of_send(numbers[later]) +
              " though it should have " + text_of_send(numbers[earlier]));
      }
    }
  }
}

void Ledger::check_in_the_end(std::span<const Incarnation> lives) {
  check_memory_in_the_end();
  if (failure_.empty()) assign(lives);
  if (failure_.empty()) check_all_received(lives);
  if (failure_.empty()) check_overtaking(lives);
}

}  // namespace holdfast::messages
