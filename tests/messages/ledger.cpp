// What is looked at when something completes. What is looked at in the end is in ledger_end.cpp.
#include "tests/messages/ledger.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "stack/base/random.hpp"
#include "tests/content.hpp"

namespace holdfast::messages {

namespace {

using reliable::Completed;
using reliable::Outcome;

constexpr std::byte kUntouched{0xcd};  // memory that nothing has been received into
constexpr std::byte kGivenBack{0xee};  // a message that has been sent
constexpr std::uint64_t kGuard = 16;   // bytes on both sides of a receive's memory

// Purposes of random streams; see Random.
constexpr std::uint64_t kSendsScattered = 0x6d73656e6473;
constexpr std::uint64_t kReceivesScattered = 0x6d726563767320;

// Four sums side by side, as each step of one waits for the step before.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 4> sums{bytes.size(), 1, 2, 3};
  constexpr std::size_t kStep = 8 * sums.size();
  std::size_t at = 0;
  for (; at + kStep <= bytes.size(); at += kStep) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + at + 8 * i, 8);
      sums[i] = (sums[i] ^ word) * 0x9e37'79b9'7f4a'7c15;
      sums[i] ^= sums[i] >> 29;
    }
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t sum : sums) hash = mix64(hash ^ sum);
  for (; at < bytes.size(); ++at) hash = mix64(hash ^ std::to_integer<std::uint64_t>(bytes[at]));
  return hash;
}

std::string text_of_mask(const reliable::Pattern& pattern) {
  if (pattern.mask == 0) return "no bit";
  return pattern.mask == ~std::uint64_t{0} ? "all bits" : "some bits";
}

}  // namespace

Ledger::Ledger(const Scenario& scenario)
    : scenario_(scenario),
      sends_(scenario.sends.size()),
      open_sends_(scenario.world.processes),
      open_receives_(scenario.world.processes) {}

