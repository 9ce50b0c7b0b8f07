// Keeps signals from the calling thread, and from threads that it makes meanwhile, which have its
// mask for good. Until destroyed. For one thread.
#pragma once

#include <signal.h>

#include <initializer_list>

namespace holdfast::hw {

class BlockedSignals {
 public:
  // All of them: for a thread that shall handle none.
  BlockedSignals() {
    ::sigfillset(&set_);
    block();
  }
  // These: one that arrives waits for who reads set() with a signalfd.
  BlockedSignals(std::initializer_list<int> numbers) {
    ::sigemptyset(&set_);
    for (const int number : numbers) ::sigaddset(&set_, number);
    block();
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& set() const { return set_; }

 private:
  // It cannot fail: the arguments are right.
  void block() { ::pthread_sigmask(SIG_BLOCK, &set_, &before_); }

  sigset_t set_{};
  sigset_t before_{};
};

}  // namespace holdfast::hw
