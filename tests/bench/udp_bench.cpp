// What seam 1 costs on UDP: sending, receiving and half a round trip through UdpFabric, beside a
// program that talks to the socket itself with the same offloads (UDP_SEGMENT, UDP_GRO) and does
// nothing with what it gets, and beside the copying of the same frames, which nothing that copies
// once can beat.
//
// Frames: one process sends a burst that the socket can hold, then receives it, and so on; what
// counts is processor time, so that other programs hold nothing up. Round trips: two processes that
// poll. Socket and fabric take turns, so that whatever else there is meets both alike; the ratio of
// a turn's pair is what counts.
//
// usage: udp_bench [rounds (15)]
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;

constexpr Duration kTurn = milliseconds(40);  // of processor time
constexpr std::size_t kTrips = 2'000;         // of a turn
constexpr std::uint32_t kPingBytes = 64;
constexpr std::size_t kRingBytes = 1 << 20;  // of frames; both kinds use as much memory
constexpr std::size_t kDepthMax = 512;
constexpr std::uint32_t kBufferBytes = 4 << 20;

// How many frames are in a ring.
std::size_t depth_of(std::uint32_t bytes) {
  return std::min(kDepthMax, kRingBytes / bytes);
}

// A ring of frames, filled.
struct Frames {
  explicit Frames(std::uint32_t bytes_of_each)
      : bytes(bytes_of_each), depth(depth_of(bytes_of_each)), memory(depth * bytes, 'x') {}
  char* at(std::size_t i) { return memory.data() + i % depth * bytes; }
  std::size_t bytes, depth;
  std::vector<char> memory;
};

// One end of a pair, of either kind.
class End {
 public:
  virtual ~End() = default;
  virtual UdpEndpoint place() const = 0;
  virtual void talk_to(const UdpEndpoint& other) = 0;
  // Posts as many frames as go at once, or one if `one`; takes what has come. Both return how many
  // frames.
  virtual std::size_t send(bool one) = 0;
  virtual std::size_t receive() = 0;
};

class RawEnd final : public End {
 public:
  explicit RawEnd(std::uint32_t bytes) : frames_(bytes), buffers_(kBatch * kBytesMax) {
    socket_ = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const SocketName name{UdpEndpoint{}};
    const int on = 1, buffer = kBufferBytes;
    if (::bind(socket_.get(), &name.any, name.size) != 0 ||
        ::setsockopt(socket_.get(), SOL_UDP, UDP_GRO, &on, sizeof on) != 0) {
      std::perror("udp_bench");
      std::exit(2);
    }
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
    const int segment = static_cast<int>(bytes);
    run_ = std::clamp<std::size_t>(kBytesMax / bytes, 1, 64);
    if (run_ > 1) ::setsockopt(socket_.get(), SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
    for (std::size_t i = 0; i < kBatch; ++i) {
      vectors_[i] = {&buffers_[i * kBytesMax], kBytesMax};
      headers_[i].msg_hdr.msg_iov = &vectors_[i];
      headers_[i].msg_hdr.msg_iovlen = 1;
    }
  }
  UdpEndpoint place() const override { return local_name(socket_.get()); }
  void talk_to(const UdpEndpoint& other) override {
    const SocketName name(other);
    (void)!::connect(socket_.get(), &name.any, name.size);
  }
  std::size_t send(bool one) override {
    const std::size_t run = one ? 1 : run_;
    if (next_ + run > frames_.depth) next_ = 0;
    const ssize_t sent =
        ::send(socket_.get(), frames_.at(next_), run * frames_.bytes, MSG_NOSIGNAL);
    next_ += run;
    return sent > 0 ? run : 0;
  }
  std::size_t receive() override {
    const int got = ::recvmmsg(socket_.get(), headers_.data(), kBatch, MSG_DONTWAIT, nullptr);
    std::size_t bytes = 0;
    for (int i = 0; i < got; ++i) bytes += headers_[static_cast<std::size_t>(i)].msg_len;
    return bytes / frames_.bytes;
  }

 private:
  static constexpr std::size_t kBatch = 16, kBytesMax = 65'507;
  Frames frames_;
  std::vector<char> buffers_;
  Descriptor socket_;
  std::size_t run_ = 1, next_ = 0;
  std::array<mmsghdr, kBatch> headers_{};
  std::array<iovec, kBatch> vectors_{};
};

class FabricEnd final : public End {
 public:
  explicit FabricEnd(std::uint32_t bytes) : out_(bytes), in_(bytes) {
    UdpOptions options;
    options.frame_bytes_max = bytes;
    options.send_depth = options.receive_depth = static_cast<std::uint32_t>(in_.depth);
    options.receive_buffer_bytes = kBufferBytes;
    if (const Status status = UdpFabric::open(options, fabric_); !status.is_ok()) {
      std::fprintf(stderr, "udp_bench: %s\n", status.message().c_str());
      std::exit(2);
    }
    for (std::size_t i = 0; i < in_.depth; ++i) {
      slots_.push_back(
          {{}, reinterpret_cast<std::byte*>(in_.at(i)), static_cast<std::uint32_t>(in_.bytes), i});
    }
    if (fabric_->offer(slots_) != in_.depth) std::exit(2);
  }
  UdpEndpoint place() const override { return fabric_->endpoint(); }
  void talk_to(const UdpEndpoint& other) override {
    const Peer peer = fabric_->attach(to_address(other), Service::datagram);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      operations_[i].inline_data = true;
      operations_[i].peer = peer;
      operations_[i].data = reinterpret_cast<std::byte*>(out_.at(i));
      operations_[i].size = static_cast<std::uint32_t>(out_.bytes);
    }
  }
  std::size_t send(bool one) override {
    const std::size_t some = one ? 1 : std::min(kPosted, out_.depth);
    if (next_ + some > out_.depth) next_ = 0;
    const std::size_t taken = fabric_->post(std::span(operations_).subspan(next_, some));
    next_ += taken;
    return taken;
  }
  std::size_t receive() override {
    const std::size_t count = fabric_->poll(events_);
    std::size_t frames = 0;
    for (const Event& event : std::span(events_).first(count)) {
      if (event.kind == EventKind::received) returned_[frames++] = slots_[event.cookie];
    }
    if (frames > 0 && fabric_->offer(std::span(returned_).first(frames)) != frames) std::abort();
    return frames;
  }

