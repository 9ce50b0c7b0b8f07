// The roles of launched processes, and the main function of the tests. They use the public
// interface alone.
#include "tests/unit/library/member_program.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <span>
#include <thread>

#include "tests/unit/library/member_parts.hpp"

namespace holdfast {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "member: %s: %s\n", what, ::holdfast_error());
  ::_exit(3);
}

void expect(bool as_expected, const char* what) {
  if (!as_expected) fail(what);
}

Job joined() {
  Job job;
  expect(job.join(kPatience).ok(), "join");
  return job;
}

void await(Job& job, std::uint32_t process, State state) {
  while (true) {
    const auto verdict = job.next_verdict(kPatience);
    expect(verdict.has_value(), "a verdict in time");
    expect(verdict->member.state == state, to_string(verdict->member.state).c_str());
    if (verdict->member.process == process) return;
  }
}

void look_until(const Job& job, std::uint32_t process, State state) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (job.member(process)->state != state) {
    expect(std::chrono::steady_clock::now() < end, "a belief in time");
    std::this_thread::sleep_for(5ms);
  }
}

void meet(Job& job, std::uint64_t tag) {
  const std::byte nothing{};
  std::byte something{};
  for (std::uint32_t i = 0; i < job.processes(); ++i)
    expect(job.send(i, 1, tag, {&nothing, 1}, kPatience).ok(), "a message to everybody");
  for (std::uint32_t i = 0; i < job.processes(); ++i)
    expect(job.receive({i, 1, tag}, {&something, 1}, kPatience).ok(), "a message of everybody");
}

void sleep_for(std::chrono::milliseconds time) {
  const pid_t self = ::getpid();
  if (::fork() == 0) {
    ::close_range(3, ~0u, 0);  // a port is not free again as long as anyone has its socket
    std::this_thread::sleep_for(time);
    ::kill(self, SIGCONT);
    ::_exit(0);
  }
  ::raise(SIGSTOP);
}

