// The C functions of messages over Messenger: arguments are checked before anything begins.
#include <holdfast/holdfast.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/library/calls.hpp"
#include "hw/library/messenger.hpp"
#include "stack/segments/segment_list.hpp"

namespace {

using holdfast::explain;
using holdfast::MemoryUse;
using holdfast::ProcessId;
using holdfast::Segment;
using holdfast::SegmentFault;
using holdfast::SegmentList;
using holdfast::hw::check_job;
using holdfast::hw::guarded;
using holdfast::hw::invalid;
using holdfast::hw::Messenger;
using holdfast::hw::Outcome;
using holdfast::hw::say;
using holdfast::hw::until;
using holdfast::reliable::Pattern;

// What is wrong with an argument; null: nothing.
const char* check_timeout(std::int32_t timeout_ms) {
  return timeout_ms < -1 ? "timeout_ms is less than -1" : nullptr;
}

constexpr std::uint64_t kBytesMax = std::numeric_limits<std::size_t>::max() / 2;

const char* check_memory(const void* memory, std::uint64_t bytes) {
  if (memory == nullptr && bytes > 0) return "there is no memory, but its size is not 0";
  if (bytes > kBytesMax) return "no memory is that large";
  return nullptr;
}

// What can be said without a look at each.
const char* check_segments(const holdfast_segment* segments, std::uint64_t count) {
  if (segments == nullptr && count > 0) return "segments is NULL, but their number is not 0";
  static_assert(HOLDFAST_SEGMENTS_MAX == 65536);
  if (count > HOLDFAST_SEGMENTS_MAX) return "there are more than 65536 segments";
  return nullptr;
}

const char* check_pattern(const holdfast_job& job, const holdfast_pattern* pattern) {
  if (pattern == nullptr) return "pattern is NULL";
  if (pattern->source != HOLDFAST_ANY_SOURCE && pattern->source >= job.session->processes()) {
    return "there is no such source";
  }
  return nullptr;
}

// Who gives up waiting must be able to ask later.
const char* check_request(std::int32_t timeout_ms, const holdfast_request* request) {
  if (request != nullptr || timeout_ms == -1) return nullptr;
  return "request is NULL, which only a call may do that waits as long as it takes";
}

Pattern pattern_of(const holdfast_pattern& pattern) {
  static_assert(HOLDFAST_ANY_SOURCE == holdfast::kNoProcess.value);
  return {{pattern.source}, pattern.context, pattern.tag, pattern.mask};
}

Segment segment_of(const holdfast_segment& segment) {
  static_assert(std::size(holdfast_segment{}.levels) == holdfast::kLevels);
  Segment described{static_cast<std::byte*>(segment.start), segment.block_bytes, {}};
  for (std::uint32_t i = 0; i < segment.depth; ++i)
    described.levels[i] = {segment.levels[i].count, segment.levels[i].stride};
  return described;
}

// What is wrong with one segment by itself; null: nothing that can be said so early.
const char* check_segment(const holdfast_segment& segment) {
  if (segment.depth > holdfast::kLevels) return "is deeper than 3 levels";
  const bool is_empty = std::ranges::any_of(std::span(segment.levels).first(segment.depth),
                                            [](const auto& level) { return level.count == 0; });
  if (segment.start == nullptr && segment.block_bytes > 0 && !is_empty)
    return "begins at NULL, but its size is not 0";
  return nullptr;
}

// `list` has what `segments` say, unless they are refused.
Outcome describe(const char* call, std::span<const holdfast_segment> segments, MemoryUse use,
                 std::unique_ptr<const SegmentList>& list) {
  const auto refused = [call](const std::string& why) {
    return Outcome{HOLDFAST_INVALID, std::string(call) + ": " + why};
  };
  std::vector<Segment> described;
  described.reserve(segments.size());
  for (const holdfast_segment& segment : segments) {
    if (const char* wrong = check_segment(segment))
      return refused("segment " + std::to_string(described.size()) + " " + wrong);
    described.push_back(segment_of(segment));
  }
  auto made = std::make_unique<SegmentList>(described.size());
  const SegmentFault fault = made->describe(described, use);
  if (fault != SegmentFault::none) return refused(std::string(explain(fault)));
  if (made->bytes() > kBytesMax) return refused("the segments have more bytes than any message");
  list = std::move(made);
  return {};
}

// What has ended is no request any more.
holdfast_status wait_for(Messenger& messenger, holdfast_request* request, std::int32_t timeout_ms,
                         holdfast_message* message) {
  bool is_over = true;
  const holdfast_status status = guarded([&] {
    Outcome outcome;
    holdfast_message ended{};
    is_over = messenger.wait(request->number, until(timeout_ms), outcome, ended);
    if (!is_over) return outcome;
    request->number = 0;
    const bool has_come = outcome.is_ok() || outcome.code == HOLDFAST_TRUNCATED;
    if (has_come && message != nullptr) *message = ended;
    return outcome;
  });
  return is_over ? status : say(HOLDFAST_TIMED_OUT, "the request goes on");
}

// `start` begins a request, unless it says why not.
template <class Start>
holdfast_status start_and_wait(const char* call, holdfast_job* job, std::int32_t timeout_ms,
                               holdfast_message* message, holdfast_request* request,
                               const Start& start) {
  holdfast_request started = HOLDFAST_NO_REQUEST;
  if (request != nullptr) *request = started;
  if (const char* wrong = check_timeout(timeout_ms)) return invalid(call, wrong);
  if (const char* wrong = check_request(timeout_ms, request)) return invalid(call, wrong);
  holdfast_status status = start(&started);
  if (status == HOLDFAST_OK) {
    status = wait_for(job->session->messenger(), &started, timeout_ms, message);
  }
  if (request != nullptr) *request = started;
  return status;
}

}  // namespace

