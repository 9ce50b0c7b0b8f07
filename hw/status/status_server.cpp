// One loop over poll(2): the stop, the board's answer, and of each door its socket and its readers.
#include "hw/status/status_server.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "hw/blocked_signals.hpp"
#include "hw/listener_rest.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/status/prometheus_text.hpp"
#include "hw/status/status_json.hpp"

namespace holdfast::hw {

namespace {

constexpr const char* kMetricsPage = "/metrics";
constexpr const char* kStatusPage = "/status";

std::int64_t unix_seconds() {
  return static_cast<std::int64_t>(::time(nullptr));
}

int milliseconds_until(Time at) {
  if (at == Time::never()) return -1;
  const std::int64_t ns = std::clamp<std::int64_t>((at - monotonic_now()).ns, 0, 3'600'000'000'000);
  return static_cast<int>((ns + 999'999) / 1'000'000);
}

}  // namespace

Status StatusServer::start(StatusBoard& board, ShowMessageRails messages,
                           std::vector<Descriptor> listening) {
  board_ = &board;
  messages_ = std::move(messages);
  for (Descriptor& socket : listening) doors_.push_back({std::move(socket), {}});
  stop_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_.is_open()) {
    return Status::error(std::string("cannot make an eventfd: ") + std::strerror(errno));
  }
  // A new thread has its maker's signal mask: none is to be handled there.
  const BlockedSignals all;
  Status status = Status::ok();
  try {
    thread_ = std::thread([this] { run(); });
    ::pthread_setname_np(thread_.native_handle(), "holdfast-status");
  } catch (const std::system_error& error) {
    status = Status::error(std::string("cannot start a thread: ") + error.what());
  }
  return status;
}

StatusServer::~StatusServer() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void StatusServer::run() {
  std::uint64_t stopped = 0;
  while (::read(stop_.get(), &stopped, sizeof stopped) < 0) {
    wait();
    const bool taken = board_->take(status_);
    if (taken && messages_) messages_(status_.message_rails);
    now_ = monotonic_now();
    if (taken) {
      fresh_until_ = now_ + kFreshFor;
      asked_ = false;
    }
    for (Door& door : doors_) {
      accept(door);
      for (Connection& reader : door.readers) {
        serve(reader);
        if (reader.until() <= now_) reader.expire(unix_seconds());
      }
      door.readers.remove_if(
          [](const Connection& reader) { return reader.phase() == Connection::Phase::over; });
    }
  }
}

void StatusServer::wait() {
  std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}, {board_->answered(), POLLIN, 0}};
  const bool rests = monotonic_now() < rests_until_;
  Time until = rests ? rests_until_ : Time::never();
  for (const Door& door : doors_) {
    const bool open = door.readers.size() < kReadersMax && !rests;
    waiting.push_back({open ? door.listening.get() : -1, POLLIN, 0});  // -1 is passed over
    for (const Connection& reader : door.readers) {
      until = std::min(until, reader.until());
      // Of one that waits for us the kernel would say again and again that it is gone.
      const bool waits = reader.phase() == Connection::Phase::asking;
      waiting.push_back({waits ? -1 : reader.descriptor(), reader.wanted(), 0});
    }
  }
  ::poll(waiting.data(), waiting.size(), milliseconds_until(until));
}

void StatusServer::accept(Door& door) {
  while (door.readers.size() < kReadersMax) {
    Descriptor socket(
        ::accept4(door.listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) {
      if (is_exhausted(errno)) rests_until_ = now_ + kListenerRest;
      return;
    }
    door.readers.emplace_back(std::move(socket), now_ + kReaderTime);
  }
}

void StatusServer::serve(Connection& reader) {
  reader.go_on(unix_seconds());
  if (reader.phase() == Connection::Phase::asking) answer(reader);
}

// With what is known, if that is fresh; else once the board has answered.
void StatusServer::answer(Connection& reader) {
  const HttpRequest& request = reader.request();
  const bool metrics = request.path == kMetricsPage;
  if (!metrics && request.path != kStatusPage) {
    reader.answer(http_error(HttpCode::not_found, request.head_only, unix_seconds()));
  } else if (now_ < fresh_until_) {
    const std::string page = metrics ? prometheus_text(status_) : status_json(status_);
    reader.answer(http_answer(HttpCode::ok, metrics ? kPrometheusContentType : "application/json",
                              page, request.head_only, unix_seconds()));
  } else if (!std::exchange(asked_, true)) {
    board_->ask();
  }
}

}  // namespace holdfast::hw
