// A signalfd.
#include "hw/launch/end_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace holdfast::hw {

Status EndSignals::take() {
  blocked_.emplace(std::initializer_list<int>{SIGINT, SIGTERM, SIGHUP});
  signals_ = Descriptor(::signalfd(-1, &blocked_->set(), SFD_CLOEXEC | SFD_NONBLOCK));
  if (signals_.is_open()) return Status::ok();
  return Status::error(std::string("launch: cannot wait for signals: ") + std::strerror(errno));
}

int EndSignals::read() {
  signalfd_siginfo received;
  if (::read(signals_.get(), &received, sizeof received) != sizeof received) return 0;
  return static_cast<int>(received.ssi_signo);
}

}  // namespace holdfast::hw
