// One of the two processes between which messages go, by some means: ours, a plain socket, MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace holdfast::netpipe {

// Messages of one length, each with memory of its own, of which the benchmark's lines begin where
// those of a cache do.
class Messages {
 public:
  // `memory` has room for `count` of them.
  Messages(std::byte* memory, std::size_t bytes, std::size_t count)
      : memory_(memory), bytes_(bytes), count_(count) {}
  static constexpr std::size_t stride(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  std::span<std::byte> operator[](std::size_t i) const {
    return {memory_ + i * stride(bytes_), bytes_};
  }
  std::size_t bytes() const { return bytes_; }
  std::size_t count() const { return count_; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
  std::size_t count_;
};

// Nothing came, or what came cannot go on.
struct EndFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What an end has sent since the beginning, and what became of it.
struct Traffic {
  std::uint64_t fragments_sent = 0;    // first copies
  std::uint64_t fragments_resent = 0;  // some perhaps in vain
  // As it was told to (RailPlan::faults), of any kind; lost, too, if too many wait.
  std::uint64_t frames_lost = 0;
  std::uint64_t frames_late = 0;

  Traffic operator-(const Traffic& before) const {
    return {fragments_sent - before.fragments_sent, fragments_resent - before.fragments_resent,
            frames_lost - before.frames_lost, frames_late - before.frames_late};
  }
};

class End {
 public:
  virtual ~End() = default;

  // Both ends are called with as many messages of the same length, and throw EndFailed.
  // One message after the other, there and back: the first end begins.
  virtual void ping_pong(bool is_first, const Messages& out, const Messages& in) = 0;
  // All of them as fast as may be; returns when the other end has told that it has the last one.
  virtual void stream_out(const Messages& out) = 0;
  virtual void stream_in(const Messages& in) = 0;

  // Until nothing is owed to the other end: after each of the above, and outside of what is timed.
  virtual void settle() {}
  // Called again and again while the other end may not have settled.
  virtual void progress() {}
  // Plain ends cannot say.
  virtual Traffic traffic() const { return {}; }
  virtual double round_trip_s() const { return 0; }  // as it waits for answers; 0: not known
};

// One that sends and receives a message after the other, in their order.
class OrderedEnd : public End {
 public:
  void ping_pong(bool is_first, const Messages& out, const Messages& in) override;
  void stream_out(const Messages& out) override;
  void stream_in(const Messages& in) override;

 private:
  // Returns when the memory may change.
  virtual void send(std::span<const std::byte> message) = 0;
  virtual void receive(std::span<std::byte> message) = 0;
};

// How often a loop that waits may look until it has waited too long; looks at the clock seldom,
// but after each sleep.
class Patience {
 public:
  explicit Patience(const std::string& what) : what_(what) {}
  void look_in_vain(bool slept) {
    if (slept || ++looks_ % kLooks == 0) check();
  }

 private:
  static constexpr unsigned kLooks = 1 << 14;
  void check();

  const std::string& what_;  // for whom
  unsigned looks_ = 0;
  long begun_s_ = 0;  // 0: not yet
};

}  // namespace holdfast::netpipe
