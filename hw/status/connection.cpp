// Every call of the kernel is one that does not wait.
#include "hw/status/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace holdfast::hw {

namespace {

constexpr std::size_t kDrainedBytesMax = 256 * 1024;

bool must_wait() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

short Connection::wanted() const {
  switch (phase_) {
    case Phase::reading:
    case Phase::draining:
      return POLLIN;
    case Phase::writing:
      return POLLOUT;
    case Phase::asking:
    case Phase::over:
      break;
  }
  return 0;
}

void Connection::go_on(std::int64_t unix_s) {
  if (phase_ == Phase::reading) read(unix_s);
  if (phase_ == Phase::writing) write();
  if (phase_ == Phase::draining) drain();
}

void Connection::read(std::int64_t unix_s) {
  const ssize_t got = ::recv(socket_.get(), head_.data() + read_, head_.size() - read_, 0);
  if (got < 0 && must_wait()) return;
  if (got <= 0) {
    phase_ = Phase::over;
    return;
  }
  read_ += static_cast<std::size_t>(got);
  const HttpCode code = parse_http_head({head_.data(), read_}, request_);
  if (code == HttpCode::incomplete) return;
  phase_ = Phase::asking;
  if (code != HttpCode::ok) answer(http_error(code, request_.head_only, unix_s));
}

void Connection::answer(std::string answer) {
  answer_ = std::move(answer);
  phase_ = Phase::writing;
  write();
}

void Connection::expire(std::int64_t unix_s) {
  if (phase_ == Phase::reading && read_ > 0) {
    answer(http_error(HttpCode::request_timeout, false, unix_s));
  } else if (phase_ == Phase::asking) {
    answer(http_error(HttpCode::service_unavailable, request_.head_only, unix_s));
  }
  phase_ = Phase::over;
}

void Connection::write() {
  const std::size_t left = answer_.size() - written_;
  const ssize_t sent = ::send(socket_.get(), answer_.data() + written_, left, MSG_NOSIGNAL);
  if (sent < 0 && must_wait()) return;
  if (sent < 0) {
    phase_ = Phase::over;
    return;
  }
  written_ += static_cast<std::size_t>(sent);
  if (written_ < answer_.size()) return;
  ::shutdown(socket_.get(), SHUT_WR);
  phase_ = Phase::draining;
}

void Connection::drain() {
  std::array<char, 4096> thrown_away;
  while (true) {
    const ssize_t got = ::recv(socket_.get(), thrown_away.data(), thrown_away.size(), 0);
    if (got < 0 && must_wait()) return;
    drained_ += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (got <= 0 || drained_ > kDrainedBytesMax) break;
  }
  phase_ = Phase::over;
}

}  // namespace holdfast::hw
