// A cookie says what waits for the request, whether it is a receive, and how many bytes it must
// have.
#include "sim/jobs/player.hpp"

#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint64_t kOwedBits = 3, kReceives = 4;
constexpr unsigned kBytesShift = 3;

}  // namespace

Player::Player(std::unique_ptr<Course> course, ProcessId self, const PlayerOptions& options)
    : course_(std::move(course)), self_(self), options_(options) {}

bool Player::waits() const {
  return blocking_ > 0 || (waits_for_all_ && posted_ > 0);
}

Duration Player::summing(std::uint64_t bytes) const {
  if (options_.sum_bytes_per_second == 0) return {};
  return nanoseconds(static_cast<std::int64_t>(
      bytes * 1'000'000'000 / static_cast<std::uint64_t>(options_.sum_bytes_per_second)));
}

// False: the course is over.
bool Player::take_step(Time now) {
  waits_for_all_ = false;
  over_ = !course_->next(step_);
  const bool timed = !over_ && course_->is_timed();
  if (timed && !timed_) timed_from_ = now;
  if (timed_ && !timed) timed_until_ = now;
  timed_ = timed;
  has_step_ = !over_;
  summed_up_ = false;
  return has_step_;
}

// True: the process has to sum up the message before it is sent, and the wish says so unless
// something that was commanded must go first.
bool Player::sum_up_first(Wish& wish) {
  const Duration takes = summing(step_.bytes);
  if (summed_up_ || takes == Duration{0}) return false;
  if (!wish.commanded) {
    wish.computes = takes;
    summed_up_ = true;
  }
  return true;
}

// False: it could not be done yet.
bool Player::message(MessagePort& port, Wish& wish) {
  if (step_.peer == self_) return true;
  const bool sends = step_.kind == StepKind::send || step_.kind == StepKind::post_send;
  const bool posts = step_.kind == StepKind::post_send || step_.kind == StepKind::post_receive;
  const bool buffered = sends && step_.bytes <= options_.buffered_bytes_max;
  const Owed owed = buffered ? Owed::buffered : posts ? Owed::posted : Owed::blocking;
  if (sends && sum_up_first(wish)) return false;
  const std::uint64_t cookie =
      step_.bytes << kBytesShift | (sends ? 0 : kReceives) | static_cast<std::uint64_t>(owed);
  const bool taken = sends ? port.send(step_.peer, step_.tag, step_.bytes, cookie)
                           : port.receive(step_.peer, step_.tag, step_.bytes, cookie);
  if (!taken) return false;
  wish.commanded = true;
  if (owed == Owed::posted) ++posted_;
  if (owed == Owed::blocking) ++blocking_;
  if (sends) {
    ++messages_sent_;
    bytes_sent_ += step_.bytes;
  }
  return true;
}

Player::Wish Player::act(MessagePort& port, Time now) {
  Wish wish;
  if (to_sum_ > Duration{0}) {
    wish.computes = std::exchange(to_sum_, Duration{0});
    return wish;
  }
  while (!over_ && !waits()) {
    if (!has_step_ && !take_step(now)) return wish;
    switch (step_.kind) {
      case StepKind::compute: {
        if (wish.commanded) return wish;
        has_step_ = false;
        const double scaled = static_cast<double>(step_.duration.ns) * options_.compute_scale;
        wish.computes = nanoseconds(static_cast<std::int64_t>(scaled));
        if (wish.computes > Duration{0}) return wish;
        break;
      }
      case StepKind::wait_all:
        has_step_ = false;
        waits_for_all_ = true;
        break;
      case StepKind::enter:
        has_step_ = false;
        break;
      case StepKind::send:
      case StepKind::receive:
      case StepKind::post_send:
      case StepKind::post_receive:
        if (!message(port, wish)) return wish;
        has_step_ = false;
        break;
    }
  }
  return wish;
}

void Player::completed(std::uint64_t cookie, std::uint64_t bytes) {
  HOLDFAST_ASSERT(bytes == cookie >> kBytesShift);  // another message than the one that was meant
  const auto owed = static_cast<Owed>(cookie & kOwedBits);
  if (owed == Owed::posted) --posted_;
  if (owed == Owed::blocking) --blocking_;
  if ((cookie & kReceives) != 0) to_sum_ = to_sum_ + summing(bytes);
}

}  // namespace holdfast::sim
