// Roles of messages: what is received is compared with what its sender must have sent, which both
// compute from who sends what to whom.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hw/status/ask_processes.hpp"
#include "hw/status/status_places.hpp"
#include "stack/base/random.hpp"
#include "tests/content.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/library/member_parts.hpp"
#include "tests/unit/library/member_program.hpp"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kContext = 0xc0ffee00;

// A message of `bytes`, of which each is a function of all that is said here and of its place.
Bytes content(std::uint32_t from, std::uint32_t to, std::uint64_t tag, std::size_t bytes) {
  const std::uint64_t ends = std::uint64_t{from} << 32 | to;
  Bytes message(bytes);
  tests::fill_content(mix64(mix64(mix64(ends) + tag) + bytes), message);
  return message;
}

// Around every size at which something else begins: a cache line, a frame of each fabric, what goes
// at once (32,768), what one request covers; and some drawn by their logarithm.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all{0,      1,      7,      64,      1'423,   1'424,   1'425,
                               16'336, 16'337, 1'984,  1'985,   16'384,  16'385,  32'767,
                               32'768, 32'769, 91'137, 131'072, 500'000, 1 << 20, (1 << 20) + 1};
  std::uint64_t state = 6;
  for (int i = 0; i < 60; ++i) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    const unsigned bits = static_cast<unsigned>(state >> 40) % 19;
    all.push_back(static_cast<std::size_t>(state >> 33) & ((std::size_t{1} << bits) - 1));
  }
  return all;
}

// Of a request that has to have ended well with that message.
void expect_message(const Request& request, const Bytes& memory, const Message& meant) {
  expect(request.ok(), request.status().message().c_str());
  expect(request.message() == meant, "who sent what");
  const Bytes expected = content(meant.process, kContext & 0xff, meant.tag, meant.bytes);
  expect(memory.size() >= expected.size() &&
             tests::same_bytes(expected, std::span(memory).first(expected.size())),
         "the bytes of a message");
}

// What `from` sends with that tag, whoever it is for.
Bytes of(std::uint32_t from, std::uint64_t tag, std::size_t bytes) {
  return content(from, kContext & 0xff, tag, bytes);
}

void leave(Job& job) {
  expect(job.leave(kPatience).ok(), "leave");
}

// Each to the next: one message of each size at a time, then all of them at once.
int ring() {
  Job job = joined();
  const std::uint32_t self = job.self(), all = job.processes();
  const std::uint32_t next = (self + 1) % all, before = (self + all - 1) % all;
  const std::vector<std::size_t> lengths = sizes();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Bytes memory(lengths[i] + 1);
    Request receives = job.receive_start({before, kContext, i}, memory);
    const Bytes message = of(self, i, lengths[i]);
    const Request sent = job.send(next, kContext, i, message, kPatience);
    expect(sent.ok() && sent.message() == Message{next, kContext, i, lengths[i]}, "a send");
    expect(receives.wait(kPatience), "a message in time");
    expect_message(receives, memory, {before, kContext, i, lengths[i]});
  }
  std::vector<Bytes> messages, memories;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    messages.push_back(of(self, i, lengths[i]));
    memories.emplace_back(lengths[i]);
  }
  for (std::size_t i = 0; i < lengths.size(); ++i)
    requests.push_back(job.receive_start({before, kContext, i}, memories[i]));
  // The last first: tags decide what meets.
  for (std::size_t i = lengths.size(); i-- > 0;)
    requests.push_back(job.send_start(next, kContext, i, messages[i]));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    expect(requests[i].wait(kPatience), "all of them in time");
    if (i < lengths.size())
      expect_message(requests[i], memories[i], {before, kContext, i, lengths[i]});
    expect(requests[i].ok(), "a send among many");
  }
  leave(job);
  return kAsExpected;
}

