// What a short message costs by how sockets are used: half a round trip of 104 bytes, which are a
// message of 8 and an acknowledgement with their headers, over loopback between two processes that
// poll, each on a processor of its own. The first line of each protocol is the limit; what hw/udp
// and hw/tcp ask of the kernel says so, and what they take beyond it is their own.
//
// usage: socket_bench [rounds (15)]
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "tests/bench/loopback.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;
using namespace holdfast::bench;

constexpr std::size_t kBytes = 104;
constexpr std::uint16_t kFirstFrame = 56;  // of two
// So few in a block that most are over before the scheduler gives a processor to somebody else.
constexpr int kBlocks = 20, kTripsOfBlock = 50;
constexpr unsigned kManyBuffers = 8;

struct Way {
  const char* what;
  bool is_tcp = false;
  bool is_stamped = false;  // SO_TIMESTAMPNS
  // UDP
  bool is_batch = false;      // sendmmsg, not send
  bool is_addressed = false;  // to an address, not to the one that it is connected to
  bool is_run = false;        // two datagrams as one buffer: UDP_SEGMENT, UDP_GRO
  bool is_many = false;       // recvmmsg
  // TCP
  bool is_one_way = false;  // a connection for each direction
  bool is_watched = false;  // epoll_wait before each read
};

constexpr Way kWays[] = {
    {.what = "UDP: send, recv"},
    {.what = "sendmmsg", .is_batch = true},
    {.what = "  stamped on arrival: hw/udp in a dialogue", .is_stamped = true, .is_batch = true},
    {.what = "  and to an address", .is_stamped = true, .is_batch = true, .is_addressed = true},
    {.what = "  and read by recvmmsg: hw/udp",
     .is_stamped = true,
     .is_batch = true,
     .is_addressed = true,
     .is_many = true},
    {.what = "  and as a run of two datagrams",
     .is_stamped = true,
     .is_batch = true,
     .is_addressed = true,
     .is_run = true,
     .is_many = true},
    {.what = "TCP: send, recv", .is_tcp = true},
    {.what = "stamped on arrival: hw/tcp in a dialogue", .is_tcp = true, .is_stamped = true},
    {.what = "epoll_wait before each read", .is_tcp = true, .is_watched = true},
    {.what = "a connection for each direction", .is_tcp = true, .is_one_way = true},
    {.what = "all three: hw/tcp after a break",
     .is_tcp = true,
     .is_stamped = true,
     .is_one_way = true,
     .is_watched = true},
    {.what = "the first two: hw/tcp", .is_tcp = true, .is_stamped = true, .is_watched = true},
};

