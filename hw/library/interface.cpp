// The C functions over Session: arguments are checked, nothing is thrown, and the sentence of an
// error is kept for its thread. Those of messages are in messages.cpp.
#include <fcntl.h>
#include <holdfast/holdfast.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "hw/launch/pmix_meeting.hpp"
#include "hw/launch/programs.hpp"
#include "hw/library/calls.hpp"
#include "hw/library/place.hpp"
#include "hw/library/session.hpp"
#include "stack/base/excerpt.hpp"

namespace {

using holdfast::hw::after;
using holdfast::hw::guarded;
using holdfast::hw::invalid;
using holdfast::hw::Outcome;
using holdfast::hw::Place;
using holdfast::hw::say;
using holdfast::hw::Session;
using holdfast::hw::until;

// Longer sentences are cut. No string: it would need memory, which may be what is lacking, and
// would be gone before the program's static objects are, one of which may hold the job.
constexpr std::size_t kSentenceMax = 1024;
thread_local std::array<char, kSentenceMax> error_of_this_thread{};

// Where the launcher has left its descriptors.
Outcome find_launcher(const char* text, int& control, int& table) {
  const std::string name = holdfast::hw::kLauncherVariable;
  const std::string said = name + "=\"" + holdfast::excerpt(text) + "\"";
  int end = 0;
  if (std::sscanf(text, "control=%d table=%d%n", &control, &table, &end) != 2 ||
      text[end] != '\0') {
    return {HOLDFAST_BAD_ASSIGNMENT,
            said + " is not what the launcher has set; expected \"control=3 table=5\" or the like"};
  }
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(control, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM ||
      ::fcntl(table, F_GETFD) < 0) {
    return {HOLDFAST_NOT_LAUNCHED,
            "the descriptors of " + said +
                " are not the launcher's: a program between it and this one has closed them, or "
                "has joined in this place; start this program by: holdfast launch -n 4 -- PROGRAM"};
  }
  return {};
}

// The launcher's, if there is one: it may itself have been started by mpirun.
Outcome find_place(std::unique_ptr<Place>& place) {
  std::string why_not;
  if (const char* text = std::getenv(holdfast::hw::kLauncherVariable)) {
    int control = -1, table = -1;
    if (Outcome outcome = find_launcher(text, control, table); !outcome.is_ok()) return outcome;
    place = holdfast::hw::place_of_launcher(control, table);
  } else if (holdfast::hw::PmixMeeting::is_there(why_not)) {
    place = holdfast::hw::place_of_pmix();
  } else {
    return {HOLDFAST_NOT_LAUNCHED,
            "this program is to be started by the launcher: holdfast launch -n 4 -- PROGRAM; or by "
            "mpirun or srun, but " +
                why_not};
  }
  return {};
}

// A process has one part in one job; a child that it forks has none.
std::atomic<bool> has_joined{false};

Outcome count_forks() {
  const int error = ::pthread_atfork(nullptr, nullptr, [] { ++holdfast::hw::forks; });
  if (error == 0) return {};
  return {HOLDFAST_SYSTEM, std::string("cannot ask to be told of forks: ") + std::strerror(error)};
}

// A place is one thread's: its descriptors are closed by whoever gives it up.
Outcome join(std::int32_t timeout_ms, std::unique_ptr<Session>& session) {
  if (has_joined.exchange(true)) {
    return {HOLDFAST_JOINED_BEFORE,
            "this process has joined its job before, or tried to; a process joins once"};
  }
  std::unique_ptr<Place> place;
  if (Outcome found = find_place(place); !found.is_ok()) {
    has_joined = false;
    return found;
  }
  if (Outcome counted = count_forks(); !counted.is_ok()) return counted;
  return Session::join(std::move(place), after(timeout_ms), session);
}

}  // namespace

namespace holdfast::hw {

std::atomic<unsigned> forks{0};

holdfast_status say(holdfast_status code, const char* what) {
  if (code != HOLDFAST_OK)
    std::snprintf(error_of_this_thread.data(), kSentenceMax, "holdfast: %s", what);
  return code;
}

}  // namespace holdfast::hw

