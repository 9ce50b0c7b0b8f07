// UDP: datagrams. TCP: frames in a stream that may be cut anywhere, beside connections that lie
// about lengths. Shared memory: a lane, whose counts and sizes may be anything.
#include "tests/hostile/rails.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/shm/claim_lane.hpp"
#include "hw/shm/shm_address.hpp"
#include "hw/shm/shm_fabric.hpp"
#include "hw/tcp/framing.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hostile {

namespace {

hw::Descriptor connected_to(hw::UdpEndpoint endpoint, int type) {
  hw::Descriptor socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const hw::SocketName name(endpoint);
  const int failed = ::connect(socket.get(), &name.any, name.size);
  HOLDFAST_ASSERT(failed == 0);
  return socket;
}

void send_all(const hw::Descriptor& socket, std::span<const std::byte> bytes) {
  const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  HOLDFAST_ASSERT(sent == static_cast<ssize_t>(bytes.size()));
}

template <class Opened, class Options>
std::unique_ptr<Fabric> open_or_say(const Options& options) {
  std::unique_ptr<Opened> opened;
  if (const Status status = Opened::open(options, opened); !status.is_ok()) {
    std::fprintf(stderr, "hostile: %s\n", status.message().c_str());
  }
  return opened;
}

class UdpAttacker final : public Attacker {
 public:
  explicit UdpAttacker(hw::UdpEndpoint to) : socket_(connected_to(to, SOCK_DGRAM)) {}
  void send(std::span<const std::byte> frame) override { send_all(socket_, frame); }
  void vandalise(Random&) override {}  // a datagram is a frame

 private:
  hw::Descriptor socket_;
};

// Addresses of sockets: chosen by the kernel when a process starts first, and kept.
class SocketRails : public Rails {
 public:
  explicit SocketRails(std::uint32_t processes) : endpoints_(processes) {}
  Address address(ProcessId process) const override {
    return to_address(endpoints_[process.value]);
  }

 protected:
  std::vector<hw::UdpEndpoint> endpoints_;  // port 0: not known yet
};

class UdpRails final : public SocketRails {
 public:
  using SocketRails::SocketRails;
  std::unique_ptr<Fabric> open(ProcessId process) override {
    hw::UdpOptions options;
    options.local = endpoints_[process.value];
    auto rail = open_or_say<hw::UdpFabric>(options);
    if (rail) endpoints_[process.value] = static_cast<hw::UdpFabric&>(*rail).endpoint();
    return rail;
  }
  std::unique_ptr<Attacker> attacker(ProcessId process) override {
    return std::make_unique<UdpAttacker>(endpoints_[process.value]);
  }
  std::uint64_t refused(const Fabric& rail) const override {
    return static_cast<const hw::UdpFabric&>(rail).counters().truncated;
  }
};

class TcpAttacker final : public Attacker {
 public:
  explicit TcpAttacker(hw::UdpEndpoint to) : to_(to), stream_(connected_to(to, SOCK_STREAM)) {}

  void send(std::span<const std::byte> frame) override {
    const auto size = static_cast<std::uint32_t>(frame.size());
    std::vector<std::byte> bytes(hw::stream_bytes(size));
    hw::put_prefix(size, bytes.data());
    std::ranges::copy(frame, &bytes[hw::kFramePrefixBytes]);
    // In two pieces, the cut anywhere, the prefix included.
    cut_ = (cut_ + 7) % bytes.size();
    send_all(stream_, std::span(bytes).first(cut_));
    send_all(stream_, std::span(bytes).subspan(cut_));
  }

  // A connection with a length beyond every limit, with half a frame, with no prefix, or with
  // nothing.
  void vandalise(Random& random) override {
    const hw::Descriptor other = connected_to(to_, SOCK_STREAM);
    std::array<std::byte, 200> bytes;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    const std::uint64_t what = random.below(4);
    if (what == 0)
      hw::put_prefix(static_cast<std::uint32_t>(random.next() | 1u << 31), bytes.data());
    if (what == 1) hw::put_prefix(300, bytes.data());
    if (what < 3) send_all(other, bytes);
  }

