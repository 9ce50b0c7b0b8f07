// What one process of a parallel program does: its steps, and which of them are timed.
#pragma once

#include "sim/workload/skeleton.hpp"
#include "sim/workload/step.hpp"

namespace holdfast::sim {

class Course {
 public:
  virtual ~Course() = default;
  // The next step; false at the end.
  virtual bool next(Step& step) = 0;
  // Of the step that next() gave last. The timed steps are those between the first and the last
  // that are.
  virtual bool is_timed() const = 0;
};

// Of a benchmark its timed iterations are timed.
class SkeletonCourse final : public Course {
 public:
  explicit SkeletonCourse(const Skeleton& skeleton) : skeleton_(skeleton) {}
  bool next(Step& step) override { return skeleton_.next(step); }
  bool is_timed() const override {
    return skeleton_.place().phase == Phase::iteration && skeleton_.place().iteration > 0;
  }

 private:
  Skeleton skeleton_;
};

}  // namespace holdfast::sim