// One of the two processes: what it writes to and what it reads from.
class End {
 public:
  End(const Way& way, int out, int in, const UdpEndpoint& peer)
      : way_(way), out_(out), in_(in), peer_(peer), memory_(kManyBuffers * kBufferBytes) {
    if (way.is_stamped) set_option(in, SOL_SOCKET, SO_TIMESTAMPNS);
    if (way.is_run) set_option(in, SOL_UDP, UDP_GRO);
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    need(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, in, &event) == 0, "epoll_ctl");
  }

  void send() {
    if (!way_.is_batch) {
      need(::send(out_, memory_.data(), kBytes, MSG_NOSIGNAL) == kBytes, "send");
      return;
    }
    iovec vector{memory_.data(), kBytes};
    mmsghdr message{};
    if (way_.is_addressed) {
      message.msg_hdr.msg_name = &peer_.any;
      message.msg_hdr.msg_namelen = peer_.size;
    }
    message.msg_hdr.msg_iov = &vector;
    message.msg_hdr.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof kFirstFrame)> control{};
    if (way_.is_run) {
      message.msg_hdr.msg_control = control.data();
      message.msg_hdr.msg_controllen = control.size();
      cmsghdr* const part = CMSG_FIRSTHDR(&message.msg_hdr);
      part->cmsg_level = SOL_UDP;
      part->cmsg_type = UDP_SEGMENT;
      part->cmsg_len = CMSG_LEN(sizeof kFirstFrame);
      std::memcpy(CMSG_DATA(part), &kFirstFrame, sizeof kFirstFrame);
    }
    need(::sendmmsg(out_, &message, 1, MSG_NOSIGNAL) == 1, "sendmmsg");
  }

  void receive() {
    for (std::size_t got = 0; got < kBytes;) {
      epoll_event event;
      if (!way_.is_watched || ::epoll_wait(epoll_.get(), &event, 1, 0) > 0) got += read();
    }
  }

 private:
  static constexpr std::size_t kBufferBytes = 64 << 10;
  static constexpr std::size_t kNotesBytes = 128;

  std::size_t read() {
    const bool has_notes = way_.is_stamped || way_.is_run;
    if (!has_notes && !way_.is_many) {
      return bytes_of(::recv(in_, memory_.data(), kBufferBytes, MSG_DONTWAIT));
    }
    std::array<iovec, kManyBuffers> vectors;
    std::array<mmsghdr, kManyBuffers> messages{};
    alignas(cmsghdr) std::array<std::array<char, kNotesBytes>, kManyBuffers> notes;
    const unsigned buffers = way_.is_many ? kManyBuffers : 1;
    for (unsigned i = 0; i < buffers; ++i) {
      vectors[i] = {memory_.data() + i * kBufferBytes, kBufferBytes};
      messages[i].msg_hdr.msg_iov = &vectors[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      messages[i].msg_hdr.msg_control = notes[i].data();
      messages[i].msg_hdr.msg_controllen = notes[i].size();
    }
    if (!way_.is_many) return bytes_of(::recvmsg(in_, &messages[0].msg_hdr, MSG_DONTWAIT));
    const int count = ::recvmmsg(in_, messages.data(), buffers, MSG_DONTWAIT, nullptr);
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += messages[static_cast<std::size_t>(i)].msg_len;
    return bytes;
  }

  static std::size_t bytes_of(ssize_t got) {
    need(got > 0 || (got < 0 && errno == EAGAIN), "recv");
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  const Way& way_;
  int out_, in_;
  SocketName peer_;
  std::vector<char> memory_;
  Descriptor epoll_;
};

void stay_on(std::size_t processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  need(::sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

// Microseconds.
double play(const Way& way, const std::array<int, 2>& out, const std::array<int, 2>& in) {
  std::array<UdpEndpoint, 2> names;
  for (std::size_t i = 0; i < 2; ++i) names[i] = local_name(in[i]);
  const pid_t echo = ::fork();
  if (echo == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    stay_on(1);
    End end(way, out[1], in[1], names[0]);
    for (;;) {
      end.receive();
      end.send();
    }
  }
  stay_on(0);
  End end(way, out[0], in[0], names[1]);
  std::vector<double> blocks;
  for (int block = 0; block < kBlocks; ++block) {
    const Time began = monotonic_now();
    for (int i = 0; i < kTripsOfBlock; ++i) {
      end.send();
      end.receive();
    }
    blocks.push_back(static_cast<double>((monotonic_now() - began).ns) / (2e3 * kTripsOfBlock));
  }
  ::kill(echo, SIGKILL);
  ::waitpid(echo, nullptr, 0);
  return median_of(blocks);
}

double measure(const Way& way) {
  if (way.is_tcp) {
    const Connection there = connect_tcp(), back = connect_tcp();
    const Connection& answers = way.is_one_way ? back : there;
    const int first = way.is_one_way ? answers.to.get() : answers.from.get();
    const int second = way.is_one_way ? answers.from.get() : answers.to.get();
    return play(way, {there.from.get(), second}, {first, there.to.get()});
  }
  const std::array<Descriptor, 2> ends{bound_socket(SOCK_DGRAM), bound_socket(SOCK_DGRAM)};
  for (std::size_t i = 0; i < 2 && !way.is_addressed; ++i) {
    const SocketName peer(local_name(ends[1 - i].get()));
    need(::connect(ends[i].get(), &peer.any, peer.size) == 0, "connect");
  }
  const std::array<int, 2> sockets{ends[0].get(), ends[1].get()};
  return play(way, sockets, sockets);
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
  if (rounds < 1 || ::sysconf(_SC_NPROCESSORS_ONLN) < 2) {
    std::fprintf(stderr, "usage: socket_bench [rounds], on two processors at least\n");
    return 2;
  }
  std::array<std::vector<double>, std::size(kWays)> halves;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < std::size(kWays); ++i) halves[i].push_back(measure(kWays[i]));
  }
  double limit = 0;
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    const double median = median_of(halves[i]);
    if (i == 0 || kWays[i].is_tcp != kWays[i - 1].is_tcp) limit = median;
    std::printf("%-42s %6.2f us  %5.2f x\n", kWays[i].what, median, median / limit);
  }
  return 0;
}
