// Holdfast for C++20: take part in a job, hear who of it has died, ask who is believed alive,
// leave. holdfast.h has the whole contract (threads, ownership, what each call promises); this is
// the same with C++ types, inline over it, so that it needs no C++ binary interface.
//
//     holdfast::Job job;
//     if (holdfast::Status joined = job.join(10s); !joined.ok()) {
//       std::cerr << joined.message() << '\n';
//       return 1;
//     }
//     while (auto verdict = job.next_verdict(1s)) ...
//
// Nothing throws but what allocates memory.
#pragma once

#include <holdfast/holdfast.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast {
inline namespace v0 {

// What became of a call: success, or a code and a sentence.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // Of the call of this thread that has just failed.
  explicit Status(holdfast_status code) : code_(code) {
    if (code != HOLDFAST_OK) message_ = ::holdfast_error();
  }

  bool ok() const { return code_ == HOLDFAST_OK; }
  holdfast_status code() const { return code_; }
  const std::string& message() const { return message_; }  // empty if ok

 private:
  holdfast_status code_ = HOLDFAST_OK;
  std::string message_;
};

enum class State : std::int32_t {
  joining = HOLDFAST_JOINING,
  alive = HOLDFAST_ALIVE,
  suspected = HOLDFAST_SUSPECTED,
  failed = HOLDFAST_FAILED,
  left = HOLDFAST_LEFT,
  committed = HOLDFAST_COMMITTED,
};

inline std::string to_string(State state) {
  return ::holdfast_state_name(static_cast<std::int32_t>(state));
}

// One process as the view has it; see holdfast_member.
struct Member {
  std::uint32_t process = 0;
  std::uint32_t node = 0;
  std::uint32_t incarnation = 0;
  State state = State::alive;

  bool live() const { return state < State::failed; }
  friend bool operator==(const Member&, const Member&) = default;
};

// That a belief has changed; see holdfast_verdict.
struct Verdict {
  Member member;
  std::uint64_t view_version = 0;
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds> at;
};

// The whole view at one moment.
struct View {
  std::uint64_t version = 0;
  std::vector<Member> members;  // by process
};

// Waits as long as it takes; of next_verdict. (Not a negative number, as in C: a deadline that has
// just passed is one.)
inline constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

// This process's part in its job. Moving it moves the part; destroying it leaves, without waiting
// for acknowledgements longer than kLeaveTimeout.
class Job {
 public:
  static constexpr std::chrono::milliseconds kLeaveTimeout{1000};

  Job() = default;
  Job(Job&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Job& operator=(Job&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    if (handle_ != nullptr) (void)::holdfast_leave(handle_, bounded(kLeaveTimeout));
  }

  // Joins the job for which this process was started; see holdfast_join.
  Status join(std::chrono::milliseconds timeout) {
    holdfast_job* joined = nullptr;
    const holdfast_status code = ::holdfast_join(bounded(timeout), &joined);
    if (code == HOLDFAST_OK) handle_ = joined;
    return Status(code);
  }
  // See holdfast_leave. Without a part in a job it does nothing.
  Status leave(std::chrono::milliseconds timeout = kLeaveTimeout) {
    if (handle_ == nullptr) return {};
    return Status(::holdfast_leave(std::exchange(handle_, nullptr), bounded(timeout)));
  }

  // The rest is for a job that has been joined and not left.

  // The next verdict, or none within `timeout`; 0 or less only looks, kForever waits.
  std::optional<Verdict> next_verdict(std::chrono::milliseconds timeout = {}) {
    holdfast_verdict verdict;
    const std::int32_t wait = timeout == kForever ? -1 : bounded(std::max(timeout, {}));
    if (::holdfast_next_verdict(handle_, wait, &verdict) != HOLDFAST_OK) return {};
    using At = decltype(Verdict::at);
    return Verdict{member_of(verdict.member), verdict.view_version,
                   At(std::chrono::nanoseconds(verdict.at_ns))};
  }
  // See holdfast_verdict_fd.
  int verdict_fd() const { return ::holdfast_verdict_fd(handle_); }

  std::uint32_t self() const { return ::holdfast_self(handle_); }
  std::uint32_t processes() const { return ::holdfast_processes(handle_); }
  std::uint32_t nodes() const { return ::holdfast_nodes(handle_); }

  // What is believed of one process now; none if there is no such process.
  std::optional<Member> member(std::uint32_t process) const {
    holdfast_member member;
    if (::holdfast_find_member(handle_, process, &member) != HOLDFAST_OK) return {};
    return member_of(member);
  }
  View view() const {
    std::vector<holdfast_member> members(processes());
    View view;
    // Cannot fail: there is room for all.
    (void)!::holdfast_view(handle_, members.data(), processes(), &view.version);
    for (const holdfast_member& member : members) view.members.push_back(member_of(member));
    return view;
  }

 private:
  static std::int32_t bounded(std::chrono::milliseconds timeout) {
    constexpr std::chrono::milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};
    return static_cast<std::int32_t>(std::clamp(timeout, -kLongest, kLongest).count());
  }
  static Member member_of(const holdfast_member& member) {
    return {member.process, member.node, member.incarnation, static_cast<State>(member.state)};
  }

  holdfast_job* handle_ = nullptr;
};

}  // namespace v0
}  // namespace holdfast
