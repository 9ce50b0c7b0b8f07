// Operations under way on connections. Each connection has them in a line and hears of them in that
// order, though some end earlier, such as those that never could succeed.
//
// The number of a request names a place and what it was taken for, so a completion that comes when
// the operation has been given up finds nobody.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric_queues.hpp"
#include "stack/base/assert.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class WorkPool {
 public:
  struct Work {
    Operation operation;
    std::uint32_t place = 0;
    std::uint32_t next = kNone;
    std::uint32_t generation = 0;  // of the place, below 2^31
    bool ended = false;
    Completion completion = Completion::ok;

    std::uint64_t request() const { return std::uint64_t{generation} << 32 | place; }
    void end(Completion how) {
      ended = true;
      completion = how;
    }
  };

  // One connection's, oldest first.
  class Line {
   public:
    bool empty() const { return oldest_ == kNone; }

   private:
    friend class WorkPool;
    std::uint32_t oldest_ = kNone;
    std::uint32_t newest_ = kNone;
  };

  // Completions go to `completions`, which must outlive this.
  WorkPool(std::uint32_t depth, FabricQueues& completions)
      : completions_(completions), works_(depth) {
    free_.reserve(depth);
    for (std::uint32_t i = depth; i > 0; --i) {
      works_[i - 1].place = i - 1;
      free_.push_back(i - 1);
    }
  }

  std::size_t under_way() const { return works_.size() - free_.size(); }

  // There is room.
  Work& add(Line& line, const Operation& operation) {
    HOLDFAST_ASSERT(!free_.empty());
    Work& work = works_[free_.back()];
    free_.pop_back();
    work.operation = operation;
    work.next = kNone;
    work.ended = false;
    (line.empty() ? line.oldest_ : works_[line.newest_].next) = work.place;
    line.newest_ = work.place;
    return work;
  }

  // Null if it is not under way any more.
  Work* find(std::uint64_t request) {
    Work& work = works_[static_cast<std::uint32_t>(request)];
    return work.request() == request && !work.ended ? &work : nullptr;
  }

  void flush(Line& line, Time now) {
    for (std::uint32_t i = line.oldest_; i != kNone; i = works_[i].next) {
      if (!works_[i].ended) works_[i].end(Completion::flushed);
    }
    complete(line, now);
  }

  // Those that have ended are told of, up to the first that has not.
  void complete(Line& line, Time now) {
    while (!line.empty() && works_[line.oldest_].ended) {
      Work& work = works_[line.oldest_];
      line.oldest_ = work.next;
      // Inline ones were over when they were accepted, but for those that never could succeed.
      if (!work.operation.inline_data || work.completion == Completion::local_error)
        completions_.complete(work.operation, work.completion, now);
      work.generation = (work.generation + 1) & 0x7fff'ffff;
      free_.push_back(work.place);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  FabricQueues& completions_;
  std::vector<Work> works_;
  std::vector<std::uint32_t> free_;
};

}  // namespace holdfast::hw