// Everybody to everybody and to himself, received from whoever it is from.
int all_to_all() {
  Job job = joined();
  const std::uint32_t self = job.self(), all = job.processes();
  const std::vector<std::size_t> lengths = sizes();
  const auto length = [&](std::uint32_t from, std::uint32_t to, std::uint64_t round) {
    return lengths[(from * 5 + to * 11 + round * 7) % lengths.size()];
  };
  for (std::uint64_t round = 0; round < 12; ++round) {
    std::vector<Bytes> memories(all, Bytes((1 << 20) + 1)), messages;
    std::vector<Request> receives, sends;
    // The upper half of a tag is the receiver, the lower one the round; the mask leaves the former.
    for (std::uint32_t i = 0; i < all; ++i) {
      const Pattern pattern{HOLDFAST_ANY_SOURCE, kContext, round, 0xffff'ffff};
      receives.push_back(job.receive_start(pattern, memories[i]));
      messages.push_back(of(self, std::uint64_t{i} << 32 | round, length(self, i, round)));
    }
    for (std::uint32_t i = 0; i < all; ++i)
      sends.push_back(job.send_start(i, kContext, std::uint64_t{i} << 32 | round, messages[i]));
    std::uint32_t seen = 0;
    for (std::uint32_t i = 0; i < all; ++i) {
      expect(receives[i].wait(kPatience), "a message of somebody");
      const Message got = receives[i].message();
      const std::uint64_t tag = std::uint64_t{self} << 32 | round;
      expect_message(receives[i], memories[i],
                     {got.process, kContext, tag, length(got.process, self, round)});
      seen |= 1u << got.process;
    }
    expect(seen == (1u << all) - 1, "one of each");
    for (Request& send : sends) expect(send.wait(kPatience) && send.ok(), "a send to each");
    meet(job, round);  // the next round has other senders' messages of the same kind
  }
  leave(job);
  return kAsExpected;
}

// Everybody to everybody while process 0 does what the environment says: after each command that it
// has there, one a line, and while messages are under way, all of them have to arrive. Long ones,
// so that each is of many frames.
int through_faults() {
  Job job = joined();
  const std::uint32_t self = job.self(), all = job.processes();
  const char* const script = std::getenv("HOLDFAST_TEST_FAULTS");
  expect(script != nullptr, "commands");
  std::istringstream commands(script);
  std::string command;
  for (std::uint64_t round = 0; std::getline(commands, command); ++round) {
    constexpr std::size_t kLong = 400'001;
    std::vector<Bytes> memories(all, Bytes(kLong)), messages;
    std::vector<Request> receives, sends;
    for (std::uint32_t i = 0; i < all; ++i) {
      receives.push_back(job.receive_start({i, kContext, round}, memories[i]));
      messages.push_back(content(self, i, round, kLong));
      sends.push_back(job.send_start(i, kContext, round, messages[i]));
    }
    const std::uint32_t next = (self + 1) % all;
    expect(receives[next].wait(kPatience), "a message before the fault");
    if (self == 0) expect(std::system(command.c_str()) == 0, command.c_str());
    for (std::uint32_t i = 0; i < all; ++i) {
      expect(receives[i].wait(kPatience) && receives[i].ok(), "a message of each");
      expect(memories[i] == content(i, self, round, kLong), "the bytes of a message");
      expect(sends[i].wait(kPatience) && sends[i].ok(), "a send to each");
    }
    meet(job, round);
  }
  leave(job);
  return kAsExpected;
}

// Order, truncation, probing, cancelling, looking; 0 receives what 1 sends.
int matching() {
  Job job = joined();
  const std::array<std::size_t, 4> lengths{10, 50'000, 0, 300};
  if (job.self() == 1) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Bytes message = of(1, 5, lengths[i]);
      expect(job.send(0, kContext, 5, message, kPatience).ok(), "a send");
    }
    meet(job, 0);
    leave(job);
    return kAsExpected;
  }
  Bytes memory(50'000);
  Message waiting;
  const Pattern pattern{1, kContext, 5};
  expect(job.probe({1, kContext + 1, 5}, waiting).code() == HOLDFAST_TIMED_OUT, "other context");
  expect(job.probe({1, kContext, 4}, waiting, 1ms).code() == HOLDFAST_TIMED_OUT, "other tag");
  for (const std::size_t length : lengths) {
    const Message meant{1, kContext, 5, length};
    expect(job.probe(pattern, waiting, kPatience).ok() && waiting == meant, "what waits");
    if (length == 300) {  // for which there is too little room
      memory[100] = std::byte{77};
      Request part = job.receive(pattern, std::span(memory).first(100), kPatience);
      expect(part.over() && part.status().code() == HOLDFAST_TRUNCATED, "too long");
      expect(part.message() == meant && memory[100] == std::byte{77}, "no byte beyond the memory");
      const Bytes whole = of(1, 5, 300);
      expect(std::equal(whole.begin(), whole.begin() + 100, memory.begin()), "its first bytes");
      continue;
    }
    expect_message(job.receive(pattern, memory, kPatience), memory, meant);
  }
  Request never = job.receive_start({1, kContext, 6}, memory);
  expect(!never.test() && !never.wait(20ms) && !never.over(), "nothing has come");
  never.cancel();
  expect(never.wait(kPatience) && never.status().code() == HOLDFAST_CANCELLED, "taken back");
  expect(never.test() && never.status().code() == HOLDFAST_CANCELLED, "it stays so");
  {
    const Request dropped = job.receive_start({1, kContext, 6}, memory);
    expect(!dropped.over(), "nothing has come for this one either");
  }
  meet(job, 0);
  leave(job);
  return kAsExpected;
}

// The C functions: time limits, after which the request goes on, and wrong arguments.
int limits() {
  holdfast_job* job = nullptr;
  expect(::holdfast_join(20'000, &job) == HOLDFAST_OK, "join");
  const std::uint32_t other = 1 - ::holdfast_self(job);
  const holdfast_pattern pattern{other, kContext, 0, 0};
  constexpr std::size_t kBytes = 2 << 20;  // not without a receive, over any network
  const Bytes message = of(::holdfast_self(job), 9, kBytes);
  Bytes memory(kBytes);
  holdfast_request sends{}, receives{};
  holdfast_message got{};
  expect(::holdfast_send(job, other, kContext, 9, message.data(), message.size(), 20, &sends) ==
             HOLDFAST_TIMED_OUT,
         "nobody receives yet");
  expect(sends.number != 0 && ::holdfast_test(job, &sends, nullptr) == HOLDFAST_TIMED_OUT,
         "it goes on");
  expect(::holdfast_cancel(job, sends) == HOLDFAST_OK, "a send is not taken back");
  const std::byte word{1};
  std::byte heard{};
  const holdfast_pattern words{other, 2, 0, 0};
  expect(::holdfast_send(job, other, 2, 0, &word, 1, -1, nullptr) == HOLDFAST_OK, "a word");
  expect(::holdfast_receive(job, &words, &heard, 1, -1, nullptr, nullptr) == HOLDFAST_OK, "heard");
  const holdfast_pattern nothing{other, 3, 0, 0};
  expect(::holdfast_receive(job, &nothing, &heard, 1, 10, &got, &receives) == HOLDFAST_TIMED_OUT,
         "nothing comes");
  expect(receives.number != 0, "it goes on, too");
  expect(::holdfast_cancel(job, receives) == HOLDFAST_OK, "cancel");
  const holdfast_request taken_back = receives;
  expect(::holdfast_wait(job, &receives, -1, &got) == HOLDFAST_CANCELLED, "cancelled");
  expect(receives.number == 0 && got.bytes == 0, "over, and nothing has come");
  expect(::holdfast_receive_start(job, &nothing, &heard, 1, &receives) == HOLDFAST_OK, "another");
  expect(::holdfast_cancel(job, taken_back) == HOLDFAST_INVALID, "a number is used once");
  expect(::holdfast_test(job, &receives, nullptr) == HOLDFAST_TIMED_OUT, "the other goes on");
  expect(::holdfast_cancel(job, receives) == HOLDFAST_OK, "cancel the other");
  expect(::holdfast_wait(job, &receives, -1, &got) == HOLDFAST_CANCELLED, "cancelled, too");

  expect(::holdfast_receive(job, &pattern, memory.data(), memory.size(), 20'000, &got, &receives) ==
             HOLDFAST_OK,
         "now somebody does");
  expect(got.process == other && got.tag == 9 && memory == of(other, 9, kBytes), "as it was sent");
  expect(receives.number == 0, "it is over");
  expect(::holdfast_wait(job, &sends, 20'000, &got) == HOLDFAST_OK && sends.number == 0, "sent");
  expect(got.process == other && got.bytes == kBytes, "what was sent");

  const auto invalid = [](holdfast_status status, const char* what) {
    expect(status == HOLDFAST_INVALID && std::strstr(::holdfast_error(), what) != nullptr, what);
  };
  invalid(::holdfast_wait(job, &sends, 0, nullptr), "no such request");
  invalid(::holdfast_wait(job, &sends, -2, nullptr), "less than -1");
  invalid(::holdfast_wait(nullptr, &sends, 0, nullptr), "job is NULL");
  invalid(::holdfast_test(job, nullptr, nullptr), "request is NULL");
  invalid(::holdfast_send_start(job, 2, 0, 0, nullptr, 0, &sends), "no such process");
  invalid(::holdfast_send_start(job, 0, 0, 0, nullptr, 1, &sends), "there is no memory");
  invalid(::holdfast_send(job, 0, 0, 0, nullptr, 0, 5, nullptr), "request is NULL");
  invalid(::holdfast_receive_start(job, nullptr, nullptr, 0, &sends), "pattern is NULL");
  sends.number = 99;
  invalid(::holdfast_send(job, 0, 0, 0, nullptr, 0, -2, &sends), "less than -1");
  expect(sends.number == 0, "nothing goes on");
  const holdfast_pattern nobody{2, 0, 0, 0};
  invalid(::holdfast_receive_start(job, &nobody, nullptr, 0, &sends), "no such source");
  invalid(::holdfast_probe(job, &nobody, 0, nullptr), "no such source");
  expect(::holdfast_leave(job, std::chrono::milliseconds(kPatience).count()) == HOLDFAST_OK,
         "leave");
  return kAsExpected;
}

// What goes on when the job is left is over then, and touches the job no more.
int outliving_requests() {
  Job job = joined();
  Bytes memory(8);
  Request asked = job.receive_start({job.self(), kContext, 1}, memory);
  Request moved = job.receive_start({job.self(), kContext, 2}, memory);
  const Request ended = job.send(job.self(), kContext, 3, {}, kPatience);
  expect(!asked.wait(0ms) && !moved.over() && ended.ok(), "two go on");
  Job elsewhere = std::move(job);
  leave(elsewhere);
  const Request there = std::move(moved);
  for (const Request* request : {&std::as_const(asked), &there}) {
    expect(request->over() && !request->ok(), "over");
    expect(request->status().code() == HOLDFAST_CANCELLED, request->status().message().c_str());
    expect(request->status().message().find("left") != std::string::npos, "why");
  }
  asked.cancel();
  expect(asked.wait(), "nothing is waited for");
  expect(ended.ok(), "what was over stays as it was");
  return kAsExpected;
}

// As many requests as there may be, and messages that wait, and no more.
int many_requests() {
  Job job = joined();
  const auto busy = [](const Request& request, const char* mended_by) {
    const std::string& said = request.status().message();
    expect(request.status().code() == HOLDFAST_BUSY, said.c_str());
    expect(said.find(mended_by) != std::string::npos, said.c_str());
  };
  std::vector<Request> requests;
  while (true) {
    Request next = job.receive_start({job.self(), kContext, requests.size()}, {});
    if (next.over()) {
      busy(next, "wait for one");
      break;
    }
    requests.push_back(std::move(next));
  }
  expect(requests.size() == 4096, "4096 requests");
  requests.clear();
  expect(job.send(job.self(), kContext, 1, {}, kPatience).ok(), "there is room again");
  for (int i = 1; i < 4096; ++i)
    expect(job.send(job.self(), kContext, 1, {}, kPatience).ok(), "a message that waits");
  busy(job.send_start(job.self(), kContext, 1, {}), "receive some");
  expect(job.receive({job.self(), kContext, 1}, {}, kPatience).ok(), "one of them");
  expect(job.send(job.self(), kContext, 1, {}, kPatience).ok(), "there is a place again");
  leave(job);
  return kAsExpected;
}

// Process 1 is killed while others wait for it, send to it and hear from it.
int dead_peer() {
  Job job = joined();
  const std::uint32_t self = job.self();
  constexpr std::size_t kBytes = 20'000;
  if (self == 1) {
    std::byte go{};
    for (const std::uint32_t other : {0u, 2u, 3u})
      expect(job.receive({other, 1, 0}, {&go, 1}, kPatience).ok(), "all are in the middle of it");
    for (std::uint64_t i = 0; i < 10; ++i)  // each is in the library of process 0 before the next
      expect(job.send(0, kContext, i, of(1, i, kBytes), kPatience).ok(), "a stream");
    ::raise(SIGKILL);
  }
  const auto failed = [](Request& request, const char* what) {
    expect(request.wait(kPatience) && request.status().code() == HOLDFAST_PEER_FAILED, what);
    expect(request.status().message().find("process 1") != std::string::npos, "who has failed");
  };
  Bytes message = of(self, 0, 2 << 20), memory(kBytes), whoever(1);
  Request waits = job.receive_start({1, 7, 0}, memory);
  Request sends = job.send_start(1, kContext, 0, message);  // process 1 never receives it
  Request any = job.receive_start({HOLDFAST_ANY_SOURCE, 8, 0}, whoever);
  const std::byte go{};
  expect(job.send(1, 1, 0, {&go, 1}, kPatience).ok(), "a word to begin");
  if (self == 0) {  // what had arrived is received, in order
    for (std::uint64_t i = 0; i < 10; ++i) {
      const Request got = job.receive({1, kContext, i}, memory, kPatience);
      expect_message(got, memory, {1, kContext, i, kBytes});
    }
  }
  failed(waits, "a receive");
  failed(sends, "a send");
  expect(!any.over(), "a receive from anybody goes on");
  Message found;
  expect(job.probe({1, 7, 0}, found, kPatience).code() == HOLDFAST_PEER_FAILED, "a probe");
  Request late = job.send_start(1, kContext, 0, {});
  failed(late, "a send that begins late");
  Request later = job.receive_start({1, 7, 0}, memory);
  failed(later, "a receive that begins late");
  // The others go on.
  const std::uint32_t next = self == 0 ? 2 : (self + 1) % 4;
  expect(job.send(next, 8, 0, {&go, 1}, kPatience).ok(), "a send among survivors");
  expect(any.wait(kPatience) && any.ok(), "a receive from anybody");
  expect(any.message().process == (self == 0 ? 3u : self == 2 ? 0u : 2u), "who it is from");
  leave(job);
  return kAsExpected;
}

// Process 1 kills itself while the bytes of a long message come in, which all others send it.
int dying_receiver() {
  Job job = joined();
  const std::uint32_t self = job.self(), all = job.processes();
  constexpr std::size_t kBytes = 16 << 20;
  meet(job, 0);
  if (self == 1) {
    std::vector<Bytes> memories(all, Bytes(kBytes));
    std::vector<Request> receives;
    for (std::uint32_t i = 0; i < all; ++i)
      receives.push_back(job.receive_start({i, kContext, 0}, memories[i]));
    // No first byte is zero, see below. A turn takes no more than what one acknowledges, 1 MiB.
    const auto begun = [](const Bytes& memory) { return memory[0] != std::byte{}; };
    while (std::none_of(memories.begin(), memories.end(), begun))
      for (Request& receive : receives) expect(!receive.test(), "no message is over");
    for (const Request& receive : receives) expect(!receive.over(), "in the middle of it");
    ::raise(SIGKILL);
  }
  Bytes message = of(self, 0, kBytes), memory(1000);
  message[0] = std::byte{1};
  Request waits = job.receive_start({1, kContext, 0}, memory);
  Request sends = job.send_start(1, kContext, 0, message);
  for (Request* request : {&sends, &waits}) {
    expect(request->wait(kPatience), "an end in time");
    expect(request->status().code() == HOLDFAST_PEER_FAILED &&
               request->status().message().find("process 1") != std::string::npos,
           request->status().message().c_str());
  }
  // The others go on with each other.
  for (std::uint32_t i = 0; i < all; ++i) {
    if (i == 1) continue;
    const Bytes word = of(self, 2, 500);
    expect(job.send(i, kContext, 2, word, kPatience).ok(), "a send among survivors");
  }
  for (std::uint32_t i = 0; i < all; ++i) {
    if (i == 1) continue;
    expect_message(job.receive({i, kContext, 2}, memory, kPatience), memory, {i, kContext, 2, 500});
  }
  leave(job);
  return kAsExpected;
}

// Who has received a message computes, and calls no function of messages any more: its sender, the
// process before it, hears all the same that it has arrived. Of messages that go at once and of
// long ones, waited for and looked for.
int compute() {
  Job job = joined();
  const std::uint32_t self = job.self();
  const std::size_t bytes = self < 2 ? 8 : 2 << 20;
  if (self % 2 == 0) {
    const Request sent = job.send(self + 1, kContext, 0, of(self, 0, bytes), kPatience);
    expect(sent.ok(), "it was received by somebody who computes");
    leave(job);
    return kAsExpected;
  }
  Bytes memory(bytes);
  Request receives = job.receive_start({self - 1, kContext, 0}, memory);
  if (self < 4) expect(receives.wait(kPatience), "a message in time");
  while (!receives.test()) std::this_thread::yield();
  expect_message(receives, memory, {self - 1, kContext, 0, bytes});
  look_until(job, self - 1, State::left);
  leave(job);
  return kAsExpected;
}

// Datagrams that this process has sent for messages, as it shows them; 0: none that shows.
std::uint64_t datagrams_sent(std::string& kind) {
  for (const hw::Answer& answer :
       hw::ask_processes(hw::status_places(hw::status_folder()), seconds(10))) {
    const bool is_ours = answer.kind == hw::Answer::Kind::shown && answer.status.pid == ::getpid();
    if (!is_ours || answer.status.message_rails.empty()) continue;
    const hw::RailStatus& rail = answer.status.message_rails.front().rail;
    kind = rail.kind;
    return rail.frames_sent;
  }
  return 0;
}

// Who has answered at once for long takes the acknowledgements along with its answers. When it
// computes instead, its sender hears all the same that the message has arrived.
int answer() {
  Job job = joined();
  const std::uint32_t self = job.self(), other = 1 - self;
  constexpr std::uint64_t kRounds = 2000;
  Bytes memory(8);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const Bytes message = of(self, round, memory.size());
    if (self == 0) expect(job.send(other, kContext, round, message, kPatience).ok(), "a question");
    const Request received = job.receive({other, kContext, round}, memory, kPatience);
    expect_message(received, memory, {other, kContext, round, memory.size()});
    if (self == 1) expect(job.send(other, kContext, round, message, kPatience).ok(), "an answer");
  }
  std::string kind;
  const std::uint64_t datagrams = datagrams_sent(kind);
  expect(datagrams >= kRounds, "one for each message");
  // Sanitizers make answers late. Some are without them, and then others are not waited for.
  const bool is_kept = (kind == "udp" || kind == "tcp") && !tests::kSanitized;
  if (is_kept) expect(datagrams < 2 * kRounds - kRounds / 10, "fewer than two for each message");
  if (self == 0) {
    const Request sent = job.send(other, kContext, kRounds, of(self, kRounds, 8), kPatience);
    expect(sent.ok(), "it was received by somebody who computes");
  } else {
    expect(job.receive({other, kContext, kRounds}, memory, kPatience).ok(), "the last question");
    look_until(job, other, State::left);
  }
  leave(job);
  return kAsExpected;
}

// Who leaves has acknowledged what it received and is gone for what comes later. That it has left
// may be known before its last messages and acknowledgements are there, which are waited for.
int left_peer() {
  Job job = joined();
  Bytes memory(100'000);
  if (job.self() == 1) {
    expect(job.receive({0, kContext, 1}, memory, kPatience).ok(), "the last message");
    std::this_thread::sleep_for(300ms);  // the other one's send is over before this is
    leave(job);
    return kAsExpected;
  }
  Request waits = job.receive_start({1, kContext, 2}, memory);
  expect(job.send(1, kContext, 1, of(0, 1, 90'000), kPatience).ok(), "it was received");
  look_until(job, 1, State::left);
  const auto known = std::chrono::steady_clock::now();
  Message none;
  expect(job.probe({1, kContext, 3}, none, kPatience).code() == HOLDFAST_PEER_FAILED, "no message");
  expect(std::chrono::steady_clock::now() - known > 200ms, "what is late would have been heard");
  expect(waits.wait(kPatience) && waits.status().code() == HOLDFAST_PEER_FAILED, "nobody is there");
  expect(job.send(1, kContext, 1, memory, kPatience).status().code() == HOLDFAST_PEER_FAILED,
         "it is over at once");
  leave(job);
  return kAsExpected;
}

// Process 1 has sent something, and has left before process 0 calls for messages the first time.
int early_leaver() {
  Job job = joined();
  const Bytes sent = content(1, 0, 1, 5'000);
  if (job.self() == 1) {
    const Request request = job.send_start(0, kContext, 1, sent);
    leave(job);
    return kAsExpected;
  }
  look_until(job, 1, State::left);
  Bytes memory(sent.size());
  const Request received = job.receive({1, kContext, 1}, memory, kPatience);
  expect_message(received, memory, {1, kContext, 1, sent.size()});
  expect(memory == sent, "its bytes");
  leave(job);
  return kAsExpected;
}

// What goes on is the parent's, and a child neither waits for it nor takes it back.
int forked_child() {
  Job job = joined();
  const std::uint32_t self = job.self();
  const Bytes sent = content(self, self, 1, 2'000'000);  // too long to be kept
  Request goes_on = job.send_start(self, kContext, 1, sent);
  expect(!goes_on.over(), "it waits to be received");
  const pid_t child = ::fork();
  if (child == 0) {
    Bytes memory(sent.size());
    const Request refused = job.receive({self, kContext, 1}, memory, kPatience);
    expect(refused.status().code() == HOLDFAST_INVALID, "a child has no messages");
    expect(!job.next_verdict(1ms) && std::strstr(::holdfast_error(), "child") != nullptr,
           "nor news");
    { const Request ends = std::move(goes_on); }
    ::_exit(kAsExpected);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == kAsExpected, "a child is refused");
  Bytes memory(sent.size());
  expect(job.receive({self, kContext, 1}, memory, kPatience).ok() && memory == sent, "its message");
  expect(goes_on.wait(kPatience) && goes_on.ok(), "the send has gone on");
  leave(job);
  return kAsExpected;
}

// Process 1 receives a message and leaves at once; the message has arrived, whatever is lost then.
int last_word() {
  Job job = joined();
  Bytes memory(1000);
  if (job.self() == 0) {
    const Request sent = job.send(1, kContext, 0, memory, kPatience);
    expect(sent.ok(), sent.status().message().c_str());
  } else {
    expect(job.receive({0, kContext, 0}, memory, kPatience).ok(), "the last message");
  }
  leave(job);
  return kAsExpected;
}

// Process 0 leaves in the middle of sending gigabytes, more than go while it tells the others and
// answers them: its time is not there for what it has not waited for.
int leave_sending() {
  holdfast_job* job = nullptr;
  expect(::holdfast_join(20'000, &job) == HOLDFAST_OK, "join");
  constexpr std::uint32_t kMessages = 400;
  const bool sends = ::holdfast_self(job) == 0;
  const holdfast_pattern pattern{1 - ::holdfast_self(job), kContext, 0, 0};
  Bytes memory(16 << 20);  // of all of them: nobody looks at it
  std::vector<holdfast_request> requests(kMessages);
  // Nobody leaves before all receives are there.
  const holdfast_pattern ready{1, kContext, 1, 0};
  if (sends) {
    expect(::holdfast_receive(job, &ready, nullptr, 0, -1, nullptr, nullptr) == HOLDFAST_OK,
           "the other one is ready");
  }
  for (holdfast_request& request : requests) {
    expect(
        (sends ? ::holdfast_send_start(job, 1, kContext, 0, memory.data(), memory.size(), &request)
               : ::holdfast_receive_start(job, &pattern, memory.data(), memory.size(), &request)) ==
            HOLDFAST_OK,
        "one of many");
  }
  if (!sends) {
    expect(::holdfast_send(job, 0, kContext, 1, nullptr, 0, -1, nullptr) == HOLDFAST_OK, "ready");
  }
  expect(::holdfast_wait(job, &requests[0], 20'000, nullptr) == HOLDFAST_OK, "the first one");
  if (!sends) {
    holdfast_status last = HOLDFAST_OK;
    for (std::uint32_t i = 1; i < kMessages && last == HOLDFAST_OK; ++i)
      last = ::holdfast_wait(job, &requests[i], 20'000, nullptr);
    expect(last == HOLDFAST_PEER_FAILED, "who was receiving hears that the other one has left");
  }
  expect(::holdfast_leave(job, 5000) == HOLDFAST_OK, "everybody was told in time");
  return kAsExpected;
}

// Process 0 is stopped until it is believed dead. Requests with it end on both sides; its next life
// sends and receives.
int come_back() {
  Job job = joined();
  const std::uint32_t self = job.self();
  Bytes memory(1000);
  meet(job, 0);
  Request waits = job.receive_start({self == 0 ? 1u : 0u, 7, 0}, memory);
  if (self == 0) {
    sleep_for(1500ms);
    expect(waits.wait(kPatience) && waits.status().code() == HOLDFAST_PEER_FAILED, "ours");
    expect(job.member(0)->incarnation > 0, "another life");
  } else {
    expect(waits.wait(kPatience) && waits.status().code() == HOLDFAST_PEER_FAILED, "theirs");
    look_until(job, 0, State::alive);
  }
  if (self == 0) {
    // The others are ready for it when they have heard of its new life, which they say first.
    for (std::uint32_t other = 1; other < job.processes(); ++other)
      expect(job.receive({other, kContext, 0}, memory, kPatience).ok(),
             "a message to the new life");
    for (std::uint32_t other = 1; other < job.processes(); ++other)
      expect(job.send(other, kContext, 1, of(0, 1, 900), kPatience).ok(), "a message of it");
  } else {
    expect(job.send(0, kContext, 0, {}, kPatience).ok(), "a message to the new life");
    expect_message(job.receive({0, kContext, 1}, memory, kPatience), memory, {0, kContext, 1, 900});
  }
  leave(job);
  return kAsExpected;
}

// Process 1 calls no function of messages for longer than it is waited for; it lives. All that has
// to be answered in time is its own word, by process 0, which does nothing but wait for it. What it
// waits for afterwards will not come, which it hears when both look.
int unreachable() {
  ::setenv("HOLDFAST_UNREACHABLE", "1s", 1);
  Job job = joined();
  if (job.self() == 1) {
    expect(job.send(0, kContext, 0, {}, kPatience).ok(), "a word while it calls");
    std::this_thread::sleep_for(3s);
    Bytes memory(1000);
    const Request nothing = job.receive({0, kContext, 1}, memory, kPatience);
    expect(nothing.over() && nothing.status().code() == HOLDFAST_UNREACHABLE,
           nothing.status().message().c_str());
    leave(job);
    return kAsExpected;
  }
  expect(job.receive({1, kContext, 0}, {}, kPatience).ok(), "process 1 is reached");
  const Bytes message = of(0, 0, 1000);
  Request sends = job.send(1, kContext, 0, message, kPatience);
  while (sends.ok()) sends = job.send(1, kContext, 0, message, kPatience);  // it still meets us
  expect(sends.over() && sends.status().code() == HOLDFAST_UNREACHABLE,
         sends.status().message().c_str());
  expect(job.member(1)->live(), "not dead");
  const Request late = job.send(1, kContext, 0, message, kPatience);
  expect(late.over() && late.status().code() == HOLDFAST_UNREACHABLE, "still out of reach");
  Message waiting;
  while (job.member(1)->live()) {
    (void)job.probe({HOLDFAST_ANY_SOURCE, kContext, 2}, waiting, 10ms);
  }
  leave(job);
  return kAsExpected;
}

// In each process four threads send and receive at once, each in a context of its own, so slowly
// that all of them sleep between; a fifth only looks.
int threads() {
  Job job = joined();
  const std::uint32_t self = job.self(), all = job.processes();
  std::atomic<bool> over{false};
  const auto exchange = [&](std::uint32_t context) {
    Bytes memory(40'000);
    for (std::uint64_t i = 0; i < 40; ++i) {
      if (i % 8 == context % 8) std::this_thread::sleep_for(2ms);
      const std::size_t bytes = i * 1000;
      const Bytes message = of(self, i, bytes);
      Request sends = job.send_start((self + 1) % all, context, i, message);
      const std::uint32_t before = (self + all - 1) % all;
      Request got = job.receive({before, context, i}, memory, kPatience);
      expect(got.ok() && got.message() == Message{before, context, i, bytes}, "of this thread");
      const Bytes expected = of(before, i, bytes);
      expect(std::equal(expected.begin(), expected.end(), memory.begin()), "its bytes");
      expect(sends.wait(kPatience) && sends.ok(), "a send of this thread");
    }
  };
  std::thread looks([&] {
    Message found;
    while (!over) (void)job.probe({HOLDFAST_ANY_SOURCE, 99, 0, 0}, found, 1ms).ok();
  });
  std::vector<std::thread> workers;
  for (std::uint32_t i = 0; i < 4; ++i) workers.emplace_back(exchange, 10 + i);
  for (std::thread& worker : workers) worker.join();
  over = true;
  looks.join();
  // Nothing comes from outside that could wake who sleeps: only the other thread does.
  std::thread sleeps([&] {
    expect(job.receive({self, 50, 0}, {}, kPatience).ok(), "a message of the other thread");
  });
  std::this_thread::sleep_for(50ms);
  const auto before = std::chrono::steady_clock::now();
  expect(job.send(self, 50, 0, {}, kPatience).ok(), "a send while another thread sleeps");
  sleeps.join();
  expect(std::chrono::steady_clock::now() - before < kPatience / 2, "nobody waits for a time-out");
  leave(job);
  return kAsExpected;
}

}  // namespace

bool run_message_role(const char* role, int& exit_status) {
  constexpr std::pair<const char*, int (*)()> kRoles[] = {
      {"ring", ring},
      {"all_to_all", all_to_all},
      {"through_faults", through_faults},
      {"matching", matching},
      {"limits", limits},
      {"dead_peer", dead_peer},
      {"dying_receiver", dying_receiver},
      {"left_peer", left_peer},
      {"last_word", last_word},
      {"early_leaver", early_leaver},
      {"forked_child", forked_child},
      {"new_life", come_back},
      {"last_turn", end_in_last_turn},
      {"many_in_last_turn", end_many_in_last_turn},
      {"no_descriptors", begin_without_descriptors},
      {"unreachable", unreachable},
      {"threads", threads},
      {"many_requests", many_requests},
      {"outliving_requests", outliving_requests},
      {"compute", compute},
      {"answer", answer},
      {"leave_sending", leave_sending},
      {"segments", exchange_segments},
      {"wrong_segments", refuse_segments}};
  for (const auto& [name, play] : kRoles) {
    if (std::strcmp(role, name) != 0) continue;
    exit_status = play();
    return true;
  }
  return false;
}

}  // namespace holdfast
