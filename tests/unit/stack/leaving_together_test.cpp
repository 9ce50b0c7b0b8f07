// Processes that leave at about the same time: each gets away, and nobody is believed dead.
//
// A job of memberships and what its network and its operating systems do, drawn: frames take a
// while and some are lost, each process leaves when it likes and ends as soon as it has been told
// that everybody knows. Whoever has ended neither answers nor says anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/membership.hpp"
#include "tests/drawn.hpp"

namespace holdfast {
namespace {

constexpr Duration kRepeat = milliseconds(100);
constexpr Duration kTimeout = milliseconds(1'000);
constexpr double kLate = 0.02;  // share of frames

struct Draw {
  std::uint32_t nodes, per_node;
  double loss;      // of frames
  Duration spread;  // they leave within this
  double killed;    // of processes: they are killed and do not leave
  const char* propagation;
};

struct Frame {
  Time at;
  std::uint64_t order;
  ProcessId to;
  Header header;
  Body body;
  std::vector<holdfast::Run> runs;

  bool operator>(const Frame& other) const {
    return at != other.at ? at > other.at : order > other.order;
  }
};

class Job {
 public:
  Job(const Draw& draw, std::uint64_t seed)
      : draw_(draw),
        random_(seed, 0, 0),
        roster_({.nodes = draw.nodes, .per_node = draw.per_node}) {
    for (std::uint32_t i = 0; i < roster_.processes(); ++i) {
      MembershipOptions options;
      options.self = {i};
      options.propagation = draw.propagation;
      options.retransmission_timeout = kRepeat;
      options.detection.period = kRepeat;
      options.detection.timeout = kTimeout;
      auto& process = processes_.emplace_back();
      process.membership = std::make_unique<Membership>(options, roster_, memory_);
      process.goes_at = Time{} + milliseconds(500) + drawn(draw.spread);
      process.killed = chance(draw.killed);
    }
  }

  // Until all are gone, or for as long as that.
  void play(Time until) {
    for (Process& process : processes_) process.membership->start(now_);
    while (now_ < until && std::any_of(processes_.begin(), processes_.end(), is_there)) {
      for (std::uint32_t i = 0; i < processes_.size(); ++i) turn(i);
      now_ = next();
      deliver();
    }
  }

  // What is wrong with how it went; empty: nothing.
  std::string wrong() const {
    for (std::uint32_t i = 0; i < processes_.size(); ++i) {
      const Process& process = processes_[i];
      const std::string name = "process " + std::to_string(i);
      if (!process.ended) return name + " never got away";
      if (process.killed) continue;
      if (process.gone_at - process.goes_at > kTimeout + 10 * kRepeat) {
        return name + " took " +
               std::to_string((process.gone_at - process.goes_at).ns / 1'000'000) + " ms";
      }
      // Who alone knew of it may have been killed.
      if (process.believed_dead && draw_.killed == 0)
        return name + " is believed dead, and had left";
    }
    return {};
  }

 private:
  struct Process {
    std::unique_ptr<Membership> membership;
    Time goes_at;
    Time gone_at;
    bool killed = false;
    bool ended = false;
    bool believed_dead = false;  // by anybody who was there when it had left
  };

  static bool is_there(const Process& process) { return !process.ended; }

  bool chance(double probability) { return random_.unit() < probability; }
  Duration drawn(Duration below) {
    return nanoseconds(static_cast<std::int64_t>(random_.unit() * static_cast<double>(below.ns)));
  }

  void turn(std::uint32_t index) {
    Process& process = processes_[index];
    if (process.ended) return;
    if (now_ >= process.goes_at && process.killed) return end(index);
    if (now_ >= process.goes_at) process.membership->leave(now_);
    MembershipAction action;
    while (process.membership->poll(now_, scratch_, action)) {
      if (action.kind == MembershipAction::Kind::frame) send(*process.membership, action);
    }
    for (const Membership::Change& change : process.membership->changes()) judge(change);
    process.membership->clear_changes();
    if (process.membership->leaving() && process.membership->told()) end(index);
  }

  void judge(const Membership::Change& change) {
    Process& about = processes_[change.process.value];
    if (change.record.state == MemberState::failed && !about.killed) about.believed_dead = true;
  }

  // The operating system tells its node a moment later.
  void end(std::uint32_t index) {
    processes_[index].ended = true;
    processes_[index].gone_at = now_;
    ended_.push_back({now_ + drawn(milliseconds(2)), index});
  }

  void send(const Membership& from, const MembershipAction& action) {
    if (chance(draw_.loss)) return;
    Frame frame;
    frame.at = now_ + microseconds(20) + drawn(chance(kLate) ? milliseconds(5) : microseconds(200));
    frame.order = ++frames_;
    frame.to = action.to;
    frame.header.type = action.type;
    frame.header.sender = from.self();
    frame.header.sender_incarnation = from.incarnation();
    frame.header.receiver = action.to;
    frame.header.receiver_incarnation = from.view().of(action.to).incarnation;
    frame.header.digest = from.view().digest();
    if (has_body(action.type)) {
      frame.body = action.body;
      frame.runs.assign(action.body.runs.begin(), action.body.runs.end());
    }
    under_way_.push(std::move(frame));
  }

  Time next() const {
    Time next = Time::never();
    for (const Process& process : processes_) {
      if (process.ended) continue;
      next = std::min(next, process.membership->next_deadline());
      if (!process.membership->leaving()) next = std::min(next, process.goes_at);
    }
    if (!under_way_.empty()) next = std::min(next, under_way_.top().at);
    for (const auto& [at, process] : ended_) next = std::min(next, at);
    return std::max(next, now_ + nanoseconds(1));
  }

  void deliver() {
    while (!under_way_.empty() && under_way_.top().at <= now_) {
      Frame frame = under_way_.top();
      under_way_.pop();
      Process& process = processes_[frame.to.value];
      if (process.ended) continue;
      frame.body.runs = frame.runs;
      process.membership->handle(now_, frame.at, frame.header, frame.body, true);
    }
    std::erase_if(ended_, [this](const auto& one) {
      if (one.first > now_) return false;
      for (std::uint32_t i = 0; i < processes_.size(); ++i) {
        if (!processes_[i].ended && roster_.node_of({i}) == roster_.node_of({one.second})) {
          processes_[i].membership->process_ended(now_, {one.second});
        }
      }
      return true;
    });
  }

  Draw draw_;
  Random random_;
  Roster roster_;
  MembershipMemory memory_;
  std::vector<Process> processes_;
  std::priority_queue<Frame, std::vector<Frame>, std::greater<>> under_way_;
  std::vector<std::pair<Time, std::uint32_t>> ended_;
  std::array<holdfast::Run, kRunsMax> scratch_;
  Time now_;
  std::uint64_t frames_ = 0;
};

class LeavingTogether : public testing::TestWithParam<Draw> {};

TEST_P(LeavingTogether, EachGetsAwayAndNobodyIsBelievedDead) {
  for (std::uint64_t seed = 1; seed <= tests::drawn(std::uint64_t{400}); ++seed) {
    Job job(GetParam(), seed);
    job.play(Time{} + milliseconds(10'000));
    ASSERT_EQ(job.wrong(), "") << "seed " << seed;
  }
}

std::string name_of(const testing::TestParamInfo<Draw>& one) {
  const Draw& draw = one.param;
  return std::to_string(one.index) + "_" + std::to_string(draw.nodes) + "x" +
         std::to_string(draw.per_node) + draw.propagation;
}

INSTANTIATE_TEST_SUITE_P(Jobs, LeavingTogether,
                         testing::Values(Draw{2, 1, 0, microseconds(300), 0, "bmg"},
                                         Draw{4, 1, 0, microseconds(300), 0, "bmg"},
                                         Draw{4, 1, 0, milliseconds(20), 0, "bmg"},
                                         Draw{9, 1, 0.05, milliseconds(2), 0, "bmg"},
                                         Draw{1, 4, 0, microseconds(300), 0, "bmg"},
                                         Draw{2, 2, 0.02, milliseconds(1), 0, "bmg"},
                                         Draw{3, 4, 0.02, milliseconds(10), 0, "hba"},
                                         Draw{8, 2, 0.02, milliseconds(5), 0, "chord"},
                                         Draw{8, 1, 0.02, milliseconds(400), 0.3, "bmg"},
                                         Draw{4, 3, 0, milliseconds(100), 0.3, "chord"}),
                         name_of);

}  // namespace
}  // namespace holdfast
