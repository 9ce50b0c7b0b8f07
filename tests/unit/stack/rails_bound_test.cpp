// The bound of liveness with several rails (PROTOCOL.md, 12.6): jobs to which everything happens,
// up to a moment after which one rail is whole; the others may go on losing whatever they like.
#include <gtest/gtest.h>

#include <algorithm>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/stack/rails_job.hpp"

namespace holdfast {
namespace {

using rails::Job;

constexpr std::int64_t kPeriodMs = 100, kRepeatMs = 50, kFrameMs = 2;

// Most processes in a row along the ring, which goes by rank, that have ended.
std::int64_t dead_stretch(const Job& job) {
  const std::size_t n = job.dead.size();
  std::int64_t longest = 0, here = 0;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    here = job.dead[i % n] ? here + 1 : 0;
    longest = std::max(longest, here);
  }
  return longest;
}

// Section 9, each process a domain, with n P for P and max(n, D) T for N T.
std::int64_t bound_ms(std::int64_t processes, std::int64_t rails, std::int64_t dead,
                      std::int64_t timeout) {
  const std::int64_t period = rails * kPeriodMs;
  const std::int64_t settle = timeout + 2 * period;
  const std::int64_t contact = std::max(rails, processes) * timeout;
  const std::int64_t detect = 2 * dead * timeout + period;
  const std::int64_t spread = kRepeatMs + processes * (2 * period + 3 * kFrameMs);
  return settle + contact + 2 * (detect + spread);
}

// What happens to a job before the calm, and which rails lose what then and afterwards.
class Trouble {
 public:
  explicit Trouble(std::uint64_t seed)
      : random_(seed, 126, 0),
        rails_(2 + random_.below(2)),
        processes_(2 + static_cast<std::uint32_t>(random_.below(6))),
        timeout_ms_(kPeriodMs * static_cast<std::int64_t>(2 * rails_ + random_.below(5))),
        whole_(random_.below(rails_)),
        manner_(random_.below(3)),
        job_({.processes = processes_, .rails = rails_, .timeout = milliseconds(timeout_ms_)}) {
    cut_.resize(rails_ * processes_ * processes_);
    job_.lost = [this](std::size_t rail, std::uint32_t from, std::uint32_t to) {
      if (calm_ && rail == whole_) return false;
      if (calm_ && manner_ == 0) return true;
      if (calm_ && manner_ == 1) return random_.below(2) == 0;
      return cut_[(rail * processes_ + from) * processes_ + to] || random_.below(10) == 0;
    };
  }

  Job& job() { return job_; }
  std::int64_t bound() const {
    return bound_ms(processes_, static_cast<std::int64_t>(rails_), dead_stretch(job_), timeout_ms_);
  }
  std::int64_t timeout() const { return timeout_ms_; }

  // Until the calm, which begins then.
  std::int64_t pass() {
    std::int64_t ms = 0;
    for (int acts = 0; acts < 20; ++acts) {
      job_.run_to(ms += 1 + static_cast<std::int64_t>(random_.below(600)));
      act();
    }
    calm_ = true;
    std::fill(job_.asleep.begin(), job_.asleep.end(), false);
    return ms;
  }

 private:
  void act() {
    const auto who = static_cast<std::uint32_t>(random_.below(processes_));
    const auto living = std::count(job_.dead.begin(), job_.dead.end(), false);
    switch (random_.below(4)) {
      case 0:
        if (job_.dead[who]) {
          job_.restart(who);
        } else if (living > 1) {
          job_.dead[who] = true;
        }
        break;
      case 1:
        job_.asleep[who] = !job_.asleep[who];
        break;
      default:
        for (std::size_t i = 0; i < cut_.size(); ++i) cut_[i] = random_.below(3) == 0;
    }
  }

  Random random_;
  std::size_t rails_;
  std::uint32_t processes_;
  std::int64_t timeout_ms_;
  std::size_t whole_;     // since the calm began
  std::uint64_t manner_;  // of the losses on the others then: all, half, or as before
  bool calm_ = false;
  std::vector<bool> cut_;  // by rail, sender and receiver
  Job job_;
};

// What a process believes that is not so; empty if there is nothing.
std::string untruth(const Job& job, std::uint32_t who) {
  const Membership& its = job.membership(who);
  if (its.joining()) return "it is still joining";
  for (std::uint32_t of = 0; of < job.members.size(); ++of) {
    const Record record = its.view().of({of});
    const bool right = job.dead[of] ? record.state == MemberState::failed
                                    : record.state == MemberState::alive &&
                                          record.incarnation == job.membership(of).incarnation();
    if (!right) return "it is wrong about " + std::to_string(of);
  }
  return {};
}

TEST(RailsBound, WithOneRailWholeAllKnowTheTruthInTimeAndKeepIt) {
  for (std::uint64_t seed = 0; seed < tests::drawn(200u); ++seed) {
    Trouble trouble(seed);
    Job& job = trouble.job();
    const std::int64_t known_by = trouble.pass() + trouble.bound();
    for (const std::int64_t ms : {known_by, known_by + 5 * trouble.timeout()}) {
      job.run_to(ms);
      for (std::uint32_t who = 0; who < job.members.size(); ++who) {
        if (job.dead[who]) continue;
        ASSERT_EQ(untruth(job, who), "") << "seed " << seed << ", process " << who;
      }
    }
  }
}

}  // namespace
}  // namespace holdfast
