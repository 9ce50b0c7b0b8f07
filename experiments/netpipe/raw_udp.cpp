// A message is one piece of the stream of bytes that the datagrams carry; on loopback, and on a
// wire between two hosts of ours, they keep their order. What came of the next message with the end
// of this one waits in a spill.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include "experiments/netpipe/raw_ends.hpp"
#include "hw/descriptor.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::netpipe {
namespace {

// What is under way costs room in the receiver's buffer: the system counts up to twice the bytes of
// a run, and what it remembers of it, which is most of a short one. Half of that is counted here.
constexpr std::uint64_t kUnderWayMax = 1 << 20;
constexpr std::uint64_t kRunCost = 576;
constexpr std::uint64_t kCredits = 4;  // in what may be under way
constexpr int kBufferBytes = 4 << 20;
constexpr std::size_t kRunBytesMax = 65'507;
constexpr std::size_t kRunMost = 64;  // datagrams, what older kernels allow

class RawUdpEnd final : public OrderedEnd {
 public:
  RawUdpEnd(hw::Descriptor data, hw::Descriptor credit, std::uint32_t datagram_bytes, bool sleeps)
      : data_(std::move(data)),
        credit_(std::move(credit)),
        run_bytes_(std::clamp<std::size_t>(kRunBytesMax / datagram_bytes, 1, kRunMost) *
                   datagram_bytes),
        under_way_max_(under_way_max(data_.get())),
        sleeps_(sleeps) {}

 private:
  // What a run costs that may be under way until the receiver is known to have taken it.
  struct Run {
    std::uint64_t end;  // of its bytes, since the beginning
    std::uint64_t cost;
  };

  // What a buffer holds for certain. Both ends have asked for the same.
  static std::uint64_t under_way_max(int socket) {
    int buffer = 0;
    socklen_t size = sizeof buffer;
    ::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, &size);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(buffer) / 2, 2 * kRunBytesMax,
                                     kUnderWayMax);
  }

  void send(std::span<const std::byte> message) override {
    Patience patience(name_);
    while (!message.empty()) {
      const auto run = message.first(std::min(message.size(), run_bytes_));
      const std::uint64_t cost = run.size() + kRunCost;
      while (under_way_ + cost > under_way_max_) take_credit();
      if (::send(data_.get(), run.data(), run.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS)
          throw EndFailed(name_ + ": cannot send: " + std::strerror(errno));
        patience.look_in_vain(false);
        continue;
      }
      sent_ += run.size();
      runs_.push_back({sent_, cost});
      under_way_ += cost;
      message = message.subspan(run.size());
    }
  }

  void receive(std::span<std::byte> message) override {
    const std::size_t kept = std::min(message.size(), spilled_.size());
    std::copy_n(spilled_.begin(), kept, message.begin());
    spilled_ = spilled_.subspan(kept);
    message = message.subspan(kept);
    Patience patience(name_);
    while (!message.empty()) {
      std::array<iovec, 2> vectors{{{message.data(), message.size()}, {spill_, sizeof spill_}}};
      msghdr header{};
      header.msg_iov = vectors.data();
      header.msg_iovlen = message.size() < kRunBytesMax ? 2 : 1;
      const ssize_t got = ::recvmsg(data_.get(), &header, MSG_DONTWAIT);
      if (got <= 0) {
        wait(data_.get(), patience);
        continue;
      }
      const auto bytes = static_cast<std::size_t>(got);
      const std::size_t here = std::min(bytes, message.size());
      spilled_ = std::span<const std::byte>(spill_).first(bytes - here);
      message = message.subspan(here);
      give_credit(bytes);
    }
  }

  void wait(int socket, Patience& patience) {
    patience.look_in_vain(sleeps_);
    pollfd readable{socket, POLLIN, 0};
    if (sleeps_) ::poll(&readable, 1, 1000);
  }

  void give_credit(std::size_t bytes) {
    received_ += bytes;
    owed_ += bytes + kRunCost;
    if (owed_ < under_way_max_ / kCredits) return;
    owed_ = 0;
    static_cast<void>(::send(credit_.get(), &received_, sizeof received_, MSG_NOSIGNAL));
  }

  void take_credit() {
    Patience patience(name_);
    std::uint64_t taken = 0;
    while (::recv(credit_.get(), &taken, sizeof taken, MSG_DONTWAIT) < 0)
      wait(credit_.get(), patience);
    for (; !runs_.empty() && runs_.front().end <= taken; runs_.pop_front())
      under_way_ -= runs_.front().cost;
  }

  std::string name_ = "raw UDP";
  hw::Descriptor data_, credit_;
  std::size_t run_bytes_;
  std::uint64_t under_way_max_;
  bool sleeps_;
  std::deque<Run> runs_;                   // not known to have been taken, oldest first
  std::uint64_t under_way_ = 0;            // what they cost
  std::uint64_t sent_ = 0, received_ = 0;  // bytes
  std::uint64_t owed_ = 0;                 // cost of what was received since the last credit
  std::span<const std::byte> spilled_;
  std::byte spill_[kRunBytesMax];
};

Status failure(const char* what, const hw::UdpEndpoint& at) {
  return hw::socket_failure(what, "UDP", at);
}

Status open_at(const hw::UdpEndpoint& local, hw::Descriptor& opened) {
  opened = hw::Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const hw::SocketName name{local};
  if (!opened.is_open() || ::bind(opened.get(), &name.any, name.size) != 0)
    return failure("cannot bind", local);
  for (const auto& [forced, plain] :
       {std::pair{SO_RCVBUFFORCE, SO_RCVBUF}, {SO_SNDBUFFORCE, SO_SNDBUF}}) {
    if (::setsockopt(opened.get(), SOL_SOCKET, forced, &kBufferBytes, sizeof kBufferBytes) != 0)
      ::setsockopt(opened.get(), SOL_SOCKET, plain, &kBufferBytes, sizeof kBufferBytes);
  }
  return Status::ok();
}

// Two sockets that are connected to each other.
Status open_two(const Places& places, std::array<hw::Descriptor, 2>& two) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (Status status = places.at(i, [&] { return open_at(places.address(i, 0), two[i]); });
        !status.is_ok())
      return status;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const hw::UdpEndpoint to = hw::local_name(two[1 - i].get());
    const hw::SocketName other(to);
    if (::connect(two[i].get(), &other.any, other.size) != 0)
      return failure("cannot connect to", to);
  }
  return Status::ok();
}

}  // namespace

Status open_raw_udp(const Places& places, std::uint32_t datagram_bytes, bool sleeps,
                    RawPair& opened) {
  std::array<hw::Descriptor, 2> data, credit;
  for (auto* const two : {&data, &credit}) {
    if (Status status = open_two(places, *two); !status.is_ok()) return status;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const int segment = static_cast<int>(datagram_bytes), on = 1;
    if (2 * datagram_bytes <= kRunBytesMax)
      ::setsockopt(data[i].get(), SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
    ::setsockopt(data[i].get(), SOL_UDP, UDP_GRO, &on, sizeof on);
    opened.ends[i] = std::make_unique<RawUdpEnd>(std::move(data[i]), std::move(credit[i]),
                                                 datagram_bytes, sleeps);
  }
  return Status::ok();
}

}  // namespace holdfast::netpipe
