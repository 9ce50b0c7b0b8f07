// Endpoints over a scripted network, in virtual time: what tests of the protocol play with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/reliable/endpoint.hpp"
#include "tests/content.hpp"
#include "tests/unit/reliable/scripted_network.hpp"

namespace holdfast::reliable {

// Bytes that differ between messages and between places in them.
inline std::vector<std::byte> content(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  tests::fill_content(mix64(seed), made);
  return made;
}

struct WorldOptions {
  std::uint32_t processes = 2;
  std::vector<RailKind> rails = {RailKind{}};
  EndpointOptions endpoint = defaults();
  std::function<void(ProcessId, EndpointOptions&)> adjust;  // where they are not all alike

  static EndpointOptions defaults() {
    EndpointOptions options;
    options.limits.peers = 8;
    options.limits.requests = 512;
    options.limits.unexpected_messages = 256;
    options.job = 7;
    return options;
  }
};

class World {
 public:
  explicit World(WorldOptions options = {})
      : options_(options), network(options.processes, options.rails) {
    for (std::uint32_t p = 0; p < options.processes; ++p) {
      lives_.push_back({0});
      endpoints_.emplace_back();
      begin(p);
    }
    for (std::uint32_t p = 0; p < options.processes; ++p) {
      for (std::uint32_t q = 0; q < options.processes; ++q) {
        if (p == q) continue;
        EXPECT_TRUE(at(p).connect({q}, lives_[q], network.now));
      }
    }
  }

  // A new life of a process, of which the others are told.
  void restart(std::uint32_t p) {
    lives_[p] = Incarnation{lives_[p].value + 65536};
    begin(p);
    for (std::uint32_t q = 0; q < options_.processes; ++q) {
      if (p == q) continue;
      EXPECT_TRUE(at(p).connect({q}, lives_[q], network.now));
      EXPECT_TRUE(at(q).connect({p}, lives_[p], network.now));
    }
  }
  Incarnation life(std::uint32_t p) const { return lives_[p]; }

  Endpoint& at(std::uint32_t p) { return *endpoints_[p]; }
  Time now() const { return network.now; }

  Request send(std::uint32_t from, std::uint32_t to, const std::vector<std::byte>& message,
               std::uint64_t tag = 1) {
    return at(from).send({to}, 0, tag, message, tag, network.now);
  }
  Request receive(std::uint32_t at_process, std::uint32_t from, std::vector<std::byte>& memory,
                  std::uint64_t tag = 1) {
    Pattern pattern;
    pattern.source = ProcessId{from};
    pattern.tag = tag;
    return at(at_process).receive(pattern, memory, tag, network.now);
  }

  // Lets everything happen that happens by `until`, or until `done` says so. False: it never did.
  bool run(Time until, const std::function<bool()>& done = {}) {
    for (;;) {
      step();
      if (done && done()) return true;
      const Time next = std::min(network.next_arrival(), next_turn());
      if (next > until) {
        network.now = std::max(network.now, until);
        return !done;
      }
      network.now = std::max(network.now, next);
    }
  }
  bool run(Duration time, const std::function<bool()>& done = {}) {
    return run(network.now + time, done);
  }
  // Until `count` requests of a process have completed; they are in `of[p]`.
  bool complete(std::uint32_t p, std::size_t count, Duration most = seconds(100)) {
    return run(most, [&] { return of[p].size() >= count; });
  }
  // One turn of everybody at this instant, as long as somebody has something to do.
  void step() {
    for (int again = 0; again < 1000; ++again) {
      network.launch();
      network.deliver();
      bool busy = false;
      for (std::uint32_t p = 0; p < options_.processes; ++p) {
        if (asleep.count(p) != 0) continue;
        due_[p] = at(p).turn(network.now);
        collect(p);
        busy = busy || due_[p] <= network.now;
      }
      network.launch();
      if (!busy && !any_is_told() && network.next_arrival() > network.now) return;
    }
    ADD_FAILURE() << "turns without end";
  }

  std::vector<Completed>& completed(std::uint32_t p) { return of[p]; }

 private:
  WorldOptions options_;
  std::vector<Incarnation> lives_;

 public:
  ScriptedNetwork network;
  std::map<std::uint32_t, std::vector<Completed>> of;
  std::set<std::uint32_t> asleep;  // take no turns

 private:
  void begin(std::uint32_t p) {
    EndpointOptions options = options_.endpoint;
    options.self = ProcessId{p};
    options.incarnation = lives_[p];
    if (options_.adjust) options_.adjust(options.self, options);
    endpoints_[p].reset();
    for (std::size_t r = 0; r < options_.rails.size(); ++r) network.fabric(p, r).forget();
    endpoints_[p] = std::make_unique<Endpoint>(options, network.fabrics(p), network);
    due_[p] = network.now;
  }
  void collect(std::uint32_t p) {
    std::array<Completed, 32> some;
    for (std::size_t n = 0; (n = at(p).completed(some)) > 0;) {
      of[p].insert(of[p].end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
    }
  }
  // Somebody's fabric has events that it has not been asked for.
  bool any_is_told() {
    for (const auto& [p, due] : due_) {
      for (std::size_t r = 0; r < options_.rails.size() && asleep.count(p) == 0; ++r) {
        if (network.fabric(p, r).has_events()) return true;
      }
    }
    return false;
  }
  Time next_turn() const {
    Time next = Time::never();
    for (const auto& [p, due] : due_) {
      if (asleep.count(p) == 0) next = std::min(next, due);
    }
    return next;
  }

  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::map<std::uint32_t, Time> due_;
};

// A message from process 0 to process 1.
struct Exchange {
  std::vector<std::byte> sent, got;
  explicit Exchange(std::size_t bytes) : sent(content(bytes, bytes)), got(bytes) {}
  void begin(World& world, std::uint64_t tag = 1) {
    ASSERT_NE(world.receive(1, 0, got, tag), kNoRequest);
    ASSERT_NE(world.send(0, 1, sent, tag), kNoRequest);
  }
};

}  // namespace holdfast::reliable