 private:
  static constexpr std::size_t kPosted = 64;  // frames of one call

  Frames out_, in_;
  std::unique_ptr<UdpFabric> fabric_;
  std::vector<ReceiveSlot> slots_;
  std::array<ReceiveSlot, kPosted> returned_;
  std::array<Operation, kDepthMax> operations_;
  std::array<Event, kPosted> events_;
  std::size_t next_ = 0;
};

void run_on(std::size_t core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);  // where there is no such core, wherever
}

// `child` runs in a process of its own until it is killed; returns what `parent` returns.
double beside(const std::function<void()>& child, const std::function<double()>& parent) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    run_on(0);
    for (;;) child();
  }
  run_on(1);
  const double result = parent();
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return result;
}

double processor_seconds() {
  return static_cast<double>(read_clock_ns(CLOCK_PROCESS_CPUTIME_ID)) * 1e-9;
}

// Frames in a second of processor time.
struct Rates {
  double sent = 0, received = 0;
};

template <class Kind>
Rates stream(std::uint32_t bytes) {
  Kind from(bytes), to(bytes);
  from.talk_to(to.place());
  const std::size_t burst = depth_of(bytes);
  double sending = 0, receiving = 0;
  std::size_t frames = 0;
  while (sending + receiving < static_cast<double>(kTurn.ns) * 1e-9) {
    const double began = processor_seconds();
    std::size_t sent = 0, received = 0;
    while (sent < burst) sent += from.send(false);
    const double between = processor_seconds();
    while (received < sent) received += to.receive();
    receiving += processor_seconds() - between;
    sending += between - began;
    frames += sent;
  }
  return {static_cast<double>(frames) / sending, static_cast<double>(frames) / receiving};
}

double copy(std::uint32_t bytes) {
  Frames from(bytes), to(bytes);
  std::size_t frames = 0;
  const double began = processor_seconds();
  double took = 0;
  for (; took < static_cast<double>(kTurn.ns) * 1e-9 / 4; took = processor_seconds() - began) {
    for (int i = 0; i < 256; ++i, ++frames) {
      std::memcpy(to.at(frames), from.at(frames), bytes);
      asm volatile("" : : "r"(to.at(frames)) : "memory");
    }
  }
  return static_cast<double>(frames) / took;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Half a round trip in microseconds: the median of a turn.
template <class Kind>
double ping_pong() {
  Kind a(kPingBytes), b(kPingBytes);
  a.talk_to(b.place());
  b.talk_to(a.place());
  return beside(
      [&] {
        for (std::size_t frames = b.receive(); frames > 0; --frames) b.send(true);
      },
      [&] {
        std::vector<double> halves;
        while (halves.size() < kTrips) {
          const Time began = monotonic_now();
          a.send(true);
          while (a.receive() == 0) continue;
          halves.push_back(static_cast<double>((monotonic_now() - began).ns) / 2000);
        }
        return median(halves);
      });
}

struct Rounds {
  std::vector<double> raw, fabric, ratio;
  void add(double of_raw, double of_fabric) {
    raw.push_back(of_raw);
    fabric.push_back(of_fabric);
    ratio.push_back(of_fabric / of_raw);
  }
};

}  // namespace

int main(int count, char** arguments) {
  const std::size_t rounds = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 15;
  if (rounds == 0) {
    std::fprintf(stderr, "udp_bench: expected a number of rounds above zero\n");
    return 2;
  }
  std::printf("GB in a second of processor time, and fabric / socket; medians of %zu rounds\n",
              rounds);
  std::printf("%8s %10s %10s %7s %12s %12s %7s %10s\n", "bytes", "socket out", "fabric out",
              "ratio", "socket in", "fabric in", "ratio", "copying");
  for (const std::uint32_t bytes : {64u, 1'400u, 8'192u, 61'440u}) {
    Rounds out, in;
    std::vector<double> copied;
    for (std::size_t i = 0; i < rounds; ++i) {
      const Rates raw = stream<RawEnd>(bytes);
      const Rates fabric = stream<FabricEnd>(bytes);
      out.add(raw.sent, fabric.sent);
      in.add(raw.received, fabric.received);
      copied.push_back(copy(bytes));
    }
    const double scale = bytes / 1e9;
    std::printf("%8u %10.2f %10.2f %7.2f %12.2f %12.2f %7.2f %10.1f\n", bytes,
                median(out.raw) * scale, median(out.fabric) * scale, median(out.ratio),
                median(in.raw) * scale, median(in.fabric) * scale, median(in.ratio),
                median(copied) * scale);
    std::fflush(stdout);
  }
  Rounds halves;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double raw = ping_pong<RawEnd>();
    halves.add(raw, ping_pong<FabricEnd>());
  }
  std::printf("half a round trip of %u bytes: socket %.2f us, fabric %.2f us, ratio %.2f\n",
              kPingBytes, median(halves.raw), median(halves.fabric), median(halves.ratio));
  return 0;
}
