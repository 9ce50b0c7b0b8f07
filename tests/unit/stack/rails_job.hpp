// A job of engines with several rails, in steps of a millisecond; the test says what is lost, and
// who has ended or sleeps. Frames take 1 ms; period 100 ms, timeout 1 s unless said otherwise.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast::rails {

inline Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

struct JobOptions {
  std::uint32_t processes = 4;
  std::size_t rails = 2;
  std::string_view seal = "none";
  Duration timeout = seconds(1);
};

class Member {
 public:
  Member(const JobOptions& job, const Roster& roster, std::uint32_t self, std::uint32_t boot) {
    for (std::size_t i = 0; i < job.rails; ++i) fabrics.push_back(std::make_unique<FakeFabric>());
    for (const auto& fabric : fabrics) pointers_.push_back(fabric.get());
    EngineOptions options;
    options.membership.self = {self};
    options.membership.incarnation = first_incarnation_of_boot(boot);
    options.membership.rejoining = boot > 0;
    options.membership.phase = milliseconds(self * 7 % 100);
    options.membership.detection.timeout = job.timeout;
    options.membership.retransmission_timeout = milliseconds(50);
    options.seal = job.seal;
    options.receive_slots = 4;
    engine = std::make_unique<Engine>(options, roster, pointers_, workspace_);
  }

  std::vector<std::unique_ptr<FakeFabric>> fabrics;

 private:
  FakeAddresses addresses_;
  Workspace workspace_{addresses_};
  std::vector<Fabric*> pointers_;

 public:
  std::unique_ptr<Engine> engine;
};

class Job {
  JobOptions options_;
  Roster roster_;
  std::vector<std::uint32_t> boots_;
  std::int64_t now_ms_ = 0;

 public:
  explicit Job(const JobOptions& options)
      : options_(options),
        roster_({.nodes = options.processes, .per_node = 1}),
        boots_(options.processes),
        dead(options.processes),
        asleep(options.processes) {
    for (std::uint32_t i = 0; i < options.processes; ++i) {
      members.push_back(std::make_unique<Member>(options, roster_, i, 0));
      members[i]->engine->start(at(0));
    }
  }

  // Whether a frame on a rail is lost on its way.
  std::function<bool(std::size_t rail, std::uint32_t from, std::uint32_t to)> lost =
      [](std::size_t, std::uint32_t, std::uint32_t) { return false; };
  std::vector<std::unique_ptr<Member>> members;
  std::vector<bool> dead, asleep;
  bool doubles = false;                    // the network brings each frame twice
  std::size_t heartbeats = 0, others = 0;  // posted

  // The next boot of one that has ended.
  void restart(std::uint32_t process) {
    members[process] = std::make_unique<Member>(options_, roster_, process, ++boots_[process]);
    members[process]->engine->start(at(now_ms_));
    dead[process] = asleep[process] = false;
  }

  void run_to(std::int64_t ms) {
    for (; now_ms_ < ms; ++now_ms_) {
      for (std::uint32_t i = 0; i < members.size(); ++i) {
        if (!dead[i] && !asleep[i]) members[i]->engine->turn(at(now_ms_));
      }
      for (std::uint32_t i = 0; i < members.size(); ++i) carry(i);
    }
  }

  const Membership& membership(std::uint32_t who) const {
    return members[who]->engine->membership();
  }
  bool believes(std::uint32_t who, std::uint32_t of, MemberState state) const {
    return membership(who).view().of({of}).state == state;
  }
  std::size_t believed_dead() const {
    std::size_t pairs = 0;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      for (std::uint32_t j = 0; j < members.size() && !dead[i]; ++j) {
        pairs += believes(i, j, MemberState::failed) ? 1u : 0u;
      }
    }
    return pairs;
  }
  // Whether anybody has ever been judged and refuted it.
  bool anyone_refuted() const {
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      if (membership(i).incarnation() != first_incarnation_of_boot(boots_[i])) return true;
    }
    return false;
  }

 private:
  void carry(std::uint32_t from) {
    for (std::size_t rail = 0; rail < members[from]->fabrics.size(); ++rail) {
      for (FakeFabric::Frame& frame : members[from]->fabrics[rail]->posted) {
        Header header;
        ASSERT_EQ(decode_header(frame.used(), header), DecodeStatus::ok);
        ++(header.type == FrameType::heartbeat ? heartbeats : others);
        if (dead[frame.to] || lost(rail, from, frame.to)) continue;
        for (int copy = doubles ? 0 : 1; copy < 2; ++copy)
          members[frame.to]->fabrics[rail]->arrive(frame.used(), at(now_ms_ + 1));
      }
      members[from]->fabrics[rail]->posted.clear();
    }
  }
};

}  // namespace holdfast::rails
