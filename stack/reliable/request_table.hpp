// The requests of a program: what each is, until it has completed and has been taken. A number is
// an index with the count of how often it has been used, so that one which is over names nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/reliable/endpoint.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/message_memory.hpp"

namespace holdfast::reliable {

struct RequestState {
  enum class Kind : std::uint8_t { none, send, receive, done };
  Kind kind = Kind::none;
  std::uint32_t object =
      kNone;               // a send: its message; a receive: what it takes, once it is matched
  MessageMemory memory;    // a receive's
  std::uint64_t size = 0;  // of that
  Pattern pattern;         // a receive's
  Completed completed;     // outcome and the rest, when it is done
};

class RequestTable {
 public:
  explicit RequestTable(std::uint32_t most);

  // An index, or kNone: there are as many as there may be.
  std::uint32_t take(RequestState::Kind kind, std::uint64_t cookie);
  RequestState& operator[](std::uint32_t i) { return states_[i]; }
  const RequestState& operator[](std::uint32_t i) const { return states_[i]; }
  Request name(std::uint32_t i) const { return {uses_[i] * stride_ + i}; }
  // kNone: no request of this name is there.
  std::uint32_t find(Request request) const;

  void complete(std::uint32_t i, Outcome outcome, const Envelope& envelope, std::uint64_t bytes);
  // Nothing has come of it: as if it had not been taken.
  void drop(std::uint32_t i);

  std::size_t completed(std::span<Completed> to);
  std::uint32_t done() const { return done_count_; }  // not taken so far
  std::uint32_t in_use() const { return states_.size() - states_.left(); }
  std::uint32_t size() const { return states_.size(); }

 private:
  // Of less than twice its size.
  std::uint32_t in_ring(std::uint32_t place) const {
    return place < done_.size() ? place : place - static_cast<std::uint32_t>(done_.size());
  }

  FixedPool<RequestState> states_;
  std::uint32_t stride_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> done_;  // a ring, in the order of completion
  std::uint32_t first_done_ = 0, done_count_ = 0;
};

}  // namespace holdfast::reliable
