// The oracle of messages: who has sent and received what, and whether that is right.
//
// Looked at when something completes: that it was asked for and has not completed before, that its
// outcome is possible, and that the bytes in the memory are the message's and all around them is
// untouched. Looked at in the end: that each message was received once, in the order of its sending
// and by the receive that it was for, and that no memory has been touched since its completion.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stack/reliable/endpoint.hpp"
#include "tests/messages/scattered.hpp"
#include "tests/messages/scenario.hpp"

namespace holdfast::messages {

class Ledger {
 public:
  explicit Ledger(const Scenario& scenario);

  // The bytes of planned send `number`, made when they are first asked for; and where they are if
  // that is not in one piece, else null.
  std::span<const std::byte> content(std::uint64_t number);
  const SegmentList* segments_to_send(std::uint64_t number) const {
    return sends_[number].segments;
  }
  void sent(std::uint64_t number, reliable::Request request, Incarnation from, Incarnation to);

  // A receive is prepared, and then posted or forgotten again. The number of the receive.
  std::uint64_t prepare(ProcessId process, const reliable::Pattern& pattern, std::uint64_t memory);
  // In one piece, unless there are segments.
  std::span<std::byte> memory(std::uint64_t receive);
  const SegmentList* segments_to_receive(std::uint64_t receive) const {
    return receives_[receive].segments;
  }
  void posted(std::uint64_t receive, reliable::Request request, Incarnation life);
  void forget_prepared() { receives_.pop_back(); }
  // What cancel() answered.
  void cancelled(std::uint64_t receive, bool will_be);

  static std::uint64_t cookie_of_send(std::uint64_t number) { return number << 1; }
  static std::uint64_t cookie_of_receive(std::uint64_t number) { return number << 1 | 1; }

  // `believed` says which life of a process the one that completes believes in, if any.
  using Believed = std::function<std::optional<Incarnation>(ProcessId)>;
  void completed(ProcessId process, const reliable::Completed& completed, const Believed& believed);
  // A life has ended: what it had asked for will not complete.
  void ended(ProcessId process, Incarnation life);
  // Something waits to be received: it must have been sent, and not be received yet.
  void waiting(ProcessId process, Incarnation life, const reliable::Waiting& waiting);

  // Requests of the process that have not completed: those of its present life.
  std::uint64_t outstanding_sends(ProcessId p) const { return open_sends_[p.value]; }
  const std::vector<std::uint64_t>& open_receives(ProcessId p) const {
    return open_receives_[p.value];
  }
  reliable::Request request_of(std::uint64_t receive) const { return receives_[receive].request; }
  const reliable::Pattern& pattern_of(std::uint64_t receive) const {
    return receives_[receive].pattern;
  }

  // When nothing happens any more. `lives` are those of all processes.
  void check_in_the_end(std::span<const Incarnation> lives);

  // For people.
  std::string text_of_send(std::uint64_t number) const;
  std::string text_of_receive(std::uint64_t number) const;
  std::string text_of(const reliable::Completed& completed) const;

  const std::string& failure() const { return failure_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t received_scattered() const { return received_scattered_; }
  std::uint64_t outcomes(reliable::Outcome outcome) const {
    return outcomes_[static_cast<std::size_t>(outcome)];
  }

 private:
  enum class State : std::uint8_t { planned, open, completed, orphan };

  struct Sent {
    State state = State::planned;
    reliable::Request request;
    Incarnation from, to;
    reliable::Outcome outcome{};
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t extent = 0;  // of `bytes`
    std::unique_ptr<Scattered> scattered;
    const SegmentList* segments = nullptr;
    std::uint64_t receive = kNone;  // that has it, as far as is known
  };
  struct Received {
    State state = State::planned;
    ProcessId process;
    Incarnation life;
    reliable::Pattern pattern;
    reliable::Request request;
    reliable::Completed result;
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_at = 0;  // in `memory`, after a guard
    std::vector<std::byte> memory;
    std::unique_ptr<Scattered> scattered;
    const SegmentList* segments = nullptr;
    std::vector<std::byte> gathered;  // what it has got, out of its segments
    std::uint64_t hash = 0;           // of `memory` when it completed
    bool will_be_cancelled = false;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  void wrong(const std::string& what);
  std::unique_ptr<Scattered> draw_scattered(std::uint64_t stream, std::uint64_t number,
                                            std::uint64_t bytes) const;
  bool has_message(const Received& receive) const;
  std::span<const std::byte> bytes_in(const Received& receive) const;
  void complete_send(const reliable::Completed& completed, ProcessId process,
                     const Believed& believed);
  void complete_receive(const reliable::Completed& completed, ProcessId process,
                        const Believed& believed);
  void check_failed_receive(std::uint64_t number, const Believed& believed);
  void check_received(std::uint64_t number);
  void check_untouched(std::uint64_t number, std::uint64_t written);
  bool is_message(std::uint64_t receive, std::uint64_t send) const;
  void assign(std::span<const Incarnation> lives);
  void assign_one(std::uint64_t receive, std::vector<std::uint64_t>& stream,
                  std::span<const Incarnation> lives);
  void check_all_received(std::span<const Incarnation> lives);
  void check_overtaking(std::span<const Incarnation> lives);
  bool is_certain(std::uint64_t send, std::span<const Incarnation> lives) const;
  void check_memory_in_the_end();
  bool may_be_missing(std::uint64_t send, std::span<const Incarnation> lives) const;

  const Scenario& scenario_;
  std::vector<Sent> sends_;
  std::vector<Received> receives_;
  std::vector<std::uint64_t> open_sends_;
  std::vector<std::vector<std::uint64_t>> open_receives_;  // of each process, oldest first
  std::uint64_t received_ = 0;
  std::uint64_t received_scattered_ = 0;
  std::uint64_t outcomes_[5] = {};
  std::string failure_;
};

}  // namespace holdfast::messages
