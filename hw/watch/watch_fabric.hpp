// A fabric that only watches: it tells when a process of this machine ends, as the kernel says so
// (pidfd), at once and without a timeout. It carries no data.
//
// Addresses are process identities. A number that the kernel has given to another process since is
// not mistaken: its start time differs, and the watched process counts as ended.
//
// All handles are made when it is opened; a watch costs one descriptor. If none is left attach()
// finds nobody, and may be called again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/fixed_queue.hpp"
#include "hw/watch/process_identity.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class WatchFabric final : public Fabric {
 public:
  // At most `peers_max` >= 1 processes are watched at one time. An error says what the system
  // refuses.
  static Status open(std::uint32_t peers_max, std::unique_ptr<WatchFabric>& opened);
  // Whether the system lets processes be watched, by trying it with this one. For whoever is going
  // to: a process that is alone on its node watches nobody, and runs without.
  static Status try_watching();

  const Caps& caps() const override { return caps_; }
  // The identity of the process that opened it.
  Address local_address() const override { return to_address(self_); }
  Peer attach(const Address& address, Service service) override;
  // No event of this handle follows.
  void detach(Peer peer) override;
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return {}; }
  std::size_t post(std::span<const Operation>) override { return 0; }
  std::size_t offer(std::span<const ReceiveSlot>) override { return 0; }
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;

 private:
  struct Watched {
    bool attached = false;
    Descriptor process;  // open while the process is believed to run
  };

  WatchFabric(Descriptor epoll, ProcessIdentity self, std::uint32_t peers_max);
  void forget(Descriptor& process);

  Caps caps_;
  Descriptor epoll_;
  ProcessIdentity self_;
  std::vector<Watched> peers_;
  std::vector<std::uint32_t> free_;
  FixedQueue<Peer> ended_;  // found ended by attach, not yet told
};

}  // namespace holdfast::hw
