// Question: a flag and a bell. Answer: a value under the lock and an eventfd.
#include "hw/status/status_board.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/status/take_status.hpp"

namespace holdfast::hw {

namespace {

void ring(int eventfd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(eventfd, &one, sizeof one);
}

}  // namespace

StatusBoard::StatusBoard(std::uint32_t job, ProcessId self, std::uint32_t processes,
                         std::vector<CountingFabric*> rails)
    : job_(job),
      pid_(static_cast<std::int32_t>(::getpid())),
      started_(monotonic_now()),
      rails_(std::move(rails)),
      history_(self, processes) {}

Status StatusBoard::open(int bell) {
  answered_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (bell < 0) own_bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  bell_ = bell < 0 ? own_bell_.get() : bell;
  if (answered_.is_open() && bell_ >= 0) return Status::ok();
  return Status::error(std::string("cannot make an eventfd: ") + std::strerror(errno));
}

void StatusBoard::turned(Time now, const Engine& engine) {
  ++turns_;
  if (engine.changed()) history_.note(now, engine.changes());
  if (!wanted_.load(std::memory_order_relaxed) || !wanted_.exchange(false)) return;
  draft_.job = job_;
  draft_.pid = pid_;
  draft_.started = started_;
  draft_.turns = turns_;
  take_status(now, engine, history_, rails_, draft_);
  {
    const std::lock_guard lock(mutex_);
    std::swap(draft_, answer_);
    there_ = true;
  }
  ring(answered_.get());
}

void StatusBoard::ask() {
  wanted_.store(true);
  ring(bell_);
}

bool StatusBoard::take(ProcessStatus& status) {
  std::uint64_t rung = 0;
  [[maybe_unused]] const ssize_t got = ::read(answered_.get(), &rung, sizeof rung);
  const std::lock_guard lock(mutex_);
  if (!std::exchange(there_, false)) return false;
  std::swap(status, answer_);
  return true;
}

}  // namespace holdfast::hw
