// One post of equal frames from one fabric to the other.
#include "hw/probe/udp_runs.hpp"

#include <poll.h>

#include <array>
#include <memory>

#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

constexpr std::size_t kFrames = 4;
constexpr int kPatienceMs = 1'000;  // for what has been sent over the loopback already

struct Frame {
  std::array<std::byte, 64> bytes{};
};

Status exchange(UdpFabric& from, UdpFabric& to) {
  std::array<Frame, kFrames> sent, slots;
  std::array<Operation, kFrames> operations{};
  const Peer peer = from.attach(to.local_address(), Service::datagram);
  for (std::size_t i = 0; i < kFrames; ++i) {
    operations[i].peer = peer;
    operations[i].inline_data = true;
    operations[i].data = sent[i].bytes.data();
    operations[i].size = sizeof(Frame);
    const ReceiveSlot slot{{}, slots[i].bytes.data(), sizeof(Frame), i};
    if (to.offer({&slot, 1}) != 1) return Status::error("the UDP fabric takes no slots");
  }
  if (from.post(operations) != kFrames || from.counters().send_errors > 0)
    return Status::error("the loopback takes no datagrams");
  std::array<Event, kFrames> events;
  while (to.counters().frames_received < kFrames) {
    const Armed armed = to.arm();
    pollfd waiting{armed.descriptor, POLLIN, 0};
    if (armed.idle && ::poll(&waiting, 1, kPatienceMs) <= 0)
      return Status::error("nothing arrives over the loopback");
    static_cast<void>(to.poll(events));
  }
  return Status::ok();
}

}  // namespace

void probe_udp_runs(FactGroup& sockets) {
  std::unique_ptr<UdpFabric> a, b;
  Status status = UdpFabric::open({}, a);
  if (status.is_ok()) status = UdpFabric::open({}, b);
  if (status.is_ok()) status = exchange(*a, *b);
  if (!status.is_ok()) {
    for (const char* fact : {"sends_runs", "receives_runs"})
      sockets.add_unknown(fact, status.message());
    return;
  }
  sockets.add("sends_runs", a->counters().runs_sent > 0);
  sockets.add("receives_runs", b->counters().runs_received > 0);
}

}  // namespace holdfast::hw
