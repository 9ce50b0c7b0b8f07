// Roles of a life that ends while what ends its requests lies unread: process 1 sees to it that
// process 0 is believed dead, and what has come by then counts before that.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hw/descriptor.hpp"
#include "tests/content.hpp"
#include "tests/unit/library/member_parts.hpp"
#include "tests/unit/library/member_program.hpp"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kContext = 2, kAbout = 3;  // beside those of meet()

// Process 0, and its descriptor out of which a byte comes when it makes no call for messages any
// more: what is sent earlier might be read by an ordinary turn.
struct Victim {
  pid_t pid = 0;
  int silence = -1;
};

Bytes content(std::uint64_t tag, std::size_t bytes) {
  Bytes message(bytes);
  tests::fill_content(tag, message);
  return message;
}

void expect_end(Request& request, holdfast_status meant, const char* what) {
  expect(request.wait(kPatience), "an end in time");
  expect(request.status().code() == meant, what);
}

// Process 0: `begin` starts requests. Returns in the next life, of which messages know nothing yet.
template <class Begin>
void live_again(Job& job, const Begin& begin) {
  std::array<int, 2> pipe{};
  expect(::pipe2(pipe.data(), O_CLOEXEC) == 0, "a pipe");
  const hw::Descriptor reads(pipe[0]), writes(pipe[1]);
  const Victim self{::getpid(), reads.get()};
  expect(job.send(1, kAbout, 0, std::as_bytes(std::span(&self, 1)), kPatience).ok(), "who it is");
  begin();
  expect(::write(writes.get(), "", 1) == 1, "the last call");
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (job.member(0)->incarnation == 0) {
    expect(std::chrono::steady_clock::now() < end, "another life in time");
    std::this_thread::sleep_for(5ms);
  }
}

// Process 1: returns when process 0 makes no call for messages any more.
pid_t await_silence(Job& job) {
  Victim victim;
  const std::span about = std::as_writable_bytes(std::span(&victim, 1));
  expect(job.receive({0, kAbout, 0}, about, kPatience).ok(), "whose life is to end");
  const std::string path =
      "/proc/" + std::to_string(victim.pid) + "/fd/" + std::to_string(victim.silence);
  const hw::Descriptor silent(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  expect(silent.is_open(), path.c_str());
  char byte = 0;
  expect(::read(silent.get(), &byte, 1) == 1, "its last call");
  return victim.pid;
}

void tell_others(Job& job) {
  for (std::uint32_t i = 2; i < job.processes(); ++i)
    expect(job.send(i, kAbout, 0, {}, kPatience).ok(), "a word to the others");
}

void hear_others(Job& job) {
  for (std::uint32_t i = 2; i < job.processes(); ++i)
    expect(job.receive({i, kAbout, 0}, {}, kPatience).ok(), "a word of the others");
}

// All but process 0: `act` gives it what it is to read too late, and returns what has begun to be
// sent to it. Process 1 tells the others when to, and waits for all of them before it stops process
// 0 and before it lets it go on. Returns when process 0 lives again.
template <class Act>
void end_life(Job& job, const Act& act) {
  const bool leads = job.self() == 1;
  const pid_t victim = leads ? await_silence(job) : 0;
  if (leads) tell_others(job);
  if (!leads) expect(job.receive({1, kAbout, 0}, {}, kPatience).ok(), "process 0 is silent");
  std::vector<Request> sends = act();
  if (leads) hear_others(job);
  if (!leads) expect(job.send(1, kAbout, 0, {}, kPatience).ok(), "what it is to read is there");
  if (leads) expect(::kill(victim, SIGSTOP) == 0, "process 0 stops");
  look_until(job, 0, State::failed);
  for (Request& send : sends) expect_end(send, HOLDFAST_PEER_FAILED, "a send to the dead");
  if (leads) hear_others(job);
  if (!leads) expect(job.send(1, kAbout, 0, {}, kPatience).ok(), "process 0 is believed dead");
  if (leads) expect(::kill(victim, SIGCONT) == 0, "process 0 goes on");
  look_until(job, 0, State::alive);
}

// What has not ended when the life has.
void expect_failed(Request& request) {
  expect_end(request, HOLDFAST_PEER_FAILED, "a receive that nothing has met");
  expect(request.status().message().find("believed this process dead") != std::string::npos,
         request.status().message().c_str());
}

// The next life has messages, too.
int meet_and_leave(Job& job) {
  if (job.self() != 0) expect(job.send(0, kAbout, 1, {}, kPatience).ok(), "to the next life");
  for (std::uint32_t i = 1; job.self() == 0 && i < job.processes(); ++i)
    expect(job.receive({i, kAbout, 1}, {}, kPatience).ok(), "in the next life");
  expect(job.leave(kPatience).ok(), "leave");
  return kAsExpected;
}

// As many as there may be have a place, and no more.
void expect_all_places(Job& job) {
  std::vector<Request> requests;
  for (int i = 0; i < 4096; ++i) {
    requests.push_back(job.receive_start({0, kContext, 0}, {}));
    expect(!requests.back().over(), requests.back().status().message().c_str());
  }
  const Request another = job.receive_start({0, kContext, 0}, {});
  expect(another.over() && another.status().code() == HOLDFAST_BUSY, "there are no more");
}

}  // namespace

