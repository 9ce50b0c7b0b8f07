// Commands as planned, and as far as there is room.
#include "tests/messages/workload.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

namespace holdfast::messages {

namespace {

// Who had no room asks again then, if no completion wakes it before.
constexpr Duration kAgain = microseconds(100);

}  // namespace

Workload::Workload(const Scenario& scenario, Ledger& ledger)
    : scenario_(scenario), ledger_(ledger), processes_(scenario.world.processes) {
  for (std::uint64_t i = 0; i < scenario.sends.size(); ++i) {
    processes_[scenario.sends[i].from.value].sends.push_back(i);
  }
  for (std::uint64_t i = 0; i < scenario.receives.size(); ++i) {
    processes_[scenario.receives[i].process.value].receives.push_back(i);
  }
}

void Workload::began(ProcessId, Incarnation, Time) {}

void Workload::ended(ProcessId process, Incarnation life, Time) {
  ledger_.ended(process, life);
  processes_[process.value].cancels.clear();
}

void Workload::write(const std::string& what) const {
  *trace_ << seconds_text(lives_->now()) << what << '\n';
}

void Workload::completed(ProcessId process, const reliable::Completed& completed, Time) {
  ledger_.completed(process, completed,
                    [&](ProcessId other) { return lives_->believes(process, other); });
  if (trace_ != nullptr) write(ledger_.text_of(completed));
}

sim::Program::Wish Workload::act(ProcessId id, reliable::Endpoint& endpoint, Time now) {
  Turn turn{id, processes_[id.value], endpoint, now, {}};
  if (!lives_->is_calm()) {
    turn.ask_at(scenario_.calm);
    receive_due(turn);
    cancel_due(turn);
  } else {
    drain(turn);
  }
  send_due(turn);
  return turn.wish;
}

void Workload::send_due(Turn& turn) {
  Process& process = turn.process;
  for (; process.next_send < process.sends.size(); ++process.next_send) {
    const std::uint64_t number = process.sends[process.next_send];
    const PlannedSend& plan = scenario_.sends[number];
    if (plan.at > turn.now) return turn.ask_at(plan.at);
    const auto life = lives_->believes(turn.id, plan.to);
    if (!life) continue;  // nobody is there
    if (ledger_.outstanding_sends(turn.id) >= scenario_.requests_max) return;
    const auto request = send(turn, plan, number);
    if (request == reliable::kNoRequest) return turn.ask_at(turn.now + kAgain);
    turn.wish.commanded = true;
    ledger_.sent(number, request, lives_->incarnation(turn.id), *life);
    if (trace_ != nullptr) write(ledger_.text_of_send(number) + " is asked for");
  }
}

reliable::Request Workload::send(Turn& turn, const PlannedSend& plan, std::uint64_t number) {
  const std::span<const std::byte> content = ledger_.content(number);
  const SegmentList* const segments = ledger_.segments_to_send(number);
  const std::uint64_t cookie = Ledger::cookie_of_send(number);
  if (segments == nullptr)
    return turn.endpoint.send(plan.to, plan.context, plan.tag, content, cookie, turn.now);
  return turn.endpoint.send(plan.to, plan.context, plan.tag, *segments, cookie, turn.now);
}

std::optional<std::uint64_t> Workload::receive(Turn& turn, const reliable::Pattern& pattern,
                                               std::uint64_t memory) {
  const std::uint64_t number = ledger_.prepare(turn.id, pattern, memory);
  const SegmentList* const segments = ledger_.segments_to_receive(number);
  const std::uint64_t cookie = Ledger::cookie_of_receive(number);
  const auto request =
      segments != nullptr
          ? turn.endpoint.receive(pattern, *segments, cookie, turn.now)
          : turn.endpoint.receive(pattern, ledger_.memory(number), cookie, turn.now);
  if (request == reliable::kNoRequest) {
    ledger_.forget_prepared();
    turn.ask_at(turn.now + kAgain);
    return std::nullopt;
  }
  turn.wish.commanded = true;
  ledger_.posted(number, request, lives_->incarnation(turn.id));
  if (trace_ != nullptr) write(ledger_.text_of_receive(number) + " is asked for");
  return number;
}

void Workload::receive_due(Turn& turn) {
  Process& process = turn.process;
  for (; process.next_receive < process.receives.size(); ++process.next_receive) {
    const PlannedReceive& plan = scenario_.receives[process.receives[process.next_receive]];
    if (plan.at > turn.now) return turn.ask_at(plan.at);
    if (!knows(turn.id, plan.pattern.source)) continue;
    if (ledger_.open_receives(turn.id).size() >= scenario_.requests_max) return;
    const auto number = receive(turn, plan.pattern, plan.memory);
    if (!number) return;
    if (plan.cancelled_at != Time::never()) process.cancels.push_back({plan.cancelled_at, *number});
  }
}

void Workload::cancel_due(Turn& turn) {
  std::erase_if(turn.process.cancels, [&](const auto& cancel) {
    if (cancel.first > turn.now) {
      turn.ask_at(cancel.first);
      return false;
    }
    const auto& open = ledger_.open_receives(turn.id);
    if (std::ranges::find(open, cancel.second) == open.end()) return true;
    const bool will_be = turn.endpoint.cancel(ledger_.request_of(cancel.second), turn.now);
    ledger_.cancelled(cancel.second, will_be);
    turn.wish.commanded = true;
    return true;
  });
}

void Workload::drain(Turn& turn) {
  if (!std::exchange(turn.process.drains, true)) {
    for (const std::uint64_t number : ledger_.open_receives(turn.id)) {
      const bool will_be = turn.endpoint.cancel(ledger_.request_of(number), turn.now);
      ledger_.cancelled(number, will_be);
      turn.wish.commanded = true;
    }
  }
  reliable::Waiting waiting;
  for (std::uint32_t context = 0; context < scenario_.contexts; ++context) {
    const reliable::Pattern any{kNoProcess, context, 0, 0};
    while (ledger_.open_receives(turn.id).size() < scenario_.requests_max &&
           turn.endpoint.probe(any, waiting)) {
      ledger_.waiting(turn.id, lives_->incarnation(turn.id), waiting);
      const reliable::Pattern exact{waiting.envelope.source, context, waiting.envelope.tag};
      if (!ledger_.failure().empty() || !knows(turn.id, exact.source)) return;
      if (!receive(turn, exact, waiting.bytes)) return;
    }
  }
}

bool Workload::finished() const {
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const Process& process = processes_[i];
    if (lives_->endpoint({i}) == nullptr) continue;
    if (!process.drains || process.next_send < process.sends.size()) return false;
    if (ledger_.outstanding_sends({i}) > 0 || !ledger_.open_receives({i}).empty()) return false;
  }
  return true;
}

std::string Workload::unfinished() const {
  std::string text;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const std::size_t unsent = processes_[i].sends.size() - processes_[i].next_send;
    const std::uint64_t sends = ledger_.outstanding_sends({i});
    const std::size_t receives = ledger_.open_receives({i}).size();
    if (unsent + sends + receives == 0) continue;
    text += " process " + std::to_string(i) + ": " + std::to_string(unsent) + " not accepted, " +
            std::to_string(sends) + " sends and " + std::to_string(receives) +
            " receives outstanding;";
  }
  return text;
}

}  // namespace holdfast::messages
