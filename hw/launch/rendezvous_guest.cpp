// Any process but 0: connects, again and again until somebody listens, says who it is, and waits to
// be told who all are.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/launch/rendezvous.hpp"
#include "hw/launch/rendezvous_frames.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

namespace {

constexpr Duration kBetweenAttempts = milliseconds(50);
// For process 0 to say who is missing, if its patience ends when ours does.
constexpr Duration kLastWord = seconds(1);

std::string printable(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

class Guest final : public Meeting {
 public:
  Guest(const UdpEndpoint& host, ProcessId self) : host_(host), self_(self) {}

  Met reach(std::uint32_t processes, Time until) override;
  ProcessId self() const override { return self_; }
  IpAddress local_ip() const override { return local_ip_; }
  Met meet(const Introduction& introduction, Time until, MetJob& job) override;

 private:
  bool connect(Time until);
  Met await_answer(std::size_t rails, Time until, AnswerKind& kind, std::vector<std::byte>& rest);
  Met read_answer(AnswerKind kind, std::span<const std::byte> rest,
                  const Introduction& introduction, MetJob& job) const;
  std::string place() const { return "process 0 at " + text_of(host_); }

  UdpEndpoint host_;
  ProcessId self_;
  std::uint32_t processes_ = 0;
  IpAddress local_ip_ = kLoopback;
  Descriptor socket_;
  Nonces nonces_;
  std::string why_not_;  // the last attempt failed
};

// One attempt; sets errno.
bool Guest::connect(Time until) {
  socket_ = Descriptor(::socket(family_of(host_), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketName to(host_);
  if (::connect(socket_.get(), &to.any, to.size) != 0 && errno != EINPROGRESS) return false;
  pollfd waiting{socket_.get(), POLLOUT, 0};
  const Duration left = std::clamp(until - monotonic_now(), Duration{0}, seconds(60));
  if (::poll(&waiting, 1, static_cast<int>(left.ns / 1'000'000)) <= 0) {
    errno = ETIMEDOUT;
    return false;
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0 && ::fcntl(socket_.get(), F_SETFL, 0) == 0;  // from now on it may block
}

Met Guest::reach(std::uint32_t processes, Time until) {
  processes_ = processes;
  if (!draw(nonces_.process)) return Met::failed("cannot draw a random number");
  std::string why_not = "there was no time to try";
  for (; monotonic_now() < until; ::usleep(static_cast<useconds_t>(kBetweenAttempts.ns / 1000))) {
    if (!connect(until)) {
      why_not = std::strerror(errno);
      continue;
    }
    // Whoever ends the connection before the first word, as a tunnel does that leads nowhere yet,
    // is tried again.
    std::array<std::byte, kHelloBytes> theirs;
    const HandOver got = send_bytes(socket_.get(), encode_hello(nonces_.process)).is_ok()
                             ? receive_bytes(socket_.get(), theirs, until)
                             : HandOver{HandOverFault::gone, ""};
    if (!got.is_ok()) {
      why_not = got.fault == HandOverFault::late ? "who listens there says nothing"
                                                 : "who listens there ends the connection";
      continue;
    }
    local_ip_ = local_name(socket_.get()).ip;
    return decode_hello(theirs, nonces_.host);
  }
  return Met::failed(place() + " cannot be reached: " + why_not +
                     "; it has not been started, or its job has begun already");
}

Met Guest::await_answer(std::size_t rails, Time until, AnswerKind& kind,
                        std::vector<std::byte>& rest) {
  std::array<std::byte, kAnswerHeadBytes> head;
  HandOver got = receive_bytes(socket_.get(), head, until);
  if (got.is_ok()) {
    const auto bytes = bytes_after_head(head, processes_, rails);
    if (!bytes) return Met::failed("what " + place() + " says does not decode");
    kind = static_cast<AnswerKind>(head[0]);
    rest.resize(*bytes);
    got = receive_bytes(socket_.get(), rest, until);
  }
  if (got.is_ok()) return {};
  if (got.fault == HandOverFault::late) return Met::failed("not all processes have come in time");
  return Met::failed(place() + " is gone, and the job had not begun");
}

Met Guest::read_answer(AnswerKind kind, std::span<const std::byte> rest,
                       const Introduction& introduction, MetJob& job) const {
  const Met other_key = Met::refused("this process and " + place() +
                                     " have different keys; give all processes of a job the same");
  if (kind == AnswerKind::no_key) return other_key;
  const auto body = body_of_answer(kind, rest, *introduction.key, nonces_);
  if (!body) return other_key;
  if (kind == AnswerKind::refusal) {
    // Its first byte says whose the fault is, as the host has told it.
    if (body->empty()) return Met::failed("what " + place() + " says does not decode");
    const std::string text = printable(body->subspan(1));
    return (*body)[0] == std::byte(MeetingFault::refused) ? Met::refused(text) : Met::failed(text);
  }
  job = MetJob{};
  job.key = *introduction.key;
  if (!decode_begin(*body, processes_, introduction.self.addresses.size(), job) ||
      job.members[self_.value] != introduction.self) {
    return Met::failed("what " + place() + " says does not decode");
  }
  return {};
}

Met Guest::meet(const Introduction& introduction, Time until, MetJob& job) {
  const Claim claim{self_.value, introduction.processes, introduction.configuration,
                    introduction.self};
  if (!send_bytes(socket_.get(), encode_claim(claim, *introduction.key, nonces_)).is_ok()) {
    return Met::failed(place() + " is gone, and the job had not begun");
  }
  AnswerKind kind{};
  std::vector<std::byte> rest;
  if (Met got = await_answer(introduction.self.addresses.size(), until + kLastWord, kind, rest);
      !got.is_ok()) {
    return got;
  }
  return read_answer(kind, rest, introduction, job);
}

}  // namespace

std::unique_ptr<Meeting> make_rendezvous_guest(const UdpEndpoint& endpoint, ProcessId self) {
  return std::make_unique<Guest>(endpoint, self);
}

}  // namespace holdfast::hw
