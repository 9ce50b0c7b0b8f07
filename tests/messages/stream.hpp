// A stream of messages from process 0 to process 1 of a world, and when each of them arrived: what
// goodput and gaps are read from. A few messages are always outstanding at both ends; each that
// arrives is compared with its content.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/messages/world.hpp"

namespace holdfast::messages {

struct StreamOptions {
  std::uint64_t bytes = 1u << 20;  // of a message
  std::uint64_t messages = 0;      // 0: without end
  std::uint64_t outstanding = 8;
};

class Stream final : public sim::Program {
 public:
  Stream(const StreamOptions& stream, const sim::WorldOptions& world);
  ~Stream() override;

  // Until then, or until all messages have arrived and been acknowledged.
  void run_until(Time end);

  sim::World& world() { return *world_; }
  // When message n was complete at its receiver.
  const std::vector<Time>& arrivals() const { return arrivals_; }
  bool finished() const { return options_.messages > 0 && sent_ == options_.messages; }
  // Messages that did not hold what they should, or ended otherwise than delivered.
  std::uint64_t wrong() const { return wrong_; }
  // Bits of messages in a second, of those that arrived in (from, to].
  double bits_per_second(Time from, Time to) const;
  // The longest time between two arrivals after `from`; the first counts from the last one before.
  Duration longest_gap(Time from) const;
  // Frames with a payload that were posted and never got onto a cable, nor to anybody.
  std::uint64_t fragments_lost() const;

  void began(ProcessId, Incarnation, Time) override {}
  void ended(ProcessId, Incarnation, Time) override {}
  Wish act(ProcessId process, reliable::Endpoint& endpoint, Time now) override;
  void completed(ProcessId process, const reliable::Completed& completed, Time now) override;

 private:
  class Counter;
  class Counted;

  std::vector<std::byte>& buffer(std::vector<std::vector<std::byte>>& of, std::uint64_t number) {
    return of[number % options_.outstanding];
  }

  StreamOptions options_;
  std::vector<std::vector<std::byte>> out_;
  std::vector<std::vector<std::byte>> in_;
  std::uint64_t begun_ = 0;  // messages: given to send, acknowledged, asked for
  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t wrong_ = 0;
  std::vector<bool> done_;  // sends, by number
  std::vector<Time> arrivals_;
  std::uint64_t posted_ = 0;
  std::vector<std::unique_ptr<Counter>> counters_;
  std::unique_ptr<sim::World> world_;
};

}  // namespace holdfast::messages
