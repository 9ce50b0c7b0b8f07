// One process's end of all its messages: what its program wants sent and received goes in as
// commands, frames go out and come in on its rails, and what has ended comes out as completions.
// Each message arrives once, whole and in order, or its request says why not (specification,
// section 14; Shipman, Graham, Bosilca: Network Fault Tolerance in Open MPI, Euro-Par 2007).
//
// Two endpoints know of each other what is in their connections; a connection is of one life of
// either process. Who lives is not decided here: whoever drives the endpoint says so.
//
// From an accepted command to its completion the memory belongs to the endpoint: bytes to be sent
// must not change, and bytes received may be written several times. A turn polls the rails until
// they are empty, handles all that came, and only then lets deadlines fire, sends what may go, and
// acknowledges; if nothing came, was asked for or is due, it has only looked. New messages go
// before that where the rails were empty a moment ago, and the first few at once, when they are
// sent. Of what came one acknowledgement may be left for the next turn, which is due at once then.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stack/address_book.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/reliable/matching.hpp"
#include "stack/reliable/rail_state.hpp"
#include "stack/reliable/round_trip.hpp"
#include "stack/seal/seal.hpp"
#include "stack/segments/segment_list.hpp"

namespace holdfast::reliable {

// Whose rules time-outs and acknowledgements follow.
enum class Timers : std::uint8_t {
  measured,  // from round trips, and by later deliveries
  paper,     // a local-completion timer and an acknowledgement timer of fixed lengths, linear
             // back-off, a rail given up after a number of retransmissions and never taken back
};

struct EndpointLimits {
  std::uint32_t peers = 0;                    // connections, >= 1
  std::uint32_t requests = 4096;              // not yet completed and taken, of both kinds together
  std::uint32_t eager_bytes_max = 32768;      // longer messages ask first; at most 64 fragments
  std::uint32_t unexpected_bytes = 1u << 20;  // kept from one peer until received, < 32 MiB
  std::uint32_t unexpected_messages = 4096;   // from all peers
  std::uint32_t window_bytes = 1u << 20;      // under way on one rail to one peer, at most
  std::uint32_t send_slots = 256;             // frames under way, all rails and peers together
  std::uint32_t receive_slots = 256;          // of each rail
};

// Those that suit rails of a kind (Caps::kind), all of a process's being of it. Memory that
// processes share is written by one and read by the other: what is under way there lies in few
// places, so that they are still in the caches when they are read, and written again. Of what comes
// over TCP nothing is lost for want of a slot, so few are enough there, too; to ask first takes as
// long there as to send 0.4 of a mebibyte, and what is expected lies where it belongs when it
// has been read, asked for or not (docs/speed.md). Any other: as above.
EndpointLimits limits_for(std::string_view rail_kind);

// A timer is linearly longer each time that it has run out; when it has for so many times, at least
// once, the rail is given up. Defaults: those of Open MPI's component dr (wdog_retry_max,
// ack_retry_max), so 5 s, and 10 + 20 + 30 s.
struct PaperTimers {
  Duration local_completion = seconds(5);
  Duration acknowledgement = seconds(10);
  unsigned local_completions_missed = 1;
  unsigned acknowledgements_missed = 3;
};

struct EndpointOptions {
  ProcessId self;
  Incarnation incarnation;
  std::uint32_t job = 0;
  JobKey key;
  std::string_view seal = "none";        // must be registered
  std::string_view checksum = "crc32c";  // of payloads; must be registered; empty: off
  Timers timers = Timers::measured;
  PaperTimers paper;
  EndpointLimits limits;
  RoundTripLimits round_trip{milliseconds(10), microseconds(200), seconds(1)};
  RailSettings rails;
  Duration local_completion_max = milliseconds(20);  // no "sent" for so long: the rail is suspect
  // For so long no rail has carried data to a peer, or it has acknowledged nothing of what was sent
  // (a peer that does not turn looks as one whose rails are all cut): its requests end, and there
  // as soon as it hears of it.
  static constexpr Duration kForEver{std::int64_t{1} << 62};
  Duration unreachable_max = kForEver;
  std::uint32_t first_number =
      0;  // of messages, virtual fragments and packets: for tests of wrapping
};

// A request that has been accepted and not yet taken as completed.
struct Request {
  std::uint32_t value = 0xffff'ffff;
  friend constexpr bool operator==(Request, Request) = default;
};
constexpr Request kNoRequest{};

// Why a send or receive has not been accepted.
enum class Refusal : std::uint8_t {
  no_connection,
  requests,  // there are as many as there may be
  waiting,   // of a message to itself: as many wait to be received as may
};

enum class Outcome : std::uint8_t {
  delivered,  // a send: the peer has the message; a receive: it is in the memory
  truncated,  // a receive: the message was longer than the memory, which is full
  cancelled,
  peer_failed,  // it is believed dead, or has begun another life
  unreachable,  // no rail to it for unreachable_max, or it says so of us; the connection is over
};

struct Completed {
  Request request;
  Outcome outcome = Outcome::delivered;
  Envelope envelope;        // a receive: what was received; a send: to whom, and as what
  std::uint64_t bytes = 0;  // of the message
  std::uint64_t cookie = 0;
};

// A message that waits to be received.
struct Waiting {
  Envelope envelope;
  std::uint64_t bytes = 0;
};

// What would be acknowledged in the next turn, and may be before (Endpoint::acknowledge).
struct Debts {
  std::uint32_t peers = 0;      // to so many,
  ProcessId peer = kNoProcess;  // of whom this is one,
  std::uint32_t bytes = 0;      // of so many bytes that have come, with their headers
  bool is_overdue = false;      // some of it has found no rail with room, or should have gone
};

// Since the beginning.
struct EndpointCounts {
  std::uint64_t fragments_sent = 0;  // first copies
  std::uint64_t fragments_resent = 0;
  std::uint64_t fragments_duplicate = 0;  // received and known
  std::uint64_t payload_bytes_sent = 0;   // with copies
  std::uint64_t payload_bytes_delivered = 0;
  std::uint64_t acknowledgements_sent = 0;
  std::uint64_t malformed = 0;        // frames that do not decode
  std::uint64_t unverified = 0;       // header, seal or sender of no connection
  std::uint64_t corrupt_payload = 0;  // thrown away, and asked for again
  std::uint64_t out_of_place = 0;     // verified, but nothing that is expected
};

// What one rail has carried since the beginning, with all peers together; for people.
struct RailTraffic {
  bool is_up = true;  // as its port says
  // Datagrams (an acknowledgement may share one) that the fabric has taken, whatever became of
  // them.
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  // Copies of fragments that count as lost there, right or wrong; they are sent again on any rail.
  std::uint64_t fragments_given_up = 0;
};

class Endpoint {
 public:
  // Everything referred to must outlive the endpoint; the rails must not be polled by others, nor
  // after it, as slots and frames lie in its memory. Rail r of this endpoint reaches rail r of its
  // peers.
  Endpoint(const EndpointOptions& options, std::span<Fabric* const> rails,
           const AddressBook& addresses);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // From now on messages with this life of `peer` are possible. A later life ends the connection
  // of an earlier one as peer_failed; an earlier one is ignored. False: no room for a connection,
  // or that with this life is over.
  [[nodiscard]] bool connect(ProcessId peer, Incarnation incarnation, Time now);
  // That life is over: its requests end as peer_failed. Receives from any source wait on. Messages
  // of it that have arrived whole can be received if all before them have.
  void fail(ProcessId peer, Incarnation incarnation, Time now);

