// A network for tests of endpoints: rails between processes whose frames a test may drop, double,
// delay and corrupt one by one, in virtual time. As a real fabric it reads a frame when it goes on
// the wire, overwrites slots that it gets back, and completes each operation once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "stack/address_book.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"
#include "stack/fabric.hpp"
#include "stack/reliable/endpoint.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::reliable {

// What becomes of one frame.
struct Fate {
  int copies = 1;    // 0: lost
  Duration later{};  // than usual
  // This byte of the payload, or of the header if it is below 48, arrives with a bit flipped.
  std::int64_t corrupt = -1;
  std::size_t cut_to = static_cast<std::size_t>(-1);  // bytes
};

// A datagram that is about to go on the wire.
struct Flight {
  std::size_t rail;
  ProcessId from, to;
  Time at;
  std::span<const std::byte> bytes;
  // An acknowledgement may have another frame behind it.
  std::vector<std::span<const std::byte>> frames() const {
    std::vector<std::span<const std::byte>> all;
    for (auto left = bytes; !left.empty(); left = left.subspan(all.back().size())) {
      all.push_back(first_message_frame(left));
    }
    return all;
  }
  // The first of that type; empty: there is none.
  std::span<const std::byte> find(MessageFrameType type) const {
    for (const auto frame : frames()) {
      if (type_of_message_frame(frame) == type) return frame;
    }
    return {};
  }
  bool has(MessageFrameType type) const { return !find(type).empty(); }
  bool carries_payload() const {
    return std::ranges::any_of(
        frames(), [](const auto frame) { return has_payload(type_of_message_frame(frame)); });
  }
};

struct RailKind {
  std::uint32_t frame_bytes_max = 1448;
  Duration latency = microseconds(10);
  std::uint64_t bytes_per_second = 1'000'000'000;
  bool is_inline = true;
  std::uint32_t post_frames = 64;  // best
  std::uint32_t peer_frames = 0;  // of all senders, where there are several; what is beyond is lost
  bool polls_memory = false;
};

class ScriptedNetwork;

class ScriptedFabric final : public Fabric {
 public:
  ScriptedFabric(ScriptedNetwork& network, std::size_t rail, ProcessId self, const RailKind& kind);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return {}; }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer) override {}
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return {1}; }
  std::size_t post(std::span<const Operation> operations) override;
  void prepare(Peer) override { prepared_after_posts = static_cast<std::int64_t>(posts); }
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {}; }

  // For the network and the test.
  void arrive(std::vector<std::byte> frame, Time at);
  void happen(EventKind kind);
  void complete();
  // Its process ends, and with it the memory of slots and frames.
  void forget() {
    pending_.clear();
    events_.clear();
    arrived_.clear();
    slots_.clear();
  }
  bool has_events() const { return !events_.empty() || (!arrived_.empty() && !slots_.empty()); }

  std::size_t room = static_cast<std::size_t>(-1);  // operations that are accepted
  std::uint64_t posts = 0;                          // calls of it,
  std::int64_t prepared_after_posts = -1;           // and before the last `prepare`; -1: none
  bool completes = true;                            // false: no "sent" is said any more
  bool reachable = true;

 private:
  friend class ScriptedNetwork;
  ScriptedNetwork* network_;
  std::size_t rail_;
  ProcessId self_;
  RailKind kind_;
  Caps caps_;
  Time free_at_;  // the link
  std::vector<Operation> pending_;
  std::deque<Event> events_;
  std::deque<std::pair<std::vector<std::byte>, Time>> arrived_;
  std::deque<ReceiveSlot> slots_;
};

// Processes 0 … n-1, each with the same rails.
class ScriptedNetwork final : public AddressBook {
 public:
  ScriptedNetwork(std::uint32_t processes, std::vector<RailKind> rails);

  Address address(std::size_t, ProcessId process) const override {
    Address address;
    store_le(address.bytes.data(), process.value);
    address.size = 4;
    return address;
  }
  std::vector<Fabric*> fabrics(std::uint32_t process);
  ScriptedFabric& fabric(std::uint32_t process, std::size_t rail) {
    return *fabrics_[process][rail];
  }

  // Decides on each frame as it goes on the wire; empty: all arrive.
  std::function<Fate(const Flight&)> script;
  // Rails that lose everything: (rail, from, to).
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> dead;
  void cut(std::size_t rail) {
    for (std::uint32_t a = 0; a < fabrics_.size(); ++a) {
      for (std::uint32_t b = 0; b < fabrics_.size(); ++b) dead.insert({rail, a, b});
    }
  }
  void mend(std::size_t rail) {
    std::erase_if(dead, [rail](const auto& way) { return std::get<0>(way) == rail; });
  }

  Time now;
  // Puts on the wire what has been posted.
  void launch();
  Time next_arrival() const {
    return under_way_.empty() ? Time::never() : under_way_.begin()->first.first;
  }
  // Lets arrive what is due.
  void deliver();
  std::uint64_t frames = 0;         // that were put on the wire
  std::uint64_t payload = 0;        // bytes of them behind the header
  std::size_t own_allocations = 0;  // while endpoints called

 private:
  friend class ScriptedFabric;
  struct Arrival {
    std::size_t rail;
    std::uint32_t to;
    std::vector<std::byte> bytes;
  };
  void send(ScriptedFabric& from, ProcessId to, std::span<const std::byte> bytes);

  std::vector<std::vector<std::unique_ptr<ScriptedFabric>>> fabrics_;
  std::map<std::pair<Time, std::uint64_t>, Arrival> under_way_;
  std::uint64_t count_ = 0;
};

}  // namespace holdfast::reliable
