// The control sequences are those of xterm, which every terminal of today obeys.
#include "experiments/program/live_screen.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace holdfast::program {
namespace {

constexpr const char* kEnter = "\033[?1049h\033[?25l";  // alternate screen, no cursor
constexpr const char* kLeave = "\033[?25h\033[?1049l";
constexpr const char* kHome = "\033[H";
constexpr const char* kClearLine = "\033[K";  // before its text: after it, where a line is as long
                                              // as the terminal is wide, it takes the last letter
constexpr const char* kRestOfScreen = "\033[J";
constexpr std::size_t kIndent = 4;  // of what goes on from the line before

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

// Adds a line in as many as it takes on so many columns, the later ones indented: each ends before
// a word, or within one that is longer than a line.
void fold(std::string_view line, std::size_t columns, std::vector<std::string>& folded) {
  std::string indent;
  while (indent.size() + line.size() > columns) {
    const std::size_t most = columns - indent.size();
    const std::size_t space = line.rfind(' ', most);
    const bool at_word = space != std::string_view::npos && space > 0;
    folded.push_back(indent + std::string(line.substr(0, at_word ? space : most)));
    line.remove_prefix(at_word ? space + 1 : most);
    indent = columns > 2 * kIndent ? std::string(kIndent, ' ') : "";
  }
  folded.push_back(indent + std::string(line));
}

std::vector<std::string> folded(const std::vector<std::string>& lines, const winsize& size) {
  std::vector<std::string> all;
  for (const std::string& line : lines) fold(line, size.ws_col, all);
  return all;
}

// The last row is left free, so that nothing scrolls.
std::size_t usable_rows(const winsize& size) {
  return size.ws_row - 1u;
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

std::size_t LiveScreen::rows_beyond(const std::vector<std::string>& lines) const {
  const winsize size = size_of_terminal();
  const std::size_t rows = folded(lines, size).size();
  return rows - std::min(rows, usable_rows(size));
}

void LiveScreen::draw(const std::vector<std::string>& lines) {
  const winsize size = size_of_terminal();
  std::vector<std::string> rows = folded(lines, size);
  rows.resize(std::min(rows.size(), usable_rows(size)));
  std::string text = kHome;
  for (const std::string& row : rows) text += kClearLine + row + "\n";
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
