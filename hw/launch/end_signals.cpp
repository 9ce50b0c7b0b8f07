// A signalfd.
#include "hw/launch/end_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace holdfast::hw {

Status EndSignals::take() {
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&ends, number);
  masked_ = ::pthread_sigmask(SIG_BLOCK, &ends, &mask_before_) == 0;
  signals_ = Descriptor(::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
  if (masked_ && signals_.is_open()) return Status::ok();
  return Status::error(std::string("launch: cannot wait for signals: ") + std::strerror(errno));
}

int EndSignals::read() {
  signalfd_siginfo received;
  if (::read(signals_.get(), &received, sizeof received) != sizeof received) return 0;
  return static_cast<int>(received.ssi_signo);
}

EndSignals::~EndSignals() {
  if (masked_) ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

}  // namespace holdfast::hw
