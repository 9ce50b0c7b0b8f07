// A few steps that belong together: what a skeleton is made of. A block is filled by a function of
// where in the program it stands, so nothing but that place has to be remembered between blocks.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/workload/group.hpp"
#include "sim/workload/step.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

class Block {
 public:
  struct Entry {
    Step step;
    Group group;              // of a collective operation that is yet to be expanded
    std::uint64_t bytes = 0;  // its argument, see collective.hpp
    bool expand = false;
  };

  static constexpr std::size_t kEntriesMax = 16;

  void clear() {
    size_ = 0;
    collective_ = Collective::none;
  }
  std::span<const Entry> entries() const { return {entries_.data(), size_}; }

  // The messages that follow, until the block is cleared, belong to this collective operation.
  void set_collective(Collective collective) { collective_ = collective; }

  void compute(Duration duration) { add({.kind = StepKind::compute, .duration = duration}); }
  void send(ProcessId to, std::uint32_t tag, std::uint64_t bytes) {
    message(StepKind::send, to, tag, bytes);
  }
  void receive(ProcessId from, std::uint32_t tag, std::uint64_t bytes) {
    message(StepKind::receive, from, tag, bytes);
  }
  void post_send(ProcessId to, std::uint32_t tag, std::uint64_t bytes) {
    message(StepKind::post_send, to, tag, bytes);
  }
  void post_receive(ProcessId from, std::uint32_t tag, std::uint64_t bytes) {
    message(StepKind::post_receive, from, tag, bytes);
  }
  void wait_all() { add({.kind = StepKind::wait_all}); }
  // The receive is posted before the send, so two that do this with each other cannot deadlock.
  void exchange(ProcessId from, std::uint64_t bytes_in, ProcessId to, std::uint64_t bytes_out,
                std::uint32_t tag) {
    post_receive(from, tag, bytes_in);
    send(to, tag, bytes_out);
    wait_all();
  }
  // An operation that collective_round() expands, with the bytes that it asks for.
  void collective(Collective which, const Group& group, std::uint64_t bytes) {
    const bool blocks = which == Collective::all_to_all;
    add({.kind = StepKind::enter,
         .collective = which,
         .bytes = blocks ? bytes * group.size : bytes});
    entries_[size_ - 1].group = group;
    entries_[size_ - 1].bytes = bytes;
    entries_[size_ - 1].expand = true;
  }
  // The operation `which` begins; its messages are put in by the caller.
  void enter(Collective which, std::uint64_t bytes) {
    add({.kind = StepKind::enter, .collective = which, .bytes = bytes});
  }

 private:
  void message(StepKind kind, ProcessId peer, std::uint32_t tag, std::uint64_t bytes) {
    add({.kind = kind, .collective = collective_, .tag = tag, .peer = peer, .bytes = bytes});
  }
  void add(const Step& step) {
    HOLDFAST_ASSERT(size_ < kEntriesMax);
    entries_[size_] = {};
    entries_[size_++].step = step;
  }

  std::array<Entry, kEntriesMax> entries_;
  std::size_t size_ = 0;
  Collective collective_ = Collective::none;
};

}  // namespace holdfast::sim