void Ledger::wrong(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

std::string Ledger::text_of_send(std::uint64_t number) const {
  const PlannedSend& plan = scenario_.sends[number];
  return "message " + std::to_string(number) + " (" + std::to_string(plan.from.value) + " to " +
         std::to_string(plan.to.value) + ", context " + std::to_string(plan.context) + ", tag " +
         std::to_string(plan.tag) + ", " + std::to_string(plan.bytes) + " bytes)";
}

std::string Ledger::text_of_receive(std::uint64_t number) const {
  const Received& receive = receives_[number];
  const ProcessId source = receive.pattern.source;
  std::string text = "receive " + std::to_string(number) + " of process " +
                     std::to_string(receive.process.value) + " (from " +
                     (source == kNoProcess ? "anybody" : std::to_string(source.value)) +
                     ", context " + std::to_string(receive.pattern.context) + ", tag " +
                     std::to_string(receive.pattern.tag) + " in " + text_of_mask(receive.pattern) +
                     ", " + std::to_string(receive.memory_bytes) + " bytes";
  if (has_message(receive)) {
    text += "; got " + std::to_string(receive.result.bytes) + " from " +
            std::to_string(receive.result.envelope.source.value) + ", tag " +
            std::to_string(receive.result.envelope.tag);
  }
  return text + ")";
}

std::string Ledger::text_of(const Completed& completed) const {
  static constexpr std::array kOutcomes{"delivered", "truncated", "cancelled",
                                        "failed with its peer", "unreachable"};
  const std::uint64_t number = completed.cookie >> 1;
  const bool is_receive = (completed.cookie & 1) != 0;
  if (number >= (is_receive ? receives_.size() : sends_.size())) return "something completes";
  return (is_receive ? text_of_receive(number) : text_of_send(number)) + " is " +
         kOutcomes[static_cast<std::size_t>(completed.outcome)];
}

std::unique_ptr<Scattered> Ledger::draw_scattered(std::uint64_t stream, std::uint64_t number,
                                                  std::uint64_t bytes) const {
  if (scenario_.one_scattered_of == 0) return nullptr;
  swarm::Dice dice(scenario_.world.seed, stream, number);
  return dice.one_in(scenario_.one_scattered_of) ? std::make_unique<Scattered>(dice, bytes)
                                                 : nullptr;
}

std::span<const std::byte> Ledger::content(std::uint64_t number) {
  Sent& send = sends_[number];
  const std::uint64_t bytes = scenario_.sends[number].bytes;
  if (send.bytes == nullptr) {
    send.scattered = draw_scattered(kSendsScattered, number, bytes);
    send.extent = send.scattered ? send.scattered->extent() : bytes;
    send.bytes = std::make_unique<std::byte[]>(send.extent + 1);
    if (send.scattered) {
      std::vector<std::byte> message(bytes);
      tests::fill_content(number, message);
      send.scattered->put(send.bytes.get(), message);
      send.segments = &send.scattered->lie_at(send.bytes.get(), MemoryUse::sending);
    } else {
      tests::fill_content(number, {send.bytes.get(), bytes});
    }
  }
  return {send.bytes.get(), send.extent};
}

void Ledger::sent(std::uint64_t number, reliable::Request request, Incarnation from,
                  Incarnation to) {
  Sent& send = sends_[number];
  send.state = State::open;
  send.request = request;
  send.from = from;
  send.to = to;
  ++open_sends_[scenario_.sends[number].from.value];
}

std::uint64_t Ledger::prepare(ProcessId process, const reliable::Pattern& pattern,
                              std::uint64_t memory) {
  const std::uint64_t number = receives_.size();
  Received receive;
  receive.process = process;
  receive.pattern = pattern;
  receive.memory_bytes = memory;
  receive.memory_at = kGuard + number % 8;  // not always aligned
  receive.scattered = draw_scattered(kReceivesScattered, number, memory);
  const std::uint64_t extent = receive.scattered ? receive.scattered->extent() : memory;
  receive.memory.assign(receive.memory_at + extent + kGuard, kUntouched);
  if (receive.scattered) {
    receive.segments =
        &receive.scattered->lie_at(receive.memory.data() + receive.memory_at, MemoryUse::receiving);
  }
  receives_.push_back(std::move(receive));
  return number;
}

std::span<std::byte> Ledger::memory(std::uint64_t receive) {
  Received& its = receives_[receive];
  return std::span(its.memory).subspan(its.memory_at, its.memory_bytes);
}

void Ledger::posted(std::uint64_t receive, reliable::Request request, Incarnation life) {
  Received& its = receives_[receive];
  its.state = State::open;
  its.request = request;
  its.life = life;
  open_receives_[its.process.value].push_back(receive);
}

void Ledger::cancelled(std::uint64_t receive, bool will_be) {
  receives_[receive].will_be_cancelled |= will_be;
}

bool Ledger::has_message(const Received& receive) const {
  return receive.state == State::completed && (receive.result.outcome == Outcome::delivered ||
                                               receive.result.outcome == Outcome::truncated);
}

std::span<const std::byte> Ledger::bytes_in(const Received& receive) const {
  if (receive.scattered) return receive.gathered;
  const std::uint64_t bytes = std::min(receive.result.bytes, receive.memory_bytes);
  return std::span(receive.memory).subspan(receive.memory_at, bytes);
}

void Ledger::completed(ProcessId process, const Completed& completed, const Believed& believed) {
  ++outcomes_[static_cast<std::size_t>(completed.outcome)];
  const std::uint64_t number = completed.cookie >> 1;
  const bool is_receive = (completed.cookie & 1) != 0;
  if (number >= (is_receive ? receives_.size() : sends_.size())) {
    return wrong("a completion of nothing that was asked for");
  }
  if (is_receive) {
    complete_receive(completed, process, believed);
  } else {
    complete_send(completed, process, believed);
  }
}

void Ledger::complete_send(const Completed& completed, ProcessId process,
                           const Believed& believed) {
  const std::uint64_t number = completed.cookie >> 1;
  Sent& send = sends_[number];
  const PlannedSend& plan = scenario_.sends[number];
  if (send.state != State::open || plan.from != process || send.request != completed.request) {
    return wrong(text_of_send(number) + " completed, but it is not outstanding");
  }
  const reliable::Envelope envelope{plan.to, plan.context, plan.tag};
  if (completed.envelope != envelope || completed.bytes != plan.bytes) {
    wrong(text_of_send(number) + " completed as another");
  }
  const bool failed = completed.outcome == Outcome::peer_failed;
  if (!failed && completed.outcome != Outcome::delivered) {
    wrong(text_of_send(number) + " has an outcome that no send may have here");
  }
  if (failed && believed(plan.to) == send.to) {
    wrong(text_of_send(number) + " failed with its peer, which is alive as far as was said");
  }
  send.state = State::completed;
  send.outcome = completed.outcome;
  --open_sends_[process.value];
  std::fill_n(send.bytes.get(), send.extent, kGivenBack);
}

void Ledger::complete_receive(const Completed& completed, ProcessId process,
                              const Believed& believed) {
  const std::uint64_t number = completed.cookie >> 1;
  Received& receive = receives_[number];
  if (receive.state != State::open || receive.process != process ||
      receive.request != completed.request) {
    return wrong(text_of_receive(number) + " completed, but it is not outstanding");
  }
  receive.state = State::completed;
  receive.result = completed;
  receive.hash = hash_of(receive.memory);
  std::erase(open_receives_[process.value], number);
  const bool cancelled = completed.outcome == Outcome::cancelled;
  if (cancelled != receive.will_be_cancelled) {
    return wrong(text_of_receive(number) + (cancelled ? " is cancelled though nobody wanted that"
                                                      : " is not cancelled though it was said"));
  }
  if (has_message(receive)) {
    if (receive.scattered) {
      receive.gathered.resize(std::min(completed.bytes, receive.memory_bytes));
      receive.scattered->take(receive.memory.data() + receive.memory_at, receive.gathered);
      ++received_scattered_;
    }
    check_received(number);
  } else if (cancelled) {
    check_untouched(number, 0);
  } else {
    check_failed_receive(number, believed);
  }
}

// Only a receive from somebody who is no more, or one that a message of such a one had met.
void Ledger::check_failed_receive(std::uint64_t number, const Believed& believed) {
  const Received& receive = receives_[number];
  if (receive.result.outcome != Outcome::peer_failed) {
    return wrong(text_of_receive(number) + " has an outcome that no receive may have here");
  }
  const ProcessId source = receive.pattern.source;
  if (source == kNoProcess) return;
  const bool lives = believed(source).has_value();
  const bool began_anew = lives && boot_of(*believed(source)) > 0;
  if (lives && !began_anew) {
    wrong(text_of_receive(number) + " failed with its peer, which is alive as far as was said");
  }
}

void Ledger::check_untouched(std::uint64_t number, std::uint64_t written) {
  const Received& receive = receives_[number];
  std::vector<std::byte> memory = receive.memory;
  std::byte* const first = memory.data() + receive.memory_at;
  if (receive.scattered) {
    receive.scattered->fill(first, written, kUntouched);
  } else {
    std::fill_n(first, written, kUntouched);
  }
  const auto untouched = [](std::byte byte) { return byte == kUntouched; };
  if (!std::ranges::all_of(memory, untouched)) {
    wrong(text_of_receive(number) + " has written where no message is");
  }
}

void Ledger::check_received(std::uint64_t number) {
  const Received& receive = receives_[number];
  const Completed& result = receive.result;
  ++received_;
  if (!receive.pattern.takes(result.envelope)) {
    wrong(text_of_receive(number) + " took a message that it is not for");
  }
  if ((result.outcome == Outcome::truncated) != (result.bytes > receive.memory_bytes)) {
    wrong(text_of_receive(number) + " is truncated, or should be");
  }
  check_untouched(number, bytes_in(receive).size());
  const auto says = tests::number_in(bytes_in(receive));
  if (!says) return;  // which message it is shows in the end
  if (*says >= sends_.size() || sends_[*says].state == State::planned) {
    return wrong(text_of_receive(number) + " does not begin as a message that was sent");
  }
  const PlannedSend& plan = scenario_.sends[*says];
  const reliable::Envelope envelope{plan.from, plan.context, plan.tag};
  if (plan.to != receive.process || envelope != result.envelope || plan.bytes != result.bytes) {
    return wrong(text_of_receive(number) + " holds " + text_of_send(*says));
  }
  if (const auto at = tests::first_wrong(*says, bytes_in(receive))) {
    wrong(text_of_receive(number) + ": byte " + std::to_string(*at) + " of " + text_of_send(*says) +
          " is wrong");
  }
  if (sends_[*says].receive != kNone) wrong(text_of_send(*says) + " is received a second time");
  sends_[*says].receive = number;
}

void Ledger::ended(ProcessId process, Incarnation life) {
  for (std::uint64_t number = 0; number < sends_.size(); ++number) {
    Sent& send = sends_[number];
    if (scenario_.sends[number].from != process || send.state != State::open) continue;
    send.state = State::orphan;
  }
  for (Received& receive : receives_) {
    if (receive.process != process || receive.life != life) continue;
    if (receive.state == State::open) receive.state = State::orphan;
  }
  open_sends_[process.value] = 0;
  open_receives_[process.value].clear();
}

void Ledger::waiting(ProcessId process, Incarnation life, const reliable::Waiting& waiting) {
  for (std::uint64_t number = 0; number < sends_.size(); ++number) {
    const PlannedSend& plan = scenario_.sends[number];
    const Sent& send = sends_[number];
    const bool possible = send.state != State::planned && send.receive == kNone &&
                          plan.to == process && send.to == life && plan.bytes == waiting.bytes;
    if (possible && waiting.envelope == reliable::Envelope{plan.from, plan.context, plan.tag}) {
      return;
    }
  }
  wrong("process " + std::to_string(process.value) + ": a message waits that nobody has sent");
}

bool Ledger::is_message(std::uint64_t receive, std::uint64_t send) const {
  const Received& its = receives_[receive];
  return its.result.bytes == scenario_.sends[send].bytes &&
         !tests::first_wrong(send, bytes_in(its));
}

void Ledger::check_memory_in_the_end() {
  for (std::uint64_t number = 0; number < receives_.size(); ++number) {
    const Received& receive = receives_[number];
    if (receive.state == State::completed && receive.hash != hash_of(receive.memory)) {
      wrong(text_of_receive(number) + ": its memory was written after it had completed");
    }
  }
}

}  // namespace holdfast::messages
