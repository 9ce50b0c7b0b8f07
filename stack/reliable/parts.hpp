// What an endpoint consists of, and its turn.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "stack/reliable/acknowledging.hpp"
#include "stack/reliable/core.hpp"
#include "stack/reliable/receiving.hpp"
#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

struct Endpoint::Parts final : FramePlacer {
  Parts(const EndpointOptions& options, std::span<Fabric* const> rails,
        const AddressBook& addresses);
  ~Parts();

  Core core;
  Acknowledging acknowledging;
  Sending sending;
  Receiving receiving;
  Time deadlines_at;  // the last turn that let deadlines fire, or found the rails empty
  Time latest{-(std::int64_t{1} << 62)};  // that anybody has told, or at which something came

  // An acknowledgement that is handled in the next turn, as of when it came.
  struct Deferred {
    std::array<std::byte, kMessageHeaderBytes> frame;
    std::size_t rail;
    Time now;  // when it came
  };
  std::optional<Deferred> deferred;

  // connections.cpp
  bool connect(ProcessId peer, Incarnation incarnation, Time now);
  void end(Connection& connection, Outcome outcome, Time now);

  // endpoint.cpp
  Request send(ProcessId to, const OutgoingMessage& message, std::uint64_t cookie, Time now);
  Request receive(const Pattern& pattern, const MessageMemory& memory, std::uint64_t size,
                  std::uint64_t cookie, Time now);

  // lone.cpp
  bool may_defer(std::size_t rail, std::span<const std::byte> acknowledgement,
                 std::span<const std::byte> behind) const;
  void defer(std::size_t rail, std::span<const std::byte> acknowledgement, Time now);
  void handle_deferred();

  // turn.cpp
  // Time does not go back, though who polls may not have read the clock for some turns.
  Time not_before_latest(Time told) { return latest = std::max(latest, told); }
  static bool has_few_under_way(const Connection& connection);
  Time turn(Time told);
  Time look_after_all(bool emptied, bool looks, Time now);
  void send_commands(Time now);
  bool poll(Time now);
  std::size_t rail_of_oldest();
  void handle(std::size_t rail, const Event& event, Time now);
  std::byte* place(std::span<const std::byte> beginning, std::uint32_t frame_bytes) override;
  void handle_frame(std::size_t rail, std::span<const std::byte> beginning,
                    const ArrivedPayload& payload, Time at, Time now);
  void handle_verified(Connection& connection, std::size_t rail, const MessageHeader& header,
                       const ArrivedPayload& payload, Time at, Time now);
  void handle_sent(std::size_t rail, const Event& event, Time now);
  void handle_inline_failure(std::size_t rail, const Event& event, Time now);
  void tell_all(std::size_t rail, RailEvent event, Time now);
  void handle_answer(Connection& connection, std::size_t rail, Time stamp, Time now);
  void refuse(Connection& connection, std::size_t rail, const MessageHeader& header, Time now);
  void answer_probe(Connection& connection, std::size_t rail, const MessageHeader& probe, Time now);
  void watch_completions(Time now);
  Duration completion_patience(const Port& port) const;
  void expire(Connection& connection, Time now);
  void follow_orders(Connection& connection, Time now);
  void send_probe(Connection& connection, std::size_t rail, Time now);
  void acknowledge_pressing(Time now);
  void acknowledge_urgent(Owed::When least, Time now);
  void acknowledge_early(Time now);
  Debts debts() const;
  void flush_early(Time now);
  Time next_deadline(const Connection& connection, Time now) const;
  Time finish_turn(Time now);
};

}  // namespace holdfast::reliable
