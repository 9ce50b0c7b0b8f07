// One process that plays its course: it does steps until one has to wait.
//
// It blocks where MPI would. A short message is buffered, so a send of one goes on at once; a long
// one goes on when the receiver has it. A message to the process itself takes no time: no wire sees
// it.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/jobs/course.hpp"
#include "sim/jobs/message_port.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

struct PlayerOptions {
  std::uint64_t buffered_bytes_max = 32768;  // messages up to this length are buffered
  double compute_scale = 1.0;                // of the times that the steps say, >= 0
  // > 0: the process sums up each message, whole, before it sends it and after it has received it:
  // at so many bytes a second, while it does nothing else. 0: it does not.
  std::int64_t sum_bytes_per_second = 0;
};

class Player {
 public:
  Player(std::unique_ptr<Course> course, ProcessId self, const PlayerOptions& options);

  struct Wish {
    bool commanded = false;  // the port was told something
    Duration computes = {};  // > 0: the process is busy for so long; then it is asked again
  };
  // Never both wishes at once.
  Wish act(MessagePort& port, Time now);
  // A request has completed, with so many bytes.
  void completed(std::uint64_t cookie, std::uint64_t bytes);

  bool is_over() const { return over_; }
  // From the beginning of the first timed step to the end of the last one.
  Duration timed() const { return timed_until_ - timed_from_; }
  std::uint64_t messages_sent() const { return messages_sent_; }  // to others
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  enum class Owed : std::uint8_t { posted, blocking, buffered };

  bool waits() const;
  bool take_step(Time now);
  bool message(MessagePort& port, Wish& wish);
  bool sum_up_first(Wish& wish);
  Duration summing(std::uint64_t bytes) const;

  std::unique_ptr<Course> course_;
  ProcessId self_;
  PlayerOptions options_;
  Step step_;
  bool has_step_ = false;
  bool summed_up_ = false;  // the message of step_
  bool waits_for_all_ = false;
  bool over_ = false;
  bool timed_ = false;  // a timed step has been taken, and no other one since
  Time timed_from_;
  Time timed_until_;
  std::uint32_t posted_ = 0;    // requests that the next wait_all waits for
  std::uint32_t blocking_ = 0;  // requests that the process waits for now
  Duration to_sum_ = {};        // of what has come
  std::uint64_t messages_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace holdfast::sim
