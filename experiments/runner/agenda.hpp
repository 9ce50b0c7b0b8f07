// Which replicates a campaign runs. A sweep point has a fixed number of them, or goes on until its
// medians are known well enough (precision.hpp).
//
// A point with a precision is looked at when its first `least` replicates are finished, and again
// whenever there are a quarter more. So what is run is always the first n replicates of each point,
// and n follows from what those found: not from the order in which they ended, nor from how many
// run at a time, nor from how often the campaign was resumed. While a point waits for its last
// replicates before a look, those of later points are begun.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/precision.hpp"

namespace holdfast::runner {

class Agenda {
 public:
  explicit Agenda(const Campaign& campaign);

  // The next replicate to run, which counts as begun; nothing: none may be begun before another is
  // finished, or none is left.
  std::optional<Job> begin();
  // It is known what the replicate found; also of one that an earlier run has finished.
  void finish(Job job, const Outcome& outcome);

  // How many replicates of the point are wanted, as far as is known.
  std::uint32_t wanted(std::uint32_t point) const { return points_[point].wanted; }
  bool has_finished(Job job) const;
  bool is_settled(std::uint32_t point) const { return points_[point].settled; }
  // How well the point was known at the last look; nothing before it, and without a precision.
  const std::optional<Narrowness>& known(std::uint32_t point) const { return points_[point].known; }

  // Everything is finished.
  bool complete() const;

  std::size_t finished() const { return finished_; }
  std::size_t wanted() const;
  // How many there will be in the end, by what is known now; for people.
  std::size_t expected() const;
  // The point that was known least at its last look and goes on; nothing without one.
  std::optional<std::uint32_t> least_known() const;

 private:
  enum class State : std::uint8_t { open, begun, finished };
  struct Point {
    std::vector<State> replicates;
    std::uint32_t next = 0;    // none before it is open
    std::uint32_t undone = 0;  // of those wanted
    std::uint32_t wanted = 0;
    bool settled = false;  // wanted is final
    std::vector<Measured> measured;
    std::optional<Narrowness> known;
    std::uint32_t looked_at = 0;  // replicates, when it became known
  };

  void want(Point& point, std::uint32_t count);
  void look(std::uint32_t index);
  const Experiment& experiment(std::size_t point) const {
    return campaign_.points[point].experiment;
  }

  const Campaign& campaign_;
  std::vector<Point> points_;
  std::size_t first_ = 0;  // no point before it has anything to begin, ever
  std::size_t finished_ = 0;
};

}  // namespace holdfast::runner
