// The simulator's event queue: a priority queue by (time, sequence) for keys that never lie before
// the last one popped.
//
// It works like a post office. The *run* is the small stack of letters being delivered now, in
// order. *Rungs* are shelves of boxes: each box holds, in order of arrival, the letters of one span
// of time; a finer rung subdivides one box of the next coarser one. *Far* is the sack of all that
// lies beyond the last shelf. When the run is empty, the next box that holds anything is taken, or
// the sack when all shelves are empty: a small one, or one that is nearly in order, is sorted and
// becomes the run; any other is dealt out to a finer rung. The widths of the boxes come from what
// is dealt, so they follow the density of events. The idea of rungs is that of the ladder queue
// (Tang, Goh, Thng: ACM TOMACS 15(3), 2005); that each refinement narrows the boxes by a factor,
// whatever the keys, is that of the radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: J. ACM 37(2),
// 1990), and it bounds the worst case: an event passes through about a dozen containers at most,
// and in the run it passes, or is passed by, a few dozen. But where newcomers come before what has
// been looked at, the run (256 events that were loaded, or 1024 of one instant) may be dealt out
// and loaded again for every few of them, and a rung opened that is no finer than the one above:
// then there may be a rung for every 40 events pending.
//
// Time is an int64 in the caller's unit (the simulator's: 10 ps), never negative. The queue knows
// no clock, allocates in chunks, and gives most of them back as it empties; rungs, and the memory
// of the run, stay for the next time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

// What is to happen, by value. `target` and `payload` mean what the caller wants them to mean; by
// custom the upper bits of `payload` say which kind of event it is. (Not called Event: that is what
// a fabric reports to the stack.)
struct QueuedEvent {
  std::int64_t time;
  std::uint64_t sequence;  // order of pushes; decides between equal times
  std::uint32_t target;
  std::uint32_t payload;
};
static_assert(sizeof(QueuedEvent) == 24);

