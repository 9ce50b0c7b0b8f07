// Time of a ping-pong through seam 1 over a connection, to be put beside Debian's ibv_rc_pingpong:
// the same bytes, one process at either adapter, both polling.
//
// usage: vm_ping_pong BYTES ROUNDS
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/verbs.hpp"

namespace holdfast::hw {
namespace {

constexpr Duration kPatience = seconds(20);

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "vm_ping_pong: %s\n", what);
  std::_Exit(1);
}

class Player {
 public:
  Player(std::size_t port, std::uint32_t bytes) : bytes_(bytes), memory_(2 * std::size_t{bytes}) {
    std::vector<VerbsPort> ports;
    if (!find_verbs_ports(ports).is_ok() || ports.size() < 2) stop("it takes two adapters");
    VerbsOptions options{.port = ports[port], .queue_key = 3};
    options.connections_max = 1;
    if (!open_verbs(options, fabric_).is_ok()) stop("an adapter cannot be opened");
    region_ = fabric_->register_memory(memory_);
  }

  Address address() const { return fabric_->local_address(); }
  void meet(const Address& other) {
    peer_ = fabric_->attach(other, Service::connected);
    offer();
    while (attached_ == 0) look();
  }
  void send() {
    Operation operation;
    operation.peer = peer_;
    operation.region = region_;
    operation.data = memory_.data();
    operation.size = bytes_;
    if (fabric_->post({&operation, 1}) != 1) stop("a send was not accepted");
    ++posted_;
  }
  // One more frame has arrived, be it while the two still met, and what was sent before it has
  // ended.
  void wait() {
    ++awaited_;
    while (received_ < awaited_ || sent_ < posted_) look();
    offer();
  }

 private:
  void offer() {
    const ReceiveSlot slot{region_, memory_.data() + bytes_, bytes_, 0, Service::connected};
    if (fabric_->offer({&slot, 1}) != 1) stop("a slot was not taken");
  }
  void look() {
    std::array<Event, 8> events;
    const std::size_t count = fabric_->poll(events);
    const Time now = monotonic_now();
    if (count > 0) heard_at_ = now;
    if (now > heard_at_ + kPatience) stop("nothing has happened for 20 s");
    for (std::size_t i = 0; i < count; ++i) {
      attached_ += events[i].kind == EventKind::attached;
      received_ += events[i].kind == EventKind::received;
      sent_ += events[i].kind == EventKind::sent && events[i].completion == Completion::ok;
      if (events[i].kind == EventKind::peer_down) stop("the connection ended");
    }
  }

  std::uint32_t bytes_;
  std::vector<std::byte> memory_;  // to send from, and the slot
  std::unique_ptr<Fabric> fabric_;
  Region region_;
  Peer peer_;
  std::uint64_t attached_ = 0, received_ = 0, awaited_ = 0, posted_ = 0, sent_ = 0;
  Time heard_at_ = monotonic_now();  // of the last event
};

void tell(int descriptor, const Address& address) {
  if (::write(descriptor, &address, sizeof address) != sizeof address) stop("a pipe broke");
}

Address hear(int descriptor) {
  Address address;
  if (::read(descriptor, &address, sizeof address) != sizeof address) stop("a pipe broke");
  return address;
}

int run(std::uint32_t bytes, int rounds) {
  std::array<int, 2> to_child{}, to_parent{};
  if (::pipe(to_child.data()) != 0 || ::pipe(to_parent.data()) != 0) stop("no pipe");
  const pid_t child = ::fork();
  if (child < 0) stop("no process");
  if (child == 0) {
    Player player(1, bytes);
    tell(to_parent[1], player.address());
    player.meet(hear(to_child[0]));
    for (int i = 0; i < rounds; ++i) {
      player.wait();
      player.send();
    }
    hear(to_child[0]);  // until the last one has arrived
    std::_Exit(0);
  }
  Player player(0, bytes);
  tell(to_child[1], player.address());
  player.meet(hear(to_parent[0]));
  const Time begin = monotonic_now();
  for (int i = 0; i < rounds; ++i) {
    player.send();
    player.wait();
  }
  const Duration took = monotonic_now() - begin;
  tell(to_child[1], player.address());
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("seam 1: %d rounds of %u bytes, %.1f us each\n", rounds, bytes,
              static_cast<double>(took.ns) / 1e3 / rounds);
  return status == 0 ? 0 : 1;
}

}  // namespace
}  // namespace holdfast::hw

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: vm_ping_pong BYTES ROUNDS\n");
    return 2;
  }
  return holdfast::hw::run(static_cast<std::uint32_t>(std::atoi(words[1])), std::atoi(words[2]));
}
