// Process 0: listens, hears everybody who comes, and when all ranks are there tells all of them.
//
// A guest goes hello -> claim -> waits. Who is not heard out in time, or says what cannot be, is
// shown out. Who waits holds its rank until its connection ends.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/launch/job_address.hpp"
#include "hw/launch/rendezvous.hpp"
#include "hw/launch/rendezvous_frames.hpp"
#include "hw/listener_rest.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kStrangersMax = 64;      // guests who have not yet said who they are
constexpr Duration kToIntroduce = seconds(5);  // and how long they have for it
constexpr Duration kToTell = seconds(2);       // for a guest to take an answer

struct Guest {
  Descriptor socket;
  Nonces nonces;
  Time leaves_at;
  std::array<std::byte, kClaimBytes> bytes;  // of the hello, then of the claim
  std::size_t got = 0;
  bool has_said_hello = false;
  std::uint32_t rank = 0;  // 0: a stranger

  bool waits() const { return rank != 0; }
};

class Host final : public Meeting {
 public:
  explicit Host(const UdpEndpoint& endpoint) : endpoint_(endpoint) {}

  Met reach(std::uint32_t processes, Time until) override;
  ProcessId self() const override { return {0}; }
  IpAddress local_ip() const override { return endpoint_.ip; }
  Met meet(const Introduction& introduction, Time until, MetJob& job) override;

 private:
  std::size_t strangers() const;
  bool all_are_here() const { return guests_.size() - strangers() + 1 == processes_; }
  void wait(Time until);
  void let_in();
  bool hear(Guest& guest);
  bool hear_whole(Guest& guest);
  bool hear_claim(Guest& guest);
  bool refuse(Guest& guest, const std::string& why);
  std::string what_is_wrong(const Claim& claim) const;
  Met say_who_is_missing();

  UdpEndpoint endpoint_;
  std::uint32_t processes_ = 0;
  Descriptor listener_;
  Time rests_until_;  // nobody is let in before
  std::list<Guest> guests_;
  const Introduction* introduction_ = nullptr;  // while meet() runs
  std::vector<JobMember> members_;              // by rank; of those who wait
  std::uint64_t without_key_ = 0;               // guests whose claim was not made with our key
  std::uint64_t strange_ = 0;                   // guests who went before they had a rank
};

// Within its time, or the guest is as good as gone.
void tell(const Guest& guest, std::span<const std::byte> answer) {
  (void)send_bytes(guest.socket.get(), answer).is_ok();
}

// The text, behind whose fault it is.
std::vector<std::byte> encode_refusal(const Met& why, const JobKey& key, const Nonces& nonces) {
  std::vector<std::byte> body{std::byte(why.fault)};
  const auto text = std::as_bytes(std::span(why.message));
  const auto kept = text.first(std::min(text.size(), kRefusalBytesMax - 1));
  body.insert(body.end(), kept.begin(), kept.end());
  return encode_answer(AnswerKind::refusal, body, key, nonces);
}

