// Buffers are as long as the longest step asked for so far, and touched before.
#include "experiments/netpipe/worker.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "experiments/netpipe/generator.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/tune/core_share.hpp"
#include "hw/tune/thread_time.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::size_t kWarmMost = 16;
constexpr std::size_t kWarmBytesMost = 1 << 20;

// Memory that starts where a page does.
class Pages {
 public:
  ~Pages() { std::free(memory_); }
  Pages() = default;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      std::free(memory_);
      bytes_ = (bytes + kAlignment - 1) / kAlignment * kAlignment;
      memory_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes_));
      if (memory_ == nullptr) throw std::bad_alloc();
      std::fill_n(memory_, bytes_, std::byte{1});
    }
    return memory_;
  }

 private:
  static constexpr std::size_t kAlignment = 1 << 21;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

class Steps {
 public:
  Steps(bool is_first, End& end) : is_first_(is_first), end_(end) {}

  Report prepare(const Order& order) {
    order_ = order;
    const std::size_t memory = Messages::stride(order.bytes) * order.count;
    const Messages out(out_.at_least(memory), order.bytes, order.count);
    in_.at_least(memory);
    const std::size_t warm = Messages::stride(order.bytes) * warm_count();
    warm_out_.at_least(warm);
    warm_in_.at_least(warm);
    for (std::size_t i = 0; i < out.count(); ++i) generate(name(sent_by_us(), i), out[i]);
    Report report;
    report.is_ok = 1;
    return report;
  }

  Report go() {
    warm_up();
    const Messages out(out_.at_least(0), order_.bytes, order_.count);
    const Messages in(in_.at_least(0), order_.bytes, order_.count);
    Report report;
    const Traffic before = end_.traffic();
    const double had = hw::thread_seconds();
    const Time begun = hw::monotonic_now();
    if (order_.pattern == Pattern::ping_pong) {
      end_.ping_pong(is_first_, out, in);
    } else if (is_first_) {
      end_.stream_out(out);
    } else {
      end_.stream_in(in);
    }
    report.seconds = 1e-9 * static_cast<double>((hw::monotonic_now() - begun).ns);
    report.processor_seconds = hw::thread_seconds() - had;
    report.traffic = end_.traffic() - before;
    report.round_trip_s = end_.round_trip_s();
    end_.settle();
    report.additions_per_cycle = hw::additions_per_cycle();
    const bool receives = order_.pattern == Pattern::ping_pong || !is_first_;
    for (std::size_t i = 0; receives && i < in.count(); ++i)
      report.wrong += is_generated(name(1 - sent_by_us(), i), in[i]) ? 0u : 1u;
    report.is_ok = 1;
    return report;
  }

 private:
  std::uint32_t sent_by_us() const { return is_first_ ? 0 : 1; }
  MessageName name(std::uint32_t direction, std::size_t i) const {
    return {order_.batch, direction, static_cast<std::uint32_t>(i)};
  }
  std::size_t warm_count() const {
    return std::clamp<std::size_t>(kWarmBytesMost / order_.bytes, 1, kWarmMost);
  }
  // In memory of its own: what is looked at afterwards must have come in what was timed.
  void warm_up() {
    end_.ping_pong(is_first_, Messages(warm_out_.at_least(0), order_.bytes, warm_count()),
                   Messages(warm_in_.at_least(0), order_.bytes, warm_count()));
  }

  bool is_first_;
  End& end_;
  Order order_;
  Pages out_, in_, warm_out_, warm_in_;
};

Report failure(const char* why) {
  Report report;
  std::snprintf(report.why.data(), report.why.size(), "%s", why);
  return report;
}

// The next order; meanwhile the other end may not be through. False: there is none.
bool next_order(int socket, End& end, bool is_awake, Order& order) {
  pollfd waited{socket, POLLIN, 0};
  while (is_awake && ::poll(&waited, 1, 0) == 0) end.progress();
  return read_whole(socket, &order, sizeof order);
}

}  // namespace

bool write_whole(int socket, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool read_whole(int socket, void* to, std::size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void bind_to_processor(unsigned place) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const int count = CPU_COUNT(&allowed);
  if (count < 2) return;
  unsigned left = place % static_cast<unsigned>(count);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || left-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

void serve(int socket, bool is_first, End& end) {
  Steps steps(is_first, end);
  Order order;
  bool is_awake = false;
  while (next_order(socket, end, is_awake, order)) {
    is_awake = order.kind != Order::Kind::rest;
    if (!is_awake) continue;
    Report report;
    try {
      report = order.kind == Order::Kind::prepare ? steps.prepare(order) : steps.go();
    } catch (const std::exception& error) {
      report = failure(error.what());
    }
    if (!write_whole(socket, &report, sizeof report)) return;
  }
}

}  // namespace holdfast::netpipe
