// Holdfast for C++20: take part in a job, hear who of it has died, ask who is believed alive, send
// messages that arrive once and whole or say why not, leave. holdfast.h has the whole contract
// (threads, ownership, what each call promises); this is the same with C++ types, inline over it,
// so that it needs no C++ binary interface.
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
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
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
  // A code, and a sentence of one's own.
  Status(holdfast_status code, std::string message) : code_(code), message_(std::move(message)) {}

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

// Waits as long as it takes. (Not a negative number, as in C: a deadline that has
// just passed is one.)
inline constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

// Milliseconds as the C functions take them: 0 for what is less, -1 for kForever.
inline std::int32_t waiting_ms(std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};
  if (timeout == kForever) return -1;
  const std::chrono::milliseconds none{};
  return static_cast<std::int32_t>(std::clamp(timeout, none, kLongest).count());
}

// Which messages are meant; see holdfast_pattern.
struct Pattern {
  std::uint32_t source = HOLDFAST_ANY_SOURCE;
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  std::uint64_t mask = HOLDFAST_WHOLE_TAG;
};

// A message that was sent, was received, or waits to be; see holdfast_message.
struct Message {
  std::uint32_t process = 0;
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Message&, const Message&) = default;
};

// Where bytes of a message lie, when they do not lie in a row; see holdfast_segment.
using Segment = holdfast_segment;

// All of `memory`, as one block. What is sent is only read.
inline Segment segment_of(std::span<const std::byte> memory) {
  return {const_cast<std::byte*>(memory.data()), memory.size(), 0, {}};
}

// A message that is being sent or received, and how that has ended. The memory of one that is not
// over is the library's; so whoever destroys it, or moves another one there, takes it back if it
// can be (holdfast_cancel), and waits for its end as long as it takes. Leaving the job ends what
// goes on: it is HOLDFAST_CANCELLED from then on, its memory is the program's, and it may outlive
// the job. One thread at a time, and none while the job is being left.
class [[nodiscard]] Request {
 public:
  Request() = default;  // over, and nothing was sent or received
  Request(Request&& other) noexcept { swap(other); }
  Request& operator=(Request&& other) noexcept {
    Request taken(std::move(other));
    swap(taken);
    return *this;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    if (over()) return;
    cancel();
    (void)!::holdfast_wait(*job_, &handle_, -1, nullptr);
  }

  // True if it has ended within `timeout`; see holdfast_wait.
  bool wait(std::chrono::milliseconds timeout = kForever) {
    if (over()) return true;
    holdfast_message message{};
    const holdfast_status status = ::holdfast_wait(*job_, &handle_, waiting_ms(timeout), &message);
    if (status == HOLDFAST_TIMED_OUT) return false;
    end(status, message);
    return true;
  }
  bool test() { return wait({}); }
  // See holdfast_cancel.
  void cancel() {
    if (!over()) (void)!::holdfast_cancel(*job_, handle_);
  }

  bool over() const { return handle_.number == 0 || was_left(); }
  bool ok() const { return over() && status().ok(); }
  // How it has ended, which may have been at its start; means something once it is over.
  const Status& status() const {
    static const Status left(HOLDFAST_CANCELLED, "the job was left before the request was over");
    return handle_.number != 0 && was_left() ? left : status_;
  }
  // If it was sent or received, or truncated.
  const Message& message() const { return message_; }

 private:
  friend class Job;
  // What a start has given.
  Request(std::shared_ptr<holdfast_job*> job, holdfast_request handle, holdfast_status status)
      : job_(std::move(job)), handle_(handle) {
    if (status != HOLDFAST_OK) end(status, {});
  }
  bool was_left() const { return job_ != nullptr && *job_ == nullptr; }
  void end(holdfast_status status, const holdfast_message& message) {
    handle_ = {};
    status_ = Status(status);
    message_ = {message.process, message.context, message.tag, message.bytes};
  }
  void swap(Request& other) noexcept {
    std::swap(job_, other.job_);
    std::swap(handle_, other.handle_);
    std::swap(status_, other.status_);
    std::swap(message_, other.message_);
  }

  std::shared_ptr<holdfast_job*> job_;  // its Job's
  holdfast_request handle_{};
  Status status_;
  Message message_;
};

// This process's part in its job. Moving it moves the part; destroying it leaves, without waiting
// for acknowledgements longer than kLeaveTimeout.
class Job {
 public:
  static constexpr std::chrono::milliseconds kLeaveTimeout{1000};

  Job() = default;
  Job(Job&& other) noexcept = default;
  Job& operator=(Job&& other) noexcept {
    std::swap(part_, other.part_);
    return *this;
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    if (handle() != nullptr) (void)::holdfast_leave(parted(), bounded(kLeaveTimeout));
  }

  // Joins the job for which this process was started; see holdfast_join.
  Status join(std::chrono::milliseconds timeout) {
    auto part = std::make_shared<holdfast_job*>(nullptr);  // first: it may throw
    const holdfast_status code = ::holdfast_join(bounded(timeout), part.get());
    if (code == HOLDFAST_OK) part_ = std::move(part);
    return Status(code);
  }
  // See holdfast_leave. Requests that go on are over then. Without a part in a job it does nothing.
  Status leave(std::chrono::milliseconds timeout = kLeaveTimeout) {
    if (handle() == nullptr) return {};
    return Status(::holdfast_leave(parted(), bounded(timeout)));
  }

