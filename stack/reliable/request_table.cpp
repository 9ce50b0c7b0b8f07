// Requests by index, and those that are done in the order of their completion.
#include "stack/reliable/request_table.hpp"

#include <algorithm>
#include <bit>

namespace holdfast::reliable {

RequestTable::RequestTable(std::uint32_t most)
    : states_(most), stride_(std::bit_ceil(most + 1)), uses_(most), done_(most) {}

std::uint32_t RequestTable::take(RequestState::Kind kind, std::uint64_t cookie) {
  const std::uint32_t i = states_.take();
  if (i == kNone) return kNone;
  states_[i].kind = kind;
  states_[i].completed.cookie = cookie;
  return i;
}

std::uint32_t RequestTable::find(Request request) const {
  const std::uint32_t i = request.value % stride_;
  if (i >= states_.size() || states_[i].kind == RequestState::Kind::none) return kNone;
  return name(i) == request ? i : kNone;
}

void RequestTable::complete(std::uint32_t i, Outcome outcome, const Envelope& envelope,
                            std::uint64_t bytes) {
  RequestState& state = states_[i];
  HOLDFAST_ASSERT(state.kind == RequestState::Kind::send ||
                  state.kind == RequestState::Kind::receive);
  state.kind = RequestState::Kind::done;
  state.completed = {name(i), outcome, envelope, bytes, state.completed.cookie};
  done_[in_ring(first_done_ + done_count_)] = i;
  ++done_count_;
}

void RequestTable::drop(std::uint32_t i) {
  states_[i].kind = RequestState::Kind::none;
  ++uses_[i];
  states_.give(i);
}

std::size_t RequestTable::completed(std::span<Completed> to) {
  const std::size_t count = std::min<std::size_t>(to.size(), done_count_);
  for (std::size_t n = 0; n < count; ++n) {
    const std::uint32_t i = done_[first_done_];
    to[n] = states_[i].completed;
    drop(i);
    first_done_ = in_ring(first_done_ + 1);
    --done_count_;
  }
  return count;
}

}  // namespace holdfast::reliable
