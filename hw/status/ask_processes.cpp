// Batches of connections under poll(2), so that descriptors suffice for jobs of any size.
#include "hw/status/ask_processes.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string_view>

#include "hw/descriptor.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/status/status_json.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kBatch = 256;
constexpr std::size_t kAnswerBytesMax = 64u << 20;
constexpr std::string_view kQuestion = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view kGood = "HTTP/1.1 200 ";
constexpr std::string_view kNotNow = "HTTP/1.1 503 ";

struct Asked {
  Answer* answer;
  Descriptor socket;  // closed: nothing more is awaited
  std::string text;
};

// A socket may outlive the process that listened: a child of it has it too. Nobody will answer.
bool is_orphaned(int socket) {
  ucred listener{};
  socklen_t size = sizeof listener;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0) return false;
  return listener.pid > 0 && ::kill(listener.pid, 0) != 0 && errno == ESRCH;
}

// A connection to who listens there, unless nobody does any more; then its place is removed.
Descriptor connect_to_living(Answer& answer) {
  bool gone = false;
  Descriptor socket = connect_to(answer.place, gone);
  if (socket.is_open() && is_orphaned(socket.get())) {
    ::unlink(answer.place.path.c_str());
    socket.close();
    gone = true;
  }
  if (gone) answer.kind = Answer::Kind::gone;
  return socket;
}

// Without a word: it may have ended with our question before it, which a second attempt tells.
void hang_up(Asked& asked) {
  asked.socket.close();
  if (asked.text.empty()) (void)connect_to_living(*asked.answer);
}

Asked ask(Answer& answer) {
  Asked asked{&answer, connect_to_living(answer), {}};
  // So little always has room in a new connection.
  if (asked.socket.is_open() && ::send(asked.socket.get(), kQuestion.data(), kQuestion.size(),
                                       MSG_NOSIGNAL) != static_cast<ssize_t>(kQuestion.size())) {
    hang_up(asked);
  }
  return asked;
}

void understand(const Asked& asked) {
  const std::string_view text = asked.text;
  Answer& answer = *asked.answer;
  if (text.empty() || text.starts_with(kNotNow)) return;
  const std::size_t head = text.find("\r\n\r\n");
  Status status = Status::error("it does not answer as a process of a job does");
  if (text.starts_with(kGood) && head != std::string_view::npos) {
    status = parse_status_json(text.substr(head + 4), answer.status);
    const bool same =
        answer.status.job == answer.place.job && answer.status.self == answer.place.process;
    if (status.is_ok() && !same) status = Status::error("it is another process");
  }
  answer.kind = status.is_ok() ? Answer::Kind::shown : Answer::Kind::odd;
  answer.complaint = status.message();
}

// Takes what has come; at the end of the answer the socket is closed.
void hear(Asked& asked) {
  std::array<char, 64 * 1024> part;
  const ssize_t got = ::recv(asked.socket.get(), part.data(), part.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0 && asked.text.size() < kAnswerBytesMax) {
    asked.text.append(part.data(), static_cast<std::size_t>(got));
    return;
  }
  hang_up(asked);
  if (got == 0) understand(asked);
}

void ask_batch(std::span<Answer> answers, Duration patience) {
  std::vector<Asked> asked;
  for (Answer& answer : answers) asked.push_back(ask(answer));
  const Time until = monotonic_now() + patience;
  while (true) {
    std::vector<pollfd> waiting;
    for (const Asked& one : asked) waiting.push_back({one.socket.get(), POLLIN, 0});
    const bool any = std::any_of(asked.begin(), asked.end(),
                                 [](const Asked& one) { return one.socket.is_open(); });
    const Duration left = until - monotonic_now();
    if (!any || left <= Duration{0}) return;
    const auto left_ms = static_cast<int>(left / milliseconds(1)) + 1;
    if (::poll(waiting.data(), waiting.size(), left_ms) <= 0) continue;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (waiting[i].revents != 0) hear(asked[i]);
    }
  }
}

}  // namespace

std::vector<Answer> ask_processes(const std::vector<StatusPlace>& places, Duration patience) {
  std::vector<Answer> answers;
  for (const StatusPlace& place : places) answers.push_back({place, Answer::Kind::silent, {}, {}});
  for (std::size_t i = 0; i < answers.size(); i += kBatch) {
    ask_batch(std::span(answers).subspan(i, std::min(kBatch, answers.size() - i)), patience);
  }
  return answers;
}

}  // namespace holdfast::hw
