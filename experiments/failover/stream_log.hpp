// What the two processes of a stream write down while it runs, in memory that they share with the
// process that watches them: each entry is written once and then counted, so it may be read at any
// time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::failover {

// Of one rail, as one end judges it.
struct HealthChange {
  Time at;
  std::uint8_t rail = 0;  // of the stream's
  bool carries = true;    // it is up from now on, or is not
};

struct StreamLog {
  static constexpr std::uint32_t kDeliveriesMax = 1 << 18;
  static constexpr std::uint32_t kChangesMax = 1 << 12;

  // Of one process; 0 sends, 1 receives.
  struct End {
    std::atomic<std::uint32_t> is_ready;
    std::atomic<std::uint32_t> has_failed;  // `why` says it
    std::array<char, 240> why;
    std::atomic<std::uint32_t> ports_down;  // times that the kernel said so
    std::atomic<std::uint64_t> send_errors;
    std::atomic<std::uint32_t> changes;
    std::array<HealthChange, kChangesMax> change;

    void add(const HealthChange& what);
    void fail(const char* what);
  };

  std::atomic<std::uint32_t> stop;  // told by who watches
  std::array<End, 2> ends;
  std::atomic<std::uint32_t> wrong;  // messages that are not what was sent
  std::atomic<std::uint32_t> deliveries;
  std::array<Time, kDeliveriesMax> delivery;  // in order; what does not fit is left out

  void deliver(Time at, bool is_right);
};

class SharedLog {
 public:
  // A new one.
  static Status create(SharedLog& made);
  // That of another process; throws std::runtime_error.
  static SharedLog open(const std::string& path);
  SharedLog() = default;
  ~SharedLog();
  SharedLog(SharedLog&& other) noexcept { *this = std::move(other); }
  SharedLog& operator=(SharedLog&& other) noexcept;

  StreamLog& operator*() const { return *log_; }
  StreamLog* operator->() const { return log_; }
  // For open(), by processes of the same user, while this process lives.
  std::string path() const;

 private:
  hw::Descriptor memory_;
  StreamLog* log_ = nullptr;
};

}  // namespace holdfast::failover
