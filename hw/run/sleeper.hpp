// How a process sleeps: until an instant, a rail's event, a signal to end, the end of its launcher,
// or another thread's bell; whichever comes first, and without losing any of them.
#pragma once

#include <sys/epoll.h>

#include <optional>
#include <span>
#include <vector>

#include "hw/blocked_signals.hpp"
#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

enum class Wake : std::uint8_t {
  work,       // the instant has come, the bell was rung, or a rail has events
  signal,     // SIGTERM or SIGINT
  abandoned,  // the other end of the lifeline is closed
};

// What wakes beside instants and rails. Descriptors stay their owner's; -1: none.
struct WakeSources {
  bool signals = true;  // takes SIGTERM and SIGINT over, of the whole process
  int lifeline = -1;    // a socket or pipe whose other end is open as long as we are wanted
  int bell = -1;        // an eventfd; silenced when it has woken us
  // It does not sleep: it looks again and again. That keeps a core busy, and saves the microseconds
  // that a sleeping thread takes to wake.
  bool polls = false;
};

// Keeps what ends a process for a sleeper that comes later: what arrives meanwhile wakes it. For
// whoever says that a process is there before it sleeps.
class HeldSignals : public BlockedSignals {
 public:
  HeldSignals() : BlockedSignals{SIGTERM, SIGINT} {}
};

class Sleeper {
 public:
  Sleeper() = default;
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  // An error says what the system refused.
  Status open(const WakeSources& sources);

  // Arms the rails first, so that an event that arrives in between wakes.
  Wake sleep(Time until, std::span<Fabric* const> rails);

 private:
  bool arm(std::span<Fabric* const> rails, Time& until, int& longest_ms);
  void set_alarm(Time until);
  int wait(std::span<epoll_event> woken, Time until, int longest_ms);

  Descriptor epoll_;
  Descriptor alarm_;
  Descriptor signals_;
  int bell_ = -1;
  bool polls_ = false;
  Time alarm_at_ = Time::never();
  std::vector<int> armed_;  // rails' descriptors in the epoll set
  std::optional<HeldSignals> held_;
};

}  // namespace holdfast::hw