extern "C" {

holdfast_status holdfast_join(std::int32_t timeout_ms, holdfast_job** job) {
  if (job == nullptr) return invalid("holdfast_join: job is NULL");
  *job = nullptr;
  if (timeout_ms < 0) return invalid("holdfast_join: timeout_ms is negative");
  return guarded([&] {
    auto made = std::make_unique<holdfast_job>();
    Outcome outcome = join(timeout_ms, made->session);
    if (outcome.is_ok()) *job = made.release();
    return outcome;
  });
}

holdfast_status holdfast_leave(holdfast_job* job, std::int32_t timeout_ms) {
  // Of a parent nothing can be ended nor freed here.
  if (const char* wrong = holdfast::hw::check_job(job)) return invalid("holdfast_leave", wrong);
  const std::unique_ptr<holdfast_job> owned(job);
  const bool told = job->session->leave(after(timeout_ms < 0 ? 0 : timeout_ms));
  if (timeout_ms < 0)
    return invalid("holdfast_leave: timeout_ms is negative; left without waiting");
  if (told) return HOLDFAST_OK;
  return say(HOLDFAST_TIMED_OUT, "not everybody has acknowledged in time that this process left");
}

holdfast_status holdfast_next_verdict(holdfast_job* job, std::int32_t timeout_ms,
                                      holdfast_verdict* verdict) {
  if (const char* wrong = holdfast::hw::check_job(job))
    return invalid("holdfast_next_verdict", wrong);
  if (verdict == nullptr) return invalid("holdfast_next_verdict: verdict is NULL");
  if (timeout_ms < -1) return invalid("holdfast_next_verdict: timeout_ms is less than -1");
  if (job->session->next_verdict(until(timeout_ms), *verdict)) return HOLDFAST_OK;
  return say(HOLDFAST_TIMED_OUT, "no verdict has come in time");
}

int holdfast_verdict_fd(const holdfast_job* job) {
  return job == nullptr ? -1 : job->session->verdict_descriptor();
}

std::uint32_t holdfast_self(const holdfast_job* job) {
  return job->session->self();
}

std::uint32_t holdfast_processes(const holdfast_job* job) {
  return job->session->processes();
}

std::uint32_t holdfast_nodes(const holdfast_job* job) {
  return job->session->nodes();
}

holdfast_status holdfast_find_member(const holdfast_job* job, std::uint32_t process,
                                     holdfast_member* member) {
  if (const char* wrong = holdfast::hw::check_job(job))
    return invalid("holdfast_find_member", wrong);
  if (member == nullptr) return invalid("holdfast_find_member: member is NULL");
  if (process >= job->session->processes()) {
    return invalid("holdfast_find_member: there is no such process");
  }
  *member = job->session->member(process);
  return HOLDFAST_OK;
}

holdfast_status holdfast_view(const holdfast_job* job, holdfast_member* members, std::uint32_t room,
                              std::uint64_t* version) {
  if (const char* wrong = holdfast::hw::check_job(job)) return invalid("holdfast_view", wrong);
  if (members != nullptr && room < job->session->processes()) {
    return invalid("holdfast_view: the array is too small for all processes");
  }
  if (members == nullptr && room > 0) return invalid("holdfast_view: members is NULL");
  const std::uint64_t now = job->session->view(members);
  if (version != nullptr) *version = now;
  return HOLDFAST_OK;
}

const char* holdfast_state_name(std::int32_t state) {
  static constexpr std::array kNames = {"joining", "alive", "suspected",
                                        "failed",  "left",  "committed"};
  return state >= 0 && state < static_cast<std::int32_t>(kNames.size())
             ? kNames[static_cast<std::size_t>(state)]
             : "unknown";
}

const char* holdfast_error(void) {
  return error_of_this_thread.data();
}

const char* holdfast_version(void) {
  return HOLDFAST_VERSION;
}

}  // extern "C"
