// The shared-memory fabric: frames between processes of one machine, copied once in and once out,
// with no system call while the receiver is awake.
//
// Each process owns one segment, its address, into which others write; each sender has a lane of it
// to itself. Sending and receiving are a copy and two atomic stores. A receiver that wants to sleep
// says so in its segment, and the next sender rings its bell.
//
// It is a datagram service: a frame is lost, and counted, if the receiver's lane is full (the
// receiver is stopped, or slow), if nobody has the address, or if the receiver has no lane or no
// memory left for us. So one slow receiver never holds up the others. Who comes back under an
// address is found again by itself.
//
// Everything is allocated by open() and attach(); no other call allocates, but the first frame to a
// receiver, or to its successor, maps its segment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/fabric_queues.hpp"
#include "hw/shared_handles.hpp"
#include "hw/shm/pass_choice.hpp"
#include "hw/shm/shm_segment.hpp"
#include "hw/watch/process_identity.hpp"
#include "hw/write_losses.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

struct ShmOptions {
  std::string name;                    // see is_shm_name; one of its own for each fabric
  std::string directory = "/dev/shm";  // of all processes that talk to each other
  ShmGeometry geometry;                // of what others may write to us
  std::uint32_t send_depth = 256;      // >= 1
  std::uint32_t receive_depth = 256;   // >= 1
  std::uint32_t peers_max = 4096;      // handles attached at one time
};

// What the fabric saw and nobody was told.
struct ShmCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t full = 0;         // frames lost: no room in the lane
  std::uint64_t unreachable = 0;  // frames lost: nobody has the address, or has room for us
  std::uint64_t oversized = 0;    // frames lost: larger than the receiver takes
  std::uint64_t truncated = 0;    // frames received longer than their slot, lost
  std::uint64_t corrupt = 0;      // lanes found in an impossible state, and emptied
};

class ShmFabric final : public Fabric {
 public:
  // An error names the file and the reason.
  static Status open(const ShmOptions& options, std::unique_ptr<ShmFabric>& opened);
  ~ShmFabric() override;

  const Caps& caps() const override { return caps_; }
  Address local_address() const override;
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  // Nothing to flush: what is posted has left.
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  void prepare(Peer peer) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return queues_.offer(slots); }
  // Completions in the order of their posts, then `writable`, then frames in order of arrival.
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;
  std::size_t losses(std::span<LostFrames> to) const override {
    return write_losses(to, {{"full", counters_.full},
                             {"unreachable", counters_.unreachable},
                             {"oversized", counters_.oversized},
                             {"truncated", counters_.truncated}});
  }

  const ShmCounters& counters() const { return counters_; }

 private:
  // Somebody to whom we send, by one or more handles.
  struct Receiver {
    std::string name;
    ShmSegment segment;  // not mapped: looked for when something is sent
    std::uint32_t lane = 0;
    std::uint32_t tail = 0;       // frames published,
    std::uint32_t announced = 0;  // and announced, as in the lane: at most a lane's fewer
    std::uint32_t head_seen = 0;  // the lane's head is not behind it
    Time look_again;              // not before
    PassChoice passes{1};         // of the lane
  };

  ShmFabric(const ShmOptions& options, ShmSegment segment, ProcessIdentity self);

  bool is_possible(const Operation& operation) const;
  bool find(Receiver& receiver, Time now);
  void leave(Receiver& receiver);
  void send(Receiver& receiver, const Operation& operation, Time now);
  static void write_second(PassChoice& choice, const Operation& operation, std::byte* to);
  static void announce(Receiver& receiver);

  // Of `ready_` and `pending` that have lanes.
  std::size_t words() const { return (segment_.geometry().lanes + 63) / 64; }
  bool gather();
  void watch(std::uint32_t lane);
  bool is_published(std::uint32_t lane) const;
  bool has_frame(std::uint32_t lane);
  struct Earliest {
    std::uint32_t lane;
    std::int64_t sent_ns;
    bool is_only_lane;
  };
  Earliest find_earliest();
  bool take(std::uint32_t lane, std::int64_t sent_ns, Event& event);

  Caps caps_;
  std::string name_;
  std::string directory_;
  ProcessIdentity self_;
  ShmSegment segment_;
  ShmCounters counters_;

  std::vector<Receiver> receivers_;  // by place
  SharedHandles handles_;
  std::uint32_t regions_ = 0;
  FabricQueues queues_;
  bool armed_ = false;  // the bell may have been rung
  Time last_arrival_;
  Time clock_read_;

  std::vector<std::uint32_t> heads_;  // by lane, as in the lane: what others write there is ignored
  std::array<std::uint64_t, kShmLanesMax / 64> ready_{};  // lanes that may hold frames
  // One of them is looked at with each poll, and its bit left among the announced ones: its sender
  // need not write where we read, nor we there where it does.
  std::uint32_t watched_;         // lane; kShmLanesMax: none
  std::uint32_t idle_polls_ = 0;  // in a row that found nothing in it
};

}  // namespace holdfast::hw
