// Pages of the kernel's that are zero are a log in which nothing is written.
#include "experiments/failover/stream_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace holdfast::failover {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

StreamLog* mapped(int memory) {
  void* const at =
      ::mmap(nullptr, sizeof(StreamLog), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  return at == MAP_FAILED ? nullptr : static_cast<StreamLog*>(at);
}

}  // namespace

void StreamLog::End::add(const HealthChange& what) {
  const std::uint32_t count = changes.load(std::memory_order_relaxed);
  if (count == kChangesMax) return;
  change[count] = what;
  changes.store(count + 1, std::memory_order_release);
}

void StreamLog::End::fail(const char* what) {
  std::snprintf(why.data(), why.size(), "%s", what);
  has_failed.store(1, std::memory_order_release);
}

void StreamLog::deliver(Time at, bool is_right) {
  if (!is_right) wrong.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t count = deliveries.load(std::memory_order_relaxed);
  if (count == kDeliveriesMax) return;
  delivery[count] = at;
  deliveries.store(count + 1, std::memory_order_release);
}

Status SharedLog::create(SharedLog& made) {
  SharedLog log;
  log.memory_ = hw::Descriptor(::memfd_create("holdfast-stream", MFD_CLOEXEC));
  if (log.memory_.is_open() && ::ftruncate(log.memory_.get(), sizeof(StreamLog)) == 0)
    log.log_ = mapped(log.memory_.get());
  if (log.log_ == nullptr)
    return Status::error(std::string("shared memory cannot be had: ") + std::strerror(errno));
  made = std::move(log);
  return Status::ok();
}

SharedLog SharedLog::open(const std::string& path) {
  SharedLog log;
  log.memory_ = hw::Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (log.memory_.is_open()) log.log_ = mapped(log.memory_.get());
  if (log.log_ == nullptr)
    throw std::runtime_error("the log " + path + " cannot be opened: " + std::strerror(errno));
  return log;
}

SharedLog::~SharedLog() {
  if (log_ != nullptr) ::munmap(log_, sizeof *log_);
}

SharedLog& SharedLog::operator=(SharedLog&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(log_, other.log_);
  return *this;
}

std::string SharedLog::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory_.get());
}

}  // namespace holdfast::failover