namespace {

// Process 1 dies; all others hear it, see it, and leave.
int one_dies() {
  Job job = joined();
  if (job.self() == 1) ::raise(SIGKILL);
  await(job, 1, State::failed);
  const View view = job.view();
  expect(view.members.size() == job.processes() && view.version > 0, "a whole view");
  for (const Member& member : view.members)
    expect(member.process == 1 ? !member.live() : member.state != State::failed, "the view");
  expect(job.member(1)->state == State::failed, "what is believed of the dead");
  expect(!job.member(job.processes()), "nobody beyond the last");
  // Nobody leaves before everybody has heard.
  std::this_thread::sleep_for(300ms);
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

// They leave by rank, each after the one before it; nobody is believed dead.
int leave_in_turn() {
  Job job = joined();
  for (std::uint32_t before = 0; before < job.self(); ++before) {
    if (job.member(before)->state != State::left) await(job, before, State::left);
  }
  expect(job.leave(kPatience).ok(), "leave");
  std::this_thread::sleep_for(200ms);  // it lives on, and must not be missed by anyone
  return kAsExpected;
}

// Waits for the verdict on 0 with poll only.
int by_descriptor() {
  Job job = joined();
  if (job.self() == 0) {
    std::this_thread::sleep_for(50ms);
    ::raise(SIGKILL);
  }
  pollfd waiting{job.verdict_fd(), POLLIN, 0};
  expect(::poll(&waiting, 1, 0) == 0, "nothing before anything has happened");
  expect(::poll(&waiting, 1, 20'000) == 1, "readable when a verdict waits");
  expect(job.next_verdict().has_value(), "the verdict");
  expect(::poll(&waiting, 1, 0) == 0, "not readable when none waits");
  expect(!job.next_verdict(), "one verdict");
  std::this_thread::sleep_for(200ms);
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

// Four threads ask everything there is to ask while half of the job dies.
int many_threads() {
  Job job = joined();
  if (job.self() % 2 == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * job.self()));
    ::raise(SIGKILL);
  }
  std::atomic<std::uint32_t> heard{0};
  const std::uint32_t deaths = job.processes() / 2;
  const auto ask = [&] {
    std::uint64_t version = 0;
    while (heard < deaths) {
      const View view = job.view();
      expect(view.version >= version, "versions grow");
      version = view.version;
      for (std::uint32_t i = 0; i < job.processes(); ++i) expect(job.member(i).has_value(), "all");
      pollfd waiting{job.verdict_fd(), POLLIN, 0};
      ::poll(&waiting, 1, 1);
      if (const auto verdict = job.next_verdict(1ms); verdict) ++heard;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(ask);
  for (std::thread& thread : threads) thread.join();
  expect(heard == deaths, "each verdict once");
  std::this_thread::sleep_for(300ms);
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

int join_twice() {
  Job job = joined();
  Job again;
  const Status refused = again.join(1s);
  expect(refused.code() == HOLDFAST_JOINED_BEFORE && !refused.message().empty(), "the second join");
  expect(job.member(job.self())->live(), "the first is as it was");
  // Not even after leaving.
  expect(job.leave(kPatience).ok(), "leave");
  expect(again.join(1s).code() == HOLDFAST_JOINED_BEFORE, "the third join");
  return kAsExpected;
}

// Process 0 is silent until all others believe it dead: 1 knows its pid, and lets it go on when 2
// has said that it has seen so, too. It stays until both have heard of its return. Who does not
// look meanwhile hears the end of the story and no more.
int come_back() {
  Job job = joined();
  pid_t stopped = ::getpid();
  const std::span pid = std::as_writable_bytes(std::span(&stopped, 1));
  if (job.self() == 0) {
    Request told = job.send_start(1, 0, 0, pid);
    ::raise(SIGSTOP);
    expect(told.wait(kPatience), "the life that has told it is over");
    while (job.member(0)->incarnation == 0) std::this_thread::sleep_for(5ms);
    for (const std::uint32_t other : {1u, 2u})
      expect(job.receive({other, 0, 0}, {}, kPatience).ok(), "the return was heard of");
    return job.leave(kPatience).ok() ? kAsExpected : 1;
  }
  if (job.self() == 1) expect(job.receive({0, 0, 0}, pid, kPatience).ok(), "whom to let go on");
  look_until(job, 0, State::failed);
  if (job.self() == 2) {
    expect(job.send(1, 0, 0, {}, kPatience).ok(), "2 has seen it");
  } else {
    expect(job.receive({2, 0, 0}, {}, kPatience).ok(), "2 has seen it");
    ::kill(stopped, SIGCONT);
  }
  look_until(job, 0, State::alive);
  expect(job.member(0)->incarnation > 0, "a higher incarnation");
  const auto verdict = job.next_verdict();
  expect(verdict && verdict->member == *job.member(0), "the later verdict");
  expect(!job.next_verdict(), "the earlier one is gone");
  expect(job.send(0, 0, 0, {}, kPatience).ok(), "the return was heard of");
  await(job, 0, State::left);
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

// Process 0 sleeps, for less than the timeout, while 1 leaves.
int leave_unheard() {
  Job job = joined();
  if (job.self() == 0) {
    sleep_for(300ms);
    await(job, 1, State::left);
    return job.leave(kPatience).ok() ? kAsExpected : 1;
  }
  std::this_thread::sleep_for(100ms);
  const Status status = job.leave(50ms);
  return status.code() == HOLDFAST_TIMED_OUT && !status.message().empty() ? kAsExpected : 1;
}

// Process 1 leaves in vain when its static objects are destroyed, after those of its thread.
int leave_at_the_end() {
  static Job job;
  expect(job.join(kPatience).ok(), "join");
  if (job.self() == 0) {
    sleep_for(1500ms);
    return kAsExpected;
  }
  std::this_thread::sleep_for(100ms);
  expect(!job.next_verdict(), "no verdict, and an error");
  std::exit(kAsExpected);
}

// A deadline that has just passed is no wish to wait for ever.
int look_too_late() {
  Job job = joined();
  for (const auto late : {-1ms, -2ms, std::chrono::milliseconds::min()})
    expect(!job.next_verdict(late), "nothing to hear");
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

// A signal that the program has blocked would end it by way of a thread that has not.
int block_a_signal() {
  Job job = joined();
  sigset_t usr1;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  ::kill(::getpid(), SIGUSR1);
  std::this_thread::sleep_for(50ms);
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

// What a process of a job starts is no process of the job.
int start_another() {
  Job job = joined();
  const pid_t child = ::fork();
  if (child == 0) {
    expect(job.leave().code() == HOLDFAST_INVALID, "a child has no part to leave");
    ::execl("/proc/self/exe", "library_test", "member", "stand_alone", nullptr);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == kAsExpected, "a child is refused");
  return job.leave(kPatience).ok() ? kAsExpected : 1;
}

int stand_alone() {
  Job job;
  return job.join(1s).code() == HOLDFAST_NOT_LAUNCHED ? kAsExpected : 1;
}

// Somebody does not join.
int give_up() {
  Job job;
  const Status status = job.join(100ms);
  expect(status.message().find("not all of the 3 processes") != std::string::npos, "the reason");
  return status.code() == HOLDFAST_TIMED_OUT ? 7 : 1;
}

[[noreturn]] void end_without_leaving() {
  const Job job = joined();
  ::_exit(0);
}

int hang() {
  Job job = joined();
  std::printf("%d\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  ::signal(SIGTERM, SIG_IGN);
  while (true) ::pause();
}

}  // namespace

int run_member(const char* role) {
  const auto is = [role](const char* name) { return std::strcmp(role, name) == 0; };
  if (is("one_dies")) return one_dies();
  if (is("leave_in_turn")) return leave_in_turn();
  if (is("by_descriptor")) return by_descriptor();
  if (is("many_threads")) return many_threads();
  if (is("join_twice")) return join_twice();
  if (is("come_back")) return come_back();
  if (is("leave_unheard")) return leave_unheard();
  if (is("leave_at_the_end")) return leave_at_the_end();
  if (is("look_too_late")) return look_too_late();
  if (is("block_a_signal")) return block_a_signal();
  if (is("start_another")) return start_another();
  if (is("stand_alone")) return stand_alone();
  if (is("give_up")) return give_up();
  if (is("end_without_leaving")) end_without_leaving();
  if (is("hang")) return hang();
  if (is("no_member")) return kAsExpected;
  if (int exit_status = 0; run_message_role(role, exit_status)) return exit_status;
  fail(role);
}

}  // namespace holdfast

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "member") == 0) return holdfast::run_member(words[2]);
  ::testing::InitGoogleTest(&count, words);
  return RUN_ALL_TESTS();
}
