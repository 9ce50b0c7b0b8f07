// Begins replicates in the order of the rows, and looks at a point when all that it wants are done.
#include "experiments/runner/agenda.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast::runner {

Agenda::Agenda(const Campaign& campaign) : campaign_(campaign), points_(campaign.points.size()) {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto& precision = experiment(i).precision;
    points_[i].settled = !precision;
    want(points_[i], precision ? precision->least : experiment(i).replicates);
  }
}

void Agenda::want(Point& point, std::uint32_t count) {
  point.undone += count - point.wanted;
  point.wanted = count;
  point.replicates.resize(count, State::open);
}

std::optional<Job> Agenda::begin() {
  while (first_ < points_.size() && points_[first_].settled &&
         points_[first_].next == points_[first_].wanted)
    ++first_;
  for (std::size_t i = first_; i < points_.size(); ++i) {
    Point& point = points_[i];
    while (point.next < point.wanted && point.replicates[point.next] != State::open) ++point.next;
    if (point.next == point.wanted) continue;
    point.replicates[point.next] = State::begun;
    return Job{static_cast<std::uint32_t>(i), point.next++};
  }
  return std::nullopt;
}

void Agenda::finish(Job job, const Outcome& outcome) {
  Point& point = points_[job.point];
  HOLDFAST_ASSERT(job.replicate < point.wanted && !has_finished(job));
  point.replicates[job.replicate] = State::finished;
  --point.undone;
  ++finished_;
  if (point.settled) return;
  point.measured.resize(point.wanted);
  point.measured[job.replicate] = measure(campaign_, job, outcome);
  if (point.undone == 0) look(job.point);
}

void Agenda::look(std::uint32_t index) {
  Point& point = points_[index];
  const std::uint32_t most = experiment(index).replicates;
  point.known = narrowness(point.measured, *experiment(index).precision);
  point.looked_at = point.wanted;
  point.settled = point.known->enough || point.wanted == most;
  if (!point.settled) want(point, std::min(most, point.wanted + point.wanted / 4));
}

bool Agenda::has_finished(Job job) const {
  const std::vector<State>& replicates = points_[job.point].replicates;
  return job.replicate < replicates.size() && replicates[job.replicate] == State::finished;
}

bool Agenda::complete() const {
  return std::all_of(points_.begin(), points_.end(),
                     [](const Point& point) { return point.settled && point.undone == 0; });
}

std::size_t Agenda::wanted() const {
  std::size_t sum = 0;
  for (const Point& point : points_) sum += point.wanted;
  return sum;
}

std::size_t Agenda::expected() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    std::uint32_t count = point.wanted;
    if (!point.settled && point.known)
      count =
          std::max(count, expected_replicates(*point.known, point.looked_at,
                                              experiment(i).replicates, *experiment(i).precision));
    sum += count;
  }
  return sum;
}

std::optional<std::uint32_t> Agenda::least_known() const {
  std::optional<std::uint32_t> least;
  for (std::uint32_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    if (point.settled || !point.known) continue;
    if (!point.known->share) return i;
    if (!least || *point.known->share > *points_[*least].known->share) least = i;
  }
  return least;
}

}  // namespace holdfast::runner
