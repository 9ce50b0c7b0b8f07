// Merging, and the digest that follows it.
#include "stack/view/view.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

namespace {

constexpr Record kInitial{};

std::uint64_t digest_of(ProcessId process, Record record) {
  const std::uint64_t who = mix64(process.value);
  const std::uint64_t what =
      std::uint64_t{record.incarnation.value} << 8 | static_cast<std::uint64_t>(record.state);
  return mix64(who ^ what);
}

}  // namespace

View::View(const View& other) : digest_(other.digest_), sequence_(other.sequence_) {
  if (other.held_ != nullptr) held_ = new Held{other.held_->exceptions};
}

View& View::operator=(View other) noexcept {
  std::swap(digest_, other.digest_);
  std::swap(sequence_, other.sequence_);
  std::swap(held_, other.held_);
  return *this;
}

// digest_ must still be that of what is left.
void View::leave() {
  if (held_ != nullptr) ViewStore::leave(held_, digest_);
}

// For a change: nobody else sees it.
std::vector<View::Exception>& View::own() {
  if (held_ == nullptr) {
    held_ = new Held;
  } else if (held_->users > 1) {
    Held* const copy = new Held;
    copy->exceptions.reserve(held_->exceptions.size() + 1);
    copy->exceptions = held_->exceptions;
    leave();
    held_ = copy;
  } else if (held_->store != nullptr) {
    held_->store->forget(digest_, held_);
    held_->store = nullptr;
  }
  return held_->exceptions;
}

bool operator==(const View& a, const View& b) {
  return a.digest_ == b.digest_ && a.sequence_ == b.sequence_ &&
         std::ranges::equal(a.exceptions(), b.exceptions());
}

// Without a branch on what is compared: which way it goes nobody can guess.
const View::Exception* View::at_or_after(ProcessId process) const {
  const std::span<const Exception> known = exceptions();
  const Exception* first = known.data();
  for (std::size_t left = known.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    first += first[half - 1].process < process ? half : 0;
    left -= half;
  }
  return first;
}

Record View::find(ProcessId process) const {
  const std::span<const Exception> known = exceptions(process, 1);
  return known.empty() ? kInitial : known.front().record;
}

std::span<const View::Exception> View::exceptions(ProcessId first, std::uint32_t count) const {
  const Exception* const end = exceptions().data() + exceptions().size();
  const Exception* const begin = at_or_after(first);
  const Exception* behind = begin;
  while (behind != end && behind->process.value - first.value < count) ++behind;
  return {begin, behind};
}

bool View::covers(ProcessId first, std::uint32_t count, Record record) const {
  const std::span<const Exception> known = exceptions(first, count);
  return known.size() == count &&
         std::ranges::all_of(known, [=](const Exception& one) { return one.record >= record; });
}

bool View::merge(ProcessId process, Record record) {
  if (record <= of(process)) return false;
  std::vector<Exception>& exceptions = own();
  auto found = exceptions.begin() + (at_or_after(process) - exceptions.data());
  if (found != exceptions.end() && found->process == process) {
    digest_ ^= digest_of(process, found->record);
  } else {
    found = exceptions.insert(found, Exception{process, kInitial, 0});
  }
  found->record = record;
  found->changed = ++sequence_;
  digest_ ^= digest_of(process, record);
  return true;
}

void ViewStore::share(View& view) {
  if (view.held_ == nullptr || view.held_->store != nullptr) return;
  const auto [begin, end] = known_.equal_range(view.digest_);
  for (auto known = begin; known != end; ++known) {
    if (known->second->exceptions != view.held_->exceptions) continue;
    delete view.held_;
    view.held_ = known->second;
    ++view.held_->users;
    return;
  }
  view.held_->exceptions.shrink_to_fit();
  view.held_->store = this;
  known_.emplace(view.digest_, view.held_);
}

ViewStore::~ViewStore() {
  for (const Step& step : steps_) {
    if (step.from != nullptr) forget_step(step);
  }
}

ViewStore::Step& ViewStore::step_of(const View::Held* from, ProcessId first) {
  if (steps_.empty()) steps_.resize(kSteps);
  return steps_[mix64(std::hash<const void*>{}(from) ^ first.value) % kSteps];
}

void ViewStore::merge(View& view, ProcessId first, std::uint32_t count, Record record) {
  const auto merge_here = [&] {
    for (std::uint32_t i = 0; i < count; ++i) view.merge({first.value + i}, record);
  };
  View::Held* const from = view.held_;
  if (from == nullptr || from->store != this || from->users == 1) return merge_here();
  Step& step = step_of(from, first);
  if (step.from == from && step.first == first && step.count == count && step.record == record) {
    ++step.to->users;
    view.leave();
    view.held_ = step.to;
    view.digest_ = step.to_digest;
    view.sequence_ = step.to_sequence;
    return;
  }
  // Nobody is left who could follow; or it would be much to keep for those who do.
  const bool last = from->users - from->remembered == 1;
  if (last || from->exceptions.size() > kRememberedMax) return merge_here();
  const std::uint64_t from_digest = view.digest_;
  remember(*from);
  merge_here();
  share(view);
  remember(*view.held_);
  const Step before = std::exchange(
      step, {from, from_digest, first, count, record, view.held_, view.digest_, view.sequence_});
  if (before.from != nullptr) forget_step(before);
}

void ViewStore::remember(View::Held& held) {
  ++held.users;
  ++held.remembered;
}

void ViewStore::forget_step(const Step& step) {
  --step.from->remembered;
  leave(step.from, step.from_digest);
  --step.to->remembered;
  leave(step.to, step.to_digest);
}

void ViewStore::leave(View::Held* held, std::uint64_t digest) {
  if (--held->users > 0) return;
  if (held->store != nullptr) held->store->forget(digest, held);
  delete held;
}

void ViewStore::forget(std::uint64_t digest, const View::Held* held) {
  const auto [begin, end] = known_.equal_range(digest);
  for (auto known = begin; known != end; ++known) {
    if (known->second != held) continue;
    known_.erase(known);
    return;
  }
  HOLDFAST_ASSERT(false);
}

}  // namespace holdfast
