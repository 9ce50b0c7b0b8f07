// A job whose processes live in this thread: each has the whole stack on a rail of its own of a
// real fabric. Time is the test's, so that while it stands still a hostile frame is all that
// happens.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stack/engine.hpp"
#include "stack/outer_fabric.hpp"
#include "tests/hostile/rails.hpp"

namespace holdfast::hostile {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kProcesses = 8;  // two on each node
constexpr std::uint32_t kJob = 4711;
constexpr Duration kPeriod = milliseconds(100), kTimeout = seconds(1);

// A rail that is looked at: what arrives is kept, and arrives on the test's clock.
class Tap final : public OuterFabric {
 public:
  Tap(std::unique_ptr<Fabric> rail, const Time& now)
      : OuterFabric(*rail), rail_(std::move(rail)), now_(now) {}

  const Fabric& rail() const { return inner_; }
  bool keeping = true;
  std::vector<Bytes> heard;

  void set_lending(bool) override {}  // it looks into slots
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;

 private:
  std::unique_ptr<Fabric> rail_;
  const Time& now_;
  std::vector<const std::byte*> slots_;  // by cookie
};

// The operating system's word on who of the own node has ended.
class Ends;

struct Member {
  std::uint32_t boot = 0;
  std::vector<Bytes> heard_before;  // by earlier lives
  std::unique_ptr<Tap> tap;
  std::unique_ptr<Ends> ends;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<Engine> engine;  // null: dead

  Member();
  Member(Member&&) noexcept;
  ~Member();
};

class LiveJob {
 public:
  LiveJob(Rails& rails, const JobKey& key);
  ~LiveJob();

  // False if the system refused; it has been said why.
  bool start(ProcessId process);
  void kill(ProcessId process);
  // Kills it and has its next boot join.
  bool restart(ProcessId process);
  // Everybody lives on for so long.
  void run(Duration duration);
  // One turn of one process, at a time that stands still.
  void turn(ProcessId process) { members_[process.value].engine->turn(now_); }

  const Member& operator[](ProcessId process) const { return members_[process.value]; }
  Member& operator[](ProcessId process) { return members_[process.value]; }
  // Whether all that live believe exactly them alive, and have joined.
  bool agrees() const;

 private:
  class Addresses;

  Rails& rails_;
  JobKey key_;
  Time now_ = Time{} + seconds(1);
  Roster roster_;
  std::unique_ptr<Addresses> addresses_;
  std::vector<Member> members_;
};

}  // namespace holdfast::hostile
