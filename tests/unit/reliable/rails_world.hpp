// Two processes, rails between them that can be cut one way, and just as much of a transport over
// PeerRails as is needed to see what an application sees: numbered packets, acknowledgements,
// timeouts, probes. Nothing is lost but by cuts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/reliable/peer_rails.hpp"

namespace holdfast::reliable {

struct Seen {
  std::size_t rail = 0;
  std::uint64_t number = 0;
  Time sent;
};
struct WorldFrame {
  enum class Kind : std::uint8_t { data, acknowledgement, probe, answer } kind;
  std::size_t on = 0;     // the rail that it takes
  std::size_t about = 0;  // the rail that a probe or answer is of
  Seen packet;            // data: itself; probe, answer: its stamp
  std::uint8_t heard = 0;
  std::vector<Seen> seen;        // acknowledgement: what came lately
  std::uint64_t all_before = 0;  // and all packets below this one
};

class World;

class WorldEnd {
 public:
  WorldEnd(World& world, std::size_t side, std::size_t rails, const RailSettings& settings,
           const RoundTripLimits& limits);

  void turn(Time now, std::vector<WorldFrame>& inbox);
  Time next_deadline() const;
  bool all_acknowledged() const { return acknowledged_ == next_number_ && again_.empty(); }

  PeerRails rails;
  // Else on the rail on which the data came, while it carries.
  bool acknowledges_on_lowest = false;
  std::size_t depth = 0;                               // packets that may be under way on each rail
  std::uint64_t to_send = 0;                           // packets
  std::uint64_t received = 0;                          // packets, in order
  Time advanced;                                       // when the last one came in order
  Duration gap;                                        // the longest time between two
  std::uint64_t in_vain = 0;                           // packets received a second time
  std::vector<std::pair<Time, std::uint8_t>> carried;  // each change of what carries

 private:
  struct UnderWay {
    std::uint64_t number;
    Time sent;
    bool copied = false;  // sent elsewhere, too: who knows which one arrived
  };
  struct Flow {
    std::deque<UnderWay> packets;
    Time timer = Time::never();
    unsigned attempts = 0;
  };
  void handle(const WorldFrame& frame, Time now);
  void take(const Seen& packet, Time now);
  void acknowledged(const Seen& packet, std::size_t came_on, Time now);
  void time_out(Time now);
  void send_data(std::uint8_t carry, Time now);
  void post(WorldFrame frame, Time now);
  void acknowledge(std::size_t on, Time now);
  void lose(Flow& flow, Time sent_before);

  World& world_;
  std::size_t side_;
  std::vector<Flow> flows_;
  std::deque<std::uint64_t> again_;
  std::vector<bool> done_;
  std::uint64_t next_number_ = 0, acknowledged_ = 0;
  std::vector<bool> have_;
  std::deque<Seen> lately_;
};

class World {
 public:
  // Round trips of the rails; each way takes half of it, unless `there` says otherwise.
  World(std::vector<Duration> round_trips, const RailSettings& settings,
        const RoundTripLimits& limits);

  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // End `from` has so many packets to send, of which `depth` may be under way on each rail.
  void start(std::size_t from, std::size_t depth, std::uint64_t packets);
  void run(Time until);
  void cut(std::size_t rail, std::size_t from, bool is_cut) { cut_[rail][from] = is_cut; }
  void cut_both(std::size_t rail, bool is_cut) {
    cut(rail, 0, is_cut);
    cut(rail, 1, is_cut);
  }
  void sleep(std::size_t side, bool asleep) { asleep_[side] = asleep; }
  void post(std::size_t from, WorldFrame frame, Time now);

  Time now;
  std::vector<WorldEnd> ends;
  std::vector<Duration> there;  // of each rail's round trip, from end 0 to end 1

 private:
  std::vector<Duration> round_trips_;
  std::vector<std::array<bool, 2>> cut_;
  std::array<bool, 2> asleep_{};
  std::array<std::vector<WorldFrame>, 2> inbox_;
  std::multimap<Time, std::pair<std::size_t, WorldFrame>> under_way_;
};

}  // namespace holdfast::reliable