 private:
  hw::UdpEndpoint to_;
  hw::Descriptor stream_;
  std::size_t cut_ = 0;
};

class TcpRails final : public SocketRails {
 public:
  using SocketRails::SocketRails;
  std::unique_ptr<Fabric> open(ProcessId process) override {
    hw::TcpOptions options;
    options.local = endpoints_[process.value];
    options.peers_max = 64;
    options.incoming_max = 64;
    auto rail = open_or_say<hw::TcpFabric>(options);
    if (rail) {
      endpoints_[process.value] = *hw::to_udp_endpoint(rail->local_address());
    }
    return rail;
  }
  std::unique_ptr<Attacker> attacker(ProcessId process) override {
    return std::make_unique<TcpAttacker>(endpoints_[process.value]);
  }
  std::uint64_t refused(const Fabric& rail) const override {
    return static_cast<const hw::TcpFabric&>(rail).counters().truncated;
  }
  // Connections that broke are made again after a moment.
  void settle() override {
    const timespec nap{0, 100'000};
    ::nanosleep(&nap, nullptr);
  }
};

class ShmAttacker final : public Attacker {
 public:
  explicit ShmAttacker(const std::string& name) {
    const bool opened = hw::ShmSegment::open("/dev/shm", name, segment_);
    HOLDFAST_ASSERT(opened);
    lane_ = *hw::claim_lane(segment_, *hw::identify(static_cast<std::int32_t>(::getpid())));
    tail_ = segment_.lane(lane_).tail.load();
  }
  // Who wants to send next must find it whole: whoever may write here could also remove the file.
  ~ShmAttacker() override {
    segment_.header().geometry = segment_.geometry();
    hw::give_back_lane(segment_, lane_);
  }

  void send(std::span<const std::byte> frame) override {
    hw::ShmCell& cell = segment_.cell(lane_, tail_);
    cell.sent_ns = static_cast<std::int64_t>(mix64(tail_));  // the future and the past
    cell.size = static_cast<std::uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), hw::ShmSegment::frame_of(cell));
    cell.published.store(++tail_);
    segment_.lane(lane_).tail.store(tail_);
    announce();
  }

  // Counts that cannot be, and lanes that do not exist.
  void vandalise(Random& random) override {
    for (auto& word : segment_.header().pending) word.store(random.next());
    segment_.header().sleeping.store(static_cast<std::uint32_t>(random.next()));
    segment_.header().geometry.frame_bytes = static_cast<std::uint32_t>(random.next());
    if (random.below(2) == 0 && segment_.lane(lane_).head.load() == tail_) {
      tail_ += 65 + static_cast<std::uint32_t>(random.below(1u << 31));
      segment_.lane(lane_).tail.store(tail_);
      announce();
    }
  }

 private:
  void announce() {
    segment_.header().pending[lane_ / 64].fetch_or(std::uint64_t{1} << (lane_ % 64));
  }

  hw::ShmSegment segment_;
  std::uint32_t lane_ = 0;
  std::uint32_t tail_ = 0;
};

class ShmRails final : public Rails {
 public:
  std::unique_ptr<Fabric> open(ProcessId process) override {
    hw::ShmOptions options;
    options.name = name(process);
    options.geometry.lanes = 24;
    options.peers_max = 64;
    return open_or_say<hw::ShmFabric>(options);
  }
  Address address(ProcessId process) const override { return hw::to_shm_address(name(process)); }
  std::unique_ptr<Attacker> attacker(ProcessId process) override {
    return std::make_unique<ShmAttacker>(name(process));
  }
  std::uint64_t refused(const Fabric& rail) const override {
    return static_cast<const hw::ShmFabric&>(rail).counters().truncated;
  }

 private:
  std::string name(ProcessId process) const {
    return "holdfast-hostile-" + std::to_string(::getpid()) + "-" + std::to_string(process.value);
  }
};

}  // namespace

std::unique_ptr<Rails> make_rails(std::string_view kind, std::uint32_t processes) {
  if (kind == "udp") return std::make_unique<UdpRails>(processes);
  if (kind == "tcp") return std::make_unique<TcpRails>(processes);
  if (kind == "shm") return std::make_unique<ShmRails>();
  return nullptr;
}

}  // namespace holdfast::hostile