Met Host::reach(std::uint32_t processes, Time) {
  processes_ = processes;
  listener_ =
      Descriptor(::socket(family_of(endpoint_), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;  // connections of an earlier job that have ended do not matter
  const SocketName at(endpoint_);
  if (listener_.is_open() &&
      ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      ::bind(listener_.get(), &at.any, at.size) == 0 && ::listen(listener_.get(), SOMAXCONN) == 0) {
    return {};
  }
  const std::string why = "process 0 cannot listen at " + text_of(endpoint_) + ": ";
  if (errno == EADDRINUSE) {
    return Met::refused(why +
                        "somebody does already, another process 0 or another job; give each "
                        "job an address of its own");
  }
  if (errno == EADDRNOTAVAIL) {
    return Met::refused(why +
                        "this is no address of its machine; start it there, or name this one");
  }
  return Met::failed(why + std::strerror(errno));
}

std::size_t Host::strangers() const {
  return static_cast<std::size_t>(std::count_if(guests_.begin(), guests_.end(),
                                                [](const Guest& guest) { return !guest.waits(); }));
}

void Host::let_in() {
  Guest guest;
  guest.socket = Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!guest.socket.is_open()) {
    if (is_exhausted(errno)) rests_until_ = monotonic_now() + kListenerRest;
    return;
  }
  if (!draw(guest.nonces.host)) return;
  // Answers are few bytes, but one who is stopped must not stop us.
  const timeval longest{static_cast<time_t>(kToTell.ns / 1'000'000'000), 0};
  ::setsockopt(guest.socket.get(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  guest.leaves_at = monotonic_now() + kToIntroduce;
  tell(guest, encode_hello(guest.nonces.host));
  guests_.push_back(std::move(guest));
}

bool Host::refuse(Guest& guest, const std::string& why) {
  tell(guest, encode_refusal(Met::refused(why), *introduction_->key, guest.nonces));
  return false;
}

// Empty: nothing.
std::string Host::what_is_wrong(const Claim& claim) const {
  if (claim.processes != processes_) {
    return "the job has " + std::to_string(processes_) +
           " processes by the configuration of "
           "process 0, " +
           std::to_string(claim.processes) +
           " by that of this one; give the same "
           "to all";
  }
  if (claim.configuration != introduction_->configuration) {
    return "process 0 has another configuration than this one; give the same to all";
  }
  if (claim.rank == 0 || claim.rank >= processes_) {
    return "there is no place for process " + std::to_string(claim.rank) + " in the job";
  }
  const std::string name = "process " + std::to_string(claim.rank);
  if (std::string differ = say_rails_differ(name, claim.member, "process 0", introduction_->self);
      !differ.empty()) {
    return differ;
  }
  for (const Guest& other : guests_) {
    if (other.rank != claim.rank) continue;
    return name + " has joined already, from " + text_of(members_[claim.rank].addresses.front()) +
           " (process number " + std::to_string(members_[claim.rank].process.pid) +
           "); give each its own rank";
  }
  return "";
}

bool Host::hear_claim(Guest& guest) {
  Claim claim;
  const ClaimFault fault = decode_claim(guest.bytes, *introduction_->key, guest.nonces, claim);
  if (fault == ClaimFault::other_key) {
    ++without_key_;
    tell(guest, encode_answer(AnswerKind::no_key, {}, *introduction_->key, guest.nonces));
    return false;
  }
  if (fault == ClaimFault::spoilt) return refuse(guest, "what this process says does not decode");
  if (const std::string wrong = what_is_wrong(claim); !wrong.empty()) return refuse(guest, wrong);
  guest.rank = claim.rank;
  members_[claim.rank] = claim.member;
  return true;
}

// False: shown out.
bool Host::hear_whole(Guest& guest) {
  guest.got = 0;
  if (guest.has_said_hello) return hear_claim(guest);
  guest.has_said_hello = true;
  // One of another version learns it from our hello.
  const auto hello = std::span(guest.bytes).first<kHelloBytes>();
  return decode_hello(hello, guest.nonces.process).is_ok();
}

// False: shown out, or gone.
bool Host::hear(Guest& guest) {
  const std::size_t wanted = guest.has_said_hello ? kClaimBytes : kHelloBytes;
  // One byte is enough to see the end of somebody who has nothing more to say.
  const std::size_t room = guest.waits() ? 1 : wanted - guest.got;
  const ssize_t got =
      ::recv(guest.socket.get(), guest.bytes.data() + guest.got, room, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0 || guest.waits()) return false;
  guest.got += static_cast<std::size_t>(got);
  return guest.got < wanted || hear_whole(guest);
}

void Host::wait(Time until) {
  std::vector<pollfd> waiting;
  const bool rests = monotonic_now() < rests_until_;
  const bool open = strangers() < kStrangersMax && !rests;
  waiting.push_back({open ? listener_.get() : -1, POLLIN, 0});  // -1 is passed over
  Time next = rests ? std::min(until, rests_until_) : until;
  for (const Guest& guest : guests_) {
    waiting.push_back({guest.socket.get(), POLLIN, 0});
    if (!guest.waits()) next = std::min(next, guest.leaves_at);
  }
  const Duration left = std::clamp(next - monotonic_now(), Duration{0}, seconds(60));
  const timespec longest{left.ns / 1'000'000'000, left.ns % 1'000'000'000};
  if (::ppoll(waiting.data(), waiting.size(), &longest, nullptr) < 0) return;
  const Time now = monotonic_now();
  auto event = waiting.begin();
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const bool stays = (++event)->revents == 0 || hear(*guest);
    const bool in_time = guest->waits() || now < guest->leaves_at;
    if (!guest->waits() && !(stays && in_time)) ++strange_;
    guest = stays && in_time ? std::next(guest) : guests_.erase(guest);
  }
  if (waiting.front().revents != 0) let_in();
}

Met Host::say_who_is_missing() {
  std::vector<bool> here(processes_, false);
  here[0] = true;
  for (const Guest& guest : guests_) here[guest.rank] = true;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < processes_; ++rank) {
    if (!here[rank]) missing.push_back(rank);
  }
  std::string why = std::to_string(missing.size()) + " of " + std::to_string(processes_) +
                    " processes have not come in time: " + list_of_ranks(missing);
  if (without_key_ > 0) {
    why += "; " + std::to_string(without_key_) + " came that have another key";
  }
  if (strange_ > without_key_) {
    why += "; " + std::to_string(strange_ - without_key_) + " were turned away or gave up";
  }
  const Met late = Met::failed(why);
  for (const Guest& guest : guests_) {
    if (guest.waits()) tell(guest, encode_refusal(late, *introduction_->key, guest.nonces));
  }
  return late;
}

Met Host::meet(const Introduction& introduction, Time until, MetJob& job) {
  introduction_ = &introduction;
  members_.assign(processes_, JobMember{});
  members_[0] = introduction.self;
  while (!all_are_here() && monotonic_now() < until) wait(until);
  listener_.close();
  if (!all_are_here()) return say_who_is_missing();
  job = MetJob{};
  job.key = *introduction.key;
  job.members = members_;
  if (!draw(std::as_writable_bytes(std::span(&job.number, 1)))) {
    return Met::failed("cannot draw the job's number");
  }
  const std::vector<std::byte> body = encode_begin(job);
  for (const Guest& guest : guests_) {
    if (guest.waits()) tell(guest, encode_answer(AnswerKind::begin, body, job.key, guest.nonces));
  }
  guests_.clear();
  return {};
}

}  // namespace

std::unique_ptr<Meeting> make_rendezvous_host(const UdpEndpoint& endpoint) {
  return std::make_unique<Host>(endpoint);
}

}  // namespace holdfast::hw