  // kNoRequest: there is no connection, or no room (refusal() says which). `cookie` comes back. A
  // receive from one process needs a connection with it, or a message of it that waits.
  [[nodiscard]] Request send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                             std::span<const std::byte> message, std::uint64_t cookie, Time now);
  [[nodiscard]] Request receive(const Pattern& pattern, std::span<std::byte> memory,
                                std::uint64_t cookie, Time now);
  // Likewise of memory that is not in one piece. The list must stay as it is for as long as the
  // memory belongs to the endpoint, and be described for what is done with it.
  [[nodiscard]] Request send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                             const SegmentList& message, std::uint64_t cookie, Time now);
  [[nodiscard]] Request receive(const Pattern& pattern, const SegmentList& memory,
                                std::uint64_t cookie, Time now);
  // Of the latest send or receive that was not accepted.
  Refusal refusal() const;
  // A receive that no message has met ends as cancelled; others are left alone, and false.
  bool cancel(Request request, Time now);
  // The oldest message that waits to be received and that `pattern` takes. True: there is one.
  bool probe(const Pattern& pattern, Waiting& waiting) const;

  // Returns when the next turn is due at the latest; earlier if a rail has events or a command
  // came. `now` may lie a few turns in vain in the past: what comes brings its own time.
  Time turn(Time now);
  // After a turn, by who may be long in taking another one: what would be acknowledged in that is
  // acknowledged now, as its senders wait for it, and what a receive has granted since then goes.
  // Without `now`: at the time of that turn.
  void acknowledge();
  void acknowledge(Time now);
  Debts debts() const;
  // By who takes no more turns: what has come is handled, also what a turn has left for the next.
  void settle();
  // What a receive has granted goes, and nothing is acknowledged.
  void flush();

  // Writes the oldest completions and returns how many. Each request completes once, and its number
  // may then be used for another.
  [[nodiscard]] std::size_t completed(std::span<Completed> to);

  // Its connection is not over, and there is one.
  bool is_connected(ProcessId peer) const;
  const EndpointCounts& counts() const;
  RailTraffic traffic(std::size_t rail) const;
  RailHealth health(ProcessId peer, std::size_t rail) const;
  Duration smoothed_round_trip(ProcessId peer, std::size_t rail) const;
  // Of protocol state alone: equal for equal states, whatever lies where in memory.
  std::uint64_t hash() const;
  // Bytes of memory that one more idle peer takes, buffers apart.
  static std::size_t bytes_per_idle_peer(std::size_t rails);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace holdfast::reliable