class EventQueue {
 public:
  EventQueue() = default;
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // Adds an event. `time` must be neither negative nor earlier than the last event popped. Events
  // of equal time leave in the order of their pushes.
  void push(std::int64_t time, std::uint32_t target, std::uint32_t payload) {
    HOLDFAST_ASSERT(time >= last_popped_);
    ++size_;
    // Written where it is to lie: one that is put together elsewhere and then copied is read back
    // in larger pieces than it was written in, for which the processor waits.
    QueuedEvent& event = key(time) < run_end_ ? place_in_run(time) : place_beyond_run(time);
    event = {time, next_sequence_++, target, payload};
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // The time of the event that pop would return. The queue must not be empty.
  std::int64_t next_time() {
    if (next_ == end_) refill_run();
    return next_->time;
  }

  // Removes and returns the earliest event. The queue must not be empty.
  QueuedEvent pop() {
    if (next_ == end_) refill_run();
    const QueuedEvent event = *next_++;
    --size_;
    last_popped_ = event.time;
    return event;
  }

  // The event that comes `ahead` after the next one, or null if that is not known without work. For
  // fetching memory in advance.
  const QueuedEvent* upcoming(std::size_t ahead) const {
    return ahead < in_run() ? next_ + ahead : nullptr;
  }

  // Further ahead: calls visit(event) for the events that most likely come next, the next one
  // first, until it returns false or none is at hand.
  template <class Visit>
  void visit_upcoming(Visit visit) const {
    for (const QueuedEvent* event = next_; event != end_; ++event) {
      if (!visit(*event)) return;
    }
    visit_buckets(visit);
  }

  // Removes and returns all events in the order in which pop would return them, but leaves the time
  // of the last event popped as it is. Pushing them again, at the same times or with all of them
  // moved by the same span, keeps their order: so a simulator skips quiet time.
  std::vector<QueuedEvent> drain();

  // Bytes held at this moment, used or kept for reuse.
  std::size_t memory_bytes() const;

 private:
  // Sizes found by measurement (tests/bench/event_queue_bench) on a processor with 32 KiB of level
  // 1 and 1 MiB of level 2 cache; the neighbouring powers of two differ by about ten per cent
  // (kInOrderMax and kLateMax are not measured so closely).
  static constexpr std::size_t kChunkEvents = 16;       // a power of two
  static constexpr std::size_t kRungBucketsMax = 1024;  // the ends of all buckets stay in cache
  static constexpr std::size_t kRungBucketsMin = 64;
  static constexpr std::size_t kEventsPerBucket = 8;  // aimed at when a rung is opened
  static constexpr std::size_t kSortedMax = 48;       // a larger bucket is refined, not sorted
  // ... unless it is nearly in order: no more events than the first, of which at most the second
  // are earlier than one before them.
  static constexpr std::size_t kInOrderMax = 256;
  static constexpr std::size_t kLateMax = 2;
  static constexpr std::size_t kShiftMax = 32;      // a newcomer passes at most so many in the run,
  static constexpr std::size_t kFrontShiftMax = 8;  // or so many from the front
  static constexpr std::size_t kInstantMax = 1024;  // of one time: loaded so many at a time
  static constexpr std::size_t kSpareChunksMin = 64;

  struct Chunk {
    Chunk* next;
    QueuedEvent events[kChunkEvents];
  };

  // Events in order of arrival; those of equal time therefore in order of sequence.
  struct Bucket {
    Chunk* first = nullptr;
    Chunk* last = nullptr;
    std::size_t count = 0;
  };

  // Of the events of a bucket.
  struct Span {
    std::uint64_t earliest = UINT64_MAX;
    std::uint64_t latest = 0;
    std::size_t late = 0;  // of them, earlier than one before them
  };

  // Buckets of 2^shift ticks each over [start, end). Whatever lies in [start, end) and not in a
  // finer rung or the run is in its bucket here. All buckets are empty when a rung is closed.
  struct Rung {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    unsigned shift = 0;
    std::array<std::uint64_t, kRungBucketsMax / 64> occupied{};  // one bit for each bucket
    std::array<Bucket, kRungBucketsMax> buckets{};
  };

  static std::uint64_t key(std::int64_t time) { return static_cast<std::uint64_t>(time); }

  std::size_t in_run() const { return static_cast<std::size_t>(end_ - next_); }
  template <class Visit>
  void visit_buckets(Visit visit) const;
  // Where an event of that time is to be written, which then counts as being there.
  QueuedEvent& place_in_run(std::int64_t time);
  QueuedEvent* place_near_front(std::int64_t time);
  QueuedEvent& place_beyond_run(std::int64_t time);
  QueuedEvent& place_in_rung(Rung& rung, std::int64_t time);
  QueuedEvent& append(Bucket& bucket);
  void make_room();
  void empty_run(std::size_t events);
  QueuedEvent& split_run(std::int64_t newcomer);
  void put_part_back();
  void close_empty_rungs();
  void refill_run();
  static Span span_of(const Bucket& bucket);
  static bool is_soon_sorted(const Bucket& bucket, const Span& span);
  void refine_far();
  void load_run(Bucket& bucket);
  void load_part(Bucket& bucket);
  void sort_run();
  void open_rung(std::uint64_t earliest, std::uint64_t latest, std::size_t events);
  void deal_out(Bucket& bucket, Rung& rung);
  static void prefetch_chunk(const Chunk& chunk);
  Chunk* take_chunk();
  void give_chunk(Chunk* chunk);

  std::size_t size_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::int64_t last_popped_ = 0;

  // [next_, end_) in order of (time, sequence): all events before run_end_, or the first of those
  // at run_end_. They lie in the memory of the run, and before them is room for a few, and for
  // as many as have been popped.
  QueuedEvent* next_ = nullptr;
  QueuedEvent* end_ = nullptr;
  std::uint64_t run_end_ = 0;
  std::unique_ptr<QueuedEvent[]> run_;
  std::size_t run_room_ = 0;

  // rungs_[0 … depth_-1], coarse to fine; run_end_ <= end of the finest, ends fall with fineness.
  // Each begins at or before the end of the next finer one, and the finest at or before run_end_.
  // The rest are closed and kept for reuse.
  std::vector<std::unique_ptr<Rung>> rungs_;
  std::size_t depth_ = 0;

  // All events at or after the end of rungs_[0] (or of the run, if there is no rung).
  Bucket far_;
  std::uint64_t far_earliest_ = UINT64_MAX;
  std::uint64_t far_latest_ = 0;

  Chunk* spare_ = nullptr;
  std::size_t spare_chunks_ = 0;
  std::size_t used_chunks_ = 0;
};

// The buckets that will be the next runs, as they lie there: in order of pushes, which for events
// that come back after a fixed time is the order of times.
template <class Visit>
void EventQueue::visit_buckets(Visit visit) const {
  if (depth_ == 0) return;
  const Rung& rung = *rungs_[depth_ - 1];
  for (std::size_t word = 0; word < rung.occupied.size(); ++word) {
    for (std::uint64_t rest = rung.occupied[word]; rest != 0; rest &= rest - 1) {
      const Bucket& bucket =
          rung.buckets[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
      const std::size_t first = std::min(bucket.count, kChunkEvents);
      for (std::size_t i = 0; i < first; ++i) {
        if (!visit(bucket.first->events[i])) return;
      }
    }
  }
}

}  // namespace holdfast::sim
