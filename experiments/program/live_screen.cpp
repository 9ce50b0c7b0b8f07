// The control sequences are those of xterm, which every terminal of today obeys.
#include "experiments/program/live_screen.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace holdfast::program {
namespace {

constexpr const char* kEnter = "\033[?1049h\033[?25l";  // alternate screen, no cursor
constexpr const char* kLeave = "\033[?25h\033[?1049l";
constexpr const char* kHome = "\033[H";
constexpr const char* kEndOfLine = "\033[K\n";
constexpr const char* kRestOfScreen = "\033[J";

winsize size_of_terminal() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  return size;
}

sigset_t handled() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGTSTP}) ::sigaddset(&set, number);
  return set;
}

void say(const char* sequence) {
  std::fputs(sequence, stdout);
  std::fflush(stdout);
}

}  // namespace

LiveScreen::LiveScreen() {
  const sigset_t set = handled();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  say(kEnter);
}

LiveScreen::~LiveScreen() {
  say(kLeave);
  ::close(signals_);
  const sigset_t set = handled();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

std::size_t LiveScreen::rows() const {
  return size_of_terminal().ws_row;
}

void LiveScreen::draw(const std::vector<std::string>& lines) {
  const winsize size = size_of_terminal();
  std::string text = kHome;
  // The last row is left free, so that nothing scrolls.
  const std::size_t count = std::min<std::size_t>(lines.size(), size.ws_row - 1u);
  for (std::size_t i = 0; i < count; ++i) text += lines[i].substr(0, size.ws_col) + kEndOfLine;
  say((text + kRestOfScreen).c_str());
}

bool LiveScreen::wait(int milliseconds) {
  pollfd waiting{signals_, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return true;
  signalfd_siginfo received;
  if (::read(signals_, &received, sizeof received) != sizeof received) return true;
  if (received.ssi_signo != SIGTSTP) return false;
  say(kLeave);  // Ctrl-Z: the shell needs its screen until we go on
  ::raise(SIGSTOP);
  say(kEnter);
  return true;
}

}  // namespace holdfast::program
