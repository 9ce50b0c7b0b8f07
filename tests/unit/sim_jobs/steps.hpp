// Courses that a test writes down step by step.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/jobs/course.hpp"

namespace holdfast::sim {

// All steps are timed.
class Steps final : public Course {
 public:
  explicit Steps(std::vector<Step> steps) : steps_(std::move(steps)) {}
  bool next(Step& step) override {
    if (at_ == steps_.size()) return false;
    step = steps_[at_++];
    return true;
  }
  bool is_timed() const override { return true; }

 private:
  std::vector<Step> steps_;
  std::size_t at_ = 0;
};

inline Step send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.kind = StepKind::send, .tag = tag, .peer = {to}, .bytes = bytes};
}
inline Step receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.kind = StepKind::receive, .tag = tag, .peer = {from}, .bytes = bytes};
}
inline Step post_send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.kind = StepKind::post_send, .tag = tag, .peer = {to}, .bytes = bytes};
}
inline Step post_receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.kind = StepKind::post_receive, .tag = tag, .peer = {from}, .bytes = bytes};
}
inline Step wait_all() {
  return {.kind = StepKind::wait_all};
}
inline Step compute(Duration duration) {
  return {.kind = StepKind::compute, .duration = duration};
}

}  // namespace holdfast::sim