extern "C" {

holdfast_status holdfast_send_start(holdfast_job* job, std::uint32_t to, std::uint32_t context,
                                    std::uint64_t tag, const void* data, std::uint64_t bytes,
                                    holdfast_request* request) {
  constexpr const char* kCall = "holdfast_send_start";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (request == nullptr) return invalid(kCall, "request is NULL");
  if (to >= job->session->processes()) return invalid(kCall, "there is no such process");
  if (const char* wrong = check_memory(data, bytes)) return invalid(kCall, wrong);
  return guarded([&] {
    return job->session->messenger().start_send(
        {to}, context, tag, {static_cast<const std::byte*>(data), bytes}, request->number);
  });
}

holdfast_status holdfast_receive_start(holdfast_job* job, const holdfast_pattern* pattern,
                                       void* memory, std::uint64_t room,
                                       holdfast_request* request) {
  constexpr const char* kCall = "holdfast_receive_start";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (request == nullptr) return invalid(kCall, "request is NULL");
  if (const char* wrong = check_pattern(*job, pattern)) return invalid(kCall, wrong);
  if (const char* wrong = check_memory(memory, room)) return invalid(kCall, wrong);
  return guarded([&] {
    return job->session->messenger().start_receive(
        pattern_of(*pattern), {static_cast<std::byte*>(memory), room}, request->number);
  });
}

holdfast_status holdfast_send_segments_start(holdfast_job* job, std::uint32_t to,
                                             std::uint32_t context, std::uint64_t tag,
                                             const holdfast_segment* segments, std::uint64_t count,
                                             holdfast_request* request) {
  constexpr const char* kCall = "holdfast_send_segments_start";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (request == nullptr) return invalid(kCall, "request is NULL");
  if (to >= job->session->processes()) return invalid(kCall, "there is no such process");
  if (const char* wrong = check_segments(segments, count)) return invalid(kCall, wrong);
  return guarded([&] {
    std::unique_ptr<const SegmentList> list;
    Outcome outcome = describe(kCall, {segments, count}, MemoryUse::sending, list);
    if (!outcome.is_ok()) return outcome;
    return job->session->messenger().start_send({to}, context, tag, std::move(list),
                                                request->number);
  });
}

holdfast_status holdfast_receive_segments_start(holdfast_job* job, const holdfast_pattern* pattern,
                                                const holdfast_segment* segments,
                                                std::uint64_t count, holdfast_request* request) {
  constexpr const char* kCall = "holdfast_receive_segments_start";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (request == nullptr) return invalid(kCall, "request is NULL");
  if (const char* wrong = check_pattern(*job, pattern)) return invalid(kCall, wrong);
  if (const char* wrong = check_segments(segments, count)) return invalid(kCall, wrong);
  return guarded([&] {
    std::unique_ptr<const SegmentList> list;
    Outcome outcome = describe(kCall, {segments, count}, MemoryUse::receiving, list);
    if (!outcome.is_ok()) return outcome;
    return job->session->messenger().start_receive(pattern_of(*pattern), std::move(list),
                                                   request->number);
  });
}

holdfast_status holdfast_wait(holdfast_job* job, holdfast_request* request, std::int32_t timeout_ms,
                              holdfast_message* message) {
  constexpr const char* kCall = "holdfast_wait";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (request == nullptr) return invalid(kCall, "request is NULL");
  if (const char* wrong = check_timeout(timeout_ms)) return invalid(kCall, wrong);
  return wait_for(job->session->messenger(), request, timeout_ms, message);
}

holdfast_status holdfast_test(holdfast_job* job, holdfast_request* request,
                              holdfast_message* message) {
  constexpr const char* kCall = "holdfast_test";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (request == nullptr) return invalid(kCall, "request is NULL");
  return wait_for(job->session->messenger(), request, 0, message);
}

holdfast_status holdfast_cancel(holdfast_job* job, holdfast_request request) {
  if (const char* wrong = check_job(job)) return invalid("holdfast_cancel", wrong);
  return guarded([&] { return job->session->messenger().cancel(request.number); });
}

holdfast_status holdfast_probe(holdfast_job* job, const holdfast_pattern* pattern,
                               std::int32_t timeout_ms, holdfast_message* message) {
  constexpr const char* kCall = "holdfast_probe";
  if (const char* wrong = check_job(job)) return invalid(kCall, wrong);
  if (const char* wrong = check_pattern(*job, pattern)) return invalid(kCall, wrong);
  if (const char* wrong = check_timeout(timeout_ms)) return invalid(kCall, wrong);
  bool has_come = false;
  const holdfast_status status = guarded([&] {
    Outcome outcome;
    holdfast_message found{};
    has_come =
        job->session->messenger().probe(pattern_of(*pattern), until(timeout_ms), outcome, found);
    if (has_come && message != nullptr) *message = found;
    return outcome;
  });
  if (has_come || status != HOLDFAST_OK) return status;
  return say(HOLDFAST_TIMED_OUT, "no such message has come in time");
}

holdfast_status holdfast_send(holdfast_job* job, std::uint32_t to, std::uint32_t context,
                              std::uint64_t tag, const void* data, std::uint64_t bytes,
                              std::int32_t timeout_ms, holdfast_request* request) {
  return start_and_wait("holdfast_send", job, timeout_ms, nullptr, request, [&](auto* started) {
    return ::holdfast_send_start(job, to, context, tag, data, bytes, started);
  });
}

holdfast_status holdfast_receive(holdfast_job* job, const holdfast_pattern* pattern, void* memory,
                                 std::uint64_t room, std::int32_t timeout_ms,
                                 holdfast_message* message, holdfast_request* request) {
  return start_and_wait("holdfast_receive", job, timeout_ms, message, request, [&](auto* started) {
    return ::holdfast_receive_start(job, pattern, memory, room, started);
  });
}

holdfast_status holdfast_send_segments(holdfast_job* job, std::uint32_t to, std::uint32_t context,
                                       std::uint64_t tag, const holdfast_segment* segments,
                                       std::uint64_t count, std::int32_t timeout_ms,
                                       holdfast_request* request) {
  return start_and_wait(
      "holdfast_send_segments", job, timeout_ms, nullptr, request, [&](auto* started) {
        return ::holdfast_send_segments_start(job, to, context, tag, segments, count, started);
      });
}

holdfast_status holdfast_receive_segments(holdfast_job* job, const holdfast_pattern* pattern,
                                          const holdfast_segment* segments, std::uint64_t count,
                                          std::int32_t timeout_ms, holdfast_message* message,
                                          holdfast_request* request) {
  return start_and_wait(
      "holdfast_receive_segments", job, timeout_ms, message, request, [&](auto* started) {
        return ::holdfast_receive_segments_start(job, pattern, segments, count, started);
      });
}

}  // extern "C"
