// A fabric for tests of the engine: what is posted can be looked at, what arrives is put there by
// hand, and it refuses when told to. It allocates nothing after construction.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"
#include "stack/base/ids.hpp"
#include "stack/engine.hpp"
#include "stack/fabric.hpp"

namespace holdfast {

class FakeFabric final : public Fabric {
 public:
  struct Frame {
    std::uint32_t to = 0;
    std::uint32_t size = 0;
    std::array<std::byte, kFrameBytesMax> bytes{};
    std::span<std::byte> used() { return std::span(bytes).first(size); }
  };

  explicit FakeFabric(std::uint32_t inline_bytes_max = kFrameBytesMax, bool datagram = true) {
    caps_.kind = "fake";
    caps_.frame_bytes_max = kFrameBytesMax;
    caps_.inline_bytes_max = inline_bytes_max;
    caps_.receive_depth = 256;
    caps_.datagram = datagram;
    caps_.watch = true;
    slots_.reserve(256);
    posted.reserve(4096);
    events_.reserve(256);
    arrived_.reserve(256);
    pending_.reserve(64);
  }

  // For the test.
  void arrive(std::span<const std::byte> frame, Time at) {
    Frame copy;
    copy.size = static_cast<std::uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), copy.bytes.begin());
    arrived_.push_back({copy, at});
  }
  void happen(const Event& event) { events_.push_back(event); }
  // Puts what was posted from memory on the wire, as it is there by now, and says so.
  void complete() {
    for (const Operation& operation : pending_) {
      keep(operation);
      events_.push_back(
          {EventKind::sent, Completion::ok, operation.peer, 0, operation.cookie, Time{}});
    }
    pending_.clear();
  }
  std::size_t pending() const { return pending_.size(); }

  std::vector<Frame> posted;     // in order
  std::uint64_t posts = 0;       // calls
  std::size_t room = 1'000'000;  // how many more operations are accepted
  bool fails = false;            // inline operations end in a `sent` that says so
  bool reachable = true;         // whether attach finds anybody
  std::vector<Peer> watched, detached;

  // The seam.
  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return {}; }
  Peer attach(const Address& address, Service service) override {
    if (!reachable) return kNoPeer;
    const Peer peer{load_le<std::uint32_t>(address.bytes.data())};
    if (service == Service::watch) watched.push_back(peer);
    return peer;
  }
  void detach(Peer peer) override { detached.push_back(peer); }
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return {7}; }
  std::size_t post(std::span<const Operation> operations) override {
    ++posts;
    std::size_t accepted = 0;
    for (const Operation& operation : operations) {
      if (room == 0) break;
      --room;
      ++accepted;
      HOLDFAST_ASSERT(operation.inline_data == (operation.size <= caps_.inline_bytes_max));
      if (operation.inline_data) {
        keep(operation);
        if (fails) {
          events_.push_back({EventKind::sent, Completion::local_error, operation.peer, 0,
                             operation.cookie, Time{}});
        }
      } else {
        HOLDFAST_ASSERT(operation.region == Region{7});
        pending_.push_back(operation);
      }
    }
    return accepted;
  }
  std::size_t offer(std::span<const ReceiveSlot> slots) override {
    slots_.insert(slots_.end(), slots.begin(), slots.end());
    return slots.size();
  }
  std::size_t poll(std::span<Event> events) override {
    std::size_t count = std::min(events.size(), events_.size());
    std::copy_n(events_.begin(), count, events.begin());
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    while (count < events.size() && !arrived_.empty() && !slots_.empty()) {
      const auto& [frame, at] = arrived_.front();
      const ReceiveSlot slot = slots_.back();
      slots_.pop_back();
      std::copy_n(frame.bytes.begin(), frame.size, slot.data);
      events[count++] = {EventKind::received, Completion::ok, kNoPeer, frame.size, slot.cookie, at};
      arrived_.erase(arrived_.begin());
    }
    return count;
  }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {}; }

 private:
  void keep(const Operation& operation) {
    Frame frame;
    frame.to = operation.peer.value;
    frame.size = operation.size;
    std::copy_n(operation.data, operation.size, frame.bytes.begin());
    posted.push_back(frame);
  }

  Caps caps_;
  std::vector<ReceiveSlot> slots_;
  std::vector<Event> events_;
  std::vector<std::pair<Frame, Time>> arrived_;
  std::vector<Operation> pending_;
};

// Addresses of the fake fabric: the process's number, and a thousand for each time it has moved.
class FakeAddresses final : public AddressBook {
 public:
  void move(ProcessId process) { moves_.push_back(process); }

  Address address(std::size_t, ProcessId process) const override {
    Address address;
    const auto moves = std::count(moves_.begin(), moves_.end(), process);
    store_le(address.bytes.data(), process.value + 1000 * static_cast<std::uint32_t>(moves));
    address.size = 4;
    return address;
  }

 private:
  std::vector<ProcessId> moves_;
};

}  // namespace holdfast