  // The rest is for a job that has been joined and not left.

  // The next verdict, or none within `timeout`; 0 or less only looks, kForever waits.
  std::optional<Verdict> next_verdict(std::chrono::milliseconds timeout = {}) {
    holdfast_verdict verdict;
    const std::int32_t wait = waiting_ms(timeout);
    if (::holdfast_next_verdict(handle(), wait, &verdict) != HOLDFAST_OK) return {};
    using At = decltype(Verdict::at);
    return Verdict{member_of(verdict.member), verdict.view_version,
                   At(std::chrono::nanoseconds(verdict.at_ns))};
  }
  // See holdfast_verdict_fd.
  int verdict_fd() const { return ::holdfast_verdict_fd(handle()); }

  std::uint32_t self() const { return ::holdfast_self(handle()); }
  std::uint32_t processes() const { return ::holdfast_processes(handle()); }
  std::uint32_t nodes() const { return ::holdfast_nodes(handle()); }

  // What is believed of one process now; none if there is no such process.
  std::optional<Member> member(std::uint32_t process) const {
    holdfast_member member;
    if (::holdfast_find_member(handle(), process, &member) != HOLDFAST_OK) return {};
    return member_of(member);
  }
  View view() const {
    std::vector<holdfast_member> members(processes());
    View view;
    // Cannot fail: there is room for all.
    (void)!::holdfast_view(handle(), members.data(), processes(), &view.version);
    for (const holdfast_member& member : members) view.members.push_back(member_of(member));
    return view;
  }

  // Messages; see holdfast.h for all of them. A request that could not begin is over, and its
  // status says why. The bytes must stay where they are until it is over.

  Request send_start(std::uint32_t to, std::uint32_t context, std::uint64_t tag,
                     std::span<const std::byte> message) {
    holdfast_request request{};
    const holdfast_status status =
        ::holdfast_send_start(handle(), to, context, tag, message.data(), message.size(), &request);
    return {part_, request, status};
  }
  Request receive_start(const Pattern& pattern, std::span<std::byte> memory) {
    const holdfast_pattern meant = to_c(pattern);
    holdfast_request request{};
    const holdfast_status status =
        ::holdfast_receive_start(handle(), &meant, memory.data(), memory.size(), &request);
    return {part_, request, status};
  }
  // The same, having waited for it; it is over unless `timeout` has passed.
  Request send(std::uint32_t to, std::uint32_t context, std::uint64_t tag,
               std::span<const std::byte> message, std::chrono::milliseconds timeout = kForever) {
    Request request = send_start(to, context, tag, message);
    request.wait(timeout);
    return request;
  }
  Request receive(const Pattern& pattern, std::span<std::byte> memory,
                  std::chrono::milliseconds timeout = kForever) {
    Request request = receive_start(pattern, memory);
    request.wait(timeout);
    return request;
  }
  // Likewise of memory that is not in one piece; see holdfast_send_segments_start.
  Request send_segments_start(std::uint32_t to, std::uint32_t context, std::uint64_t tag,
                              std::span<const Segment> message) {
    holdfast_request request{};
    const holdfast_status status = ::holdfast_send_segments_start(
        handle(), to, context, tag, message.data(), message.size(), &request);
    return {part_, request, status};
  }
  Request receive_segments_start(const Pattern& pattern, std::span<const Segment> memory) {
    const holdfast_pattern meant = to_c(pattern);
    holdfast_request request{};
    const holdfast_status status =
        ::holdfast_receive_segments_start(handle(), &meant, memory.data(), memory.size(), &request);
    return {part_, request, status};
  }
  Request send_segments(std::uint32_t to, std::uint32_t context, std::uint64_t tag,
                        std::span<const Segment> message,
                        std::chrono::milliseconds timeout = kForever) {
    Request request = send_segments_start(to, context, tag, message);
    request.wait(timeout);
    return request;
  }
  Request receive_segments(const Pattern& pattern, std::span<const Segment> memory,
                           std::chrono::milliseconds timeout = kForever) {
    Request request = receive_segments_start(pattern, memory);
    request.wait(timeout);
    return request;
  }
  // Success and the message that waits; see holdfast_probe.
  Status probe(const Pattern& pattern, Message& message, std::chrono::milliseconds timeout = {}) {
    const holdfast_pattern meant = to_c(pattern);
    holdfast_message found{};
    const holdfast_status status = ::holdfast_probe(handle(), &meant, waiting_ms(timeout), &found);
    if (status == HOLDFAST_OK) message = {found.process, found.context, found.tag, found.bytes};
    return Status(status);
  }

 private:
  static holdfast_pattern to_c(const Pattern& pattern) {
    return {pattern.source, pattern.context, pattern.tag, pattern.mask};
  }
  static std::int32_t bounded(std::chrono::milliseconds timeout) {
    constexpr std::chrono::milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};
    return static_cast<std::int32_t>(std::clamp(timeout, -kLongest, kLongest).count());
  }
  static Member member_of(const holdfast_member& member) {
    return {member.process, member.node, member.incarnation, static_cast<State>(member.state)};
  }

  holdfast_job* handle() const { return part_ == nullptr ? nullptr : *part_; }
  // The handle, for the last time.
  holdfast_job* parted() { return std::exchange(*part_, nullptr); }

  // Shared with the requests, which see by a null within that the job was left.
  std::shared_ptr<holdfast_job*> part_;
};

}  // namespace v0
}  // namespace holdfast