// Of each kind one: a receive, one with too little room, one that meets nothing, and a send, which
// was received.
int end_in_last_turn() {
  Job job = joined();
  meet(job, 0);
  const Bytes shorter = content(1, 900), longer = content(2, 300), theirs = content(3, 700);
  if (job.self() == 1) {
    Bytes memory(theirs.size());
    end_life(job, [&] {
      expect(job.receive({0, kContext, 3}, memory, kPatience).ok(), "what 0 has sent");
      std::vector<Request> sends;
      sends.push_back(job.send_start(0, kContext, 1, shorter));
      sends.push_back(job.send_start(0, kContext, 2, longer));
      return sends;
    });
    expect(memory == theirs, "its bytes");
    return meet_and_leave(job);
  }
  Bytes memory(1000), room(100), nothing(1);
  Request fits, is_cut, waits, sends;
  live_again(job, [&] {
    fits = job.receive_start({1, kContext, 1}, memory);
    is_cut = job.receive_start({1, kContext, 2}, room);
    waits = job.receive_start({1, kContext, 4}, nothing);
    sends = job.send_start(1, kContext, 3, theirs);
    for (const Request* request : {&fits, &is_cut, &waits, &sends})
      expect(!request->over(), request->status().message().c_str());
  });
  expect_end(fits, HOLDFAST_OK, "a receive whose message had come");
  expect(fits.message() == Message{1, kContext, 1, shorter.size()}, "who sent what");
  expect(std::equal(shorter.begin(), shorter.end(), memory.begin()), "its bytes");
  expect_end(is_cut, HOLDFAST_TRUNCATED, "one with too little room");
  expect(is_cut.message() == Message{1, kContext, 2, longer.size()}, "what had no room");
  expect(std::equal(room.begin(), room.end(), longer.begin()), "its first bytes");
  expect_end(sends, HOLDFAST_OK, "a send that was received");
  expect(sends.message() == Message{1, kContext, 3, theirs.size()}, "what was received");
  expect_failed(waits);
  return meet_and_leave(job);
}

// More at once than are asked for at once, and none of them keeps its place. So many come from two
// processes, as what one may have under way is fewer in shared memory.
int end_many_in_last_turn() {
  Job job = joined();
  meet(job, 0);
  constexpr std::size_t kOfEach = 40;
  if (job.self() != 0) {
    end_life(job, [&] {
      std::vector<Request> sends;
      while (sends.size() < kOfEach) sends.push_back(job.send_start(0, kContext, 1, {}));
      return sends;
    });
    return meet_and_leave(job);
  }
  std::vector<Request> receives;
  Request waits;
  live_again(job, [&] {
    for (std::uint32_t i = 1; i < job.processes(); ++i)
      for (std::size_t k = 0; k < kOfEach; ++k)
        receives.push_back(job.receive_start({i, kContext, 1}, {}));
    waits = job.receive_start({1, kContext, 2}, {});
  });
  for (Request& receive : receives) expect_end(receive, HOLDFAST_OK, "one of many receives");
  expect_failed(waits);
  expect_all_places(job);
  return meet_and_leave(job);
}

// Its rails cannot be opened when it begins: each call says so, and the first that can begins it.
int begin_without_descriptors() {
  Job job = joined();
  meet(job, 0);
  if (job.self() == 1) {
    end_life(job, [] { return std::vector<Request>(); });
    return meet_and_leave(job);
  }
  Request waits;
  live_again(job, [&] { waits = job.receive_start({1, kContext, 1}, {}); });
  rlimit limit{};
  expect(::getrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit of descriptors");
  const rlimit none{3, limit.rlim_max};
  expect(::setrlimit(RLIMIT_NOFILE, &none) == 0, "no more descriptors");
  expect_failed(waits);
  for (int i = 0; i < 2; ++i) {
    const Request refused = job.receive_start({1, kContext, 1}, {});
    expect(refused.status().code() == HOLDFAST_SYSTEM, refused.status().message().c_str());
  }
  expect(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "descriptors again");
  return meet_and_leave(job);
}

}  // namespace holdfast
