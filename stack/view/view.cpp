// Merging, and the digest that follows it.
#include "stack/view/view.hpp"

#include <algorithm>

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

constexpr auto kByProcess = [](const View::Exception& exception, ProcessId process) {
  return exception.process < process;
};

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
  if (held_ == nullptr || --held_->users > 0) return;
  if (held_->store != nullptr) held_->store->forget(digest_, held_);
  delete held_;
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

Record View::find(ProcessId process) const {
  const std::vector<Exception>& exceptions = held_->exceptions;
  const auto found = std::lower_bound(exceptions.begin(), exceptions.end(), process, kByProcess);
  return found != exceptions.end() && found->process == process ? found->record : kInitial;
}

bool View::merge(ProcessId process, Record record) {
  if (record <= of(process)) return false;
  std::vector<Exception>& exceptions = own();
  auto found = std::lower_bound(exceptions.begin(), exceptions.end(), process, kByProcess);
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
