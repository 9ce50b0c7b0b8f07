// A fabric around a fabric, on whose way frames are lost, doubled, corrupted, truncated, delayed
// and reordered (frame_faults.hpp): all of them at all times, and those between some processes at
// planned ones (scheduled_faults.hpp). It serves a simulated fabric and a real one alike.
//
// All of it happens at the sender, who alone knows to whom a frame goes. What is late waits here,
// as in the queue of a slow adapter: it is lost with its sender, late if that is stopped, and too
// much if more wait than there is room for. As far as the sender can tell a frame has been sent in
// any case. Watches are left alone. Connections, which promise what this breaks, are not offered,
// nor one-sided operations, nor frames that the inner fabric does not take inline. kOwnCookie is no
// cookie of who posts.
//
// Who sleeps must wake for what waits: arm() says when (Armed::until); a poll sends what is due.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stack/fabric.hpp"
#include "stack/impair/frame_faults.hpp"
#include "stack/impair/late_frames.hpp"
#include "stack/impair/scheduled_faults.hpp"

namespace holdfast {

struct ImpairedOptions {
  FrameFaults faults;  // of every frame
  // The job's plan, which must outlive the fabric; of it what concerns the frames of `self` on this
  // rail.
  std::span<const FaultWindow> windows = {};
  ProcessId self = kNoProcess;
  std::uint8_t rail = 0;  // that this fabric is to it
  // Who is reached by an address; kNoProcess: nobody. Asked by attach, if the plan concerns self.
  std::function<ProcessId(const Address&)> process_at = {};
  std::uint64_t seed = 0;
  std::uint64_t life = 0;         // of the sender, see FrameFates
  std::uint32_t late_max = 1024;  // frames that wait at one time; more are lost
  // The engine's; asked only where a frame is or may be late, and until the plan is over.
  std::function<Time()> clock;
};

class ImpairedFabric final : public Fabric {
 public:
  // `inner` must outlive this. Allocates nothing after construction.
  ImpairedFabric(Fabric& inner, ImpairedOptions options);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return inner_.local_address(); }
  Peer attach(const Address& address, Service service) override;
  // What waits for this peer is lost.
  void detach(Peer peer) override;
  void reset(Peer peer) override { inner_.reset(peer); }
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  void set_placer(FramePlacer* placer, std::uint32_t beginning_bytes) override {
    inner_.set_placer(placer, beginning_bytes);
  }
  void set_lending(bool lends) override { inner_.set_lending(lends); }
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return inner_.offer(slots); }
  // Completions of what this fabric has dealt with itself, then the events of the inner one.
  std::size_t poll(std::span<Event> events) override;
  void look_anew() override { inner_.look_anew(); }
  bool set_path(Peer peer, PathChoice choice) override { return inner_.set_path(peer, choice); }
  Armed arm() override;
  std::size_t losses(std::span<LostFrames> to) const override { return inner_.losses(to); }

  // When the job starts, or has started, on the clock; nothing happens by plan before it is told.
  void start(Time start) { scheduled_.start(start); }
  // From now on nothing happens to frames but by plan; what is late comes.
  void heal() { options_.faults = FrameFaults{}; }
  // When the first of the late frames is due; never() if there is none.
  Time next_due() const { return late_ ? late_->next_due() : Time::never(); }
  const FrameFaultCounts& counts() const { return counts_; }

 private:
  bool is_scheduled() { return !scheduled_.over() && scheduled_.open(options_.clock()); }
  FrameFate draw(const Operation& operation, bool scheduled);
  bool post_some(std::span<const Operation> operations, bool scheduled, std::size_t& accepted);
  bool deal_with(const Operation& operation, const FrameFate& fate);
  void send(Peer to, std::span<std::byte> frame, Duration delay);
  void send_late();
  std::size_t without_surplus(std::span<Event> events);

  Fabric& inner_;
  ImpairedOptions options_;
  Caps caps_;
  ScheduledFaults scheduled_;
  FrameFates fates_;
  FrameFaultCounts counts_;
  std::vector<std::byte> spoilt_;   // a frame with its wrong bit
  std::optional<LateFrames> late_;  // if any can be late
  std::vector<Event> completions_;  // of operations that never reached the inner fabric
  bool owes_writable_ = false;      // to whoever posts
  bool refused_here_ = false;       // for want of room for completions
};

}  // namespace holdfast
