// One reader of the server: reads a request, writes an answer, waits for the other end to close.
// Its bytes are bounded and so is its time, whatever the reader does.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "hw/descriptor.hpp"
#include "hw/status/http_exchange.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

class Connection {
 public:
  enum class Phase : std::uint8_t {
    reading,  // the head has not come yet
    asking,   // it has; answer() is awaited
    writing,
    draining,  // the answer has left; what the reader still sends is thrown away, or else the
               // kernel would take the answer back (TCP's reset)
    over,
  };

  Connection(Descriptor socket, Time until) : socket_(std::move(socket)), until_(until) {}

  // Does what can be done without waiting.
  void go_on(std::int64_t unix_s);
  // While asking.
  void answer(std::string answer);
  // Its time is up.
  void expire(std::int64_t unix_s);

  int descriptor() const { return socket_.get(); }
  short wanted() const;  // of poll
  Time until() const { return until_; }
  Phase phase() const { return phase_; }
  const HttpRequest& request() const { return request_; }

 private:
  void read(std::int64_t unix_s);
  void write();
  void drain();

  Descriptor socket_;
  Time until_;
  Phase phase_ = Phase::reading;
  std::array<char, kHttpHeadBytesMax> head_{};
  std::size_t read_ = 0;
  std::size_t drained_ = 0;
  HttpRequest request_;
  std::string answer_;
  std::size_t written_ = 0;
};

}  // namespace holdfast::hw
