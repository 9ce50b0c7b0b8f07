// How the event queue moves events between far, rungs and run; see the header for the idea.
//
// Invariants, besides those at the fields:
//  - The containers divide the time axis: run | finest rung | … | coarsest rung | far, each from
//    where the one before ends. So equal times are never in two containers.
//  - A container is emptied as a whole into finer ones before anything is pushed into those. So
//    within a bucket events of equal time are in order of sequence, and a sort by time alone that
//    is stable gives the order by (time, sequence).
#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <bit>

#include "sim/engine/prefetch.hpp"

namespace holdfast::sim {

EventQueue::~EventQueue() {
  static_cast<void>(drain());
  while (spare_ != nullptr) {
    Chunk* const next = spare_->next;
    delete spare_;
    spare_ = next;
  }
}

std::vector<QueuedEvent> EventQueue::drain() {
  std::vector<QueuedEvent> events(next_, end_);
  events.reserve(size_);
  const auto take = [&](Bucket& bucket) {
    std::size_t left = bucket.count;
    for (Chunk* chunk = bucket.first; chunk != nullptr;) {
      const std::size_t here = std::min(left, kChunkEvents);
      events.insert(events.end(), chunk->events, chunk->events + here);
      left -= here;
      Chunk* const next = chunk->next;
      give_chunk(chunk);
      chunk = next;
    }
    bucket = Bucket{};
  };
  for (std::size_t i = 0; i < depth_; ++i) {
    for (Bucket& bucket : rungs_[i]->buckets) take(bucket);
    rungs_[i]->occupied.fill(0);
  }
  take(far_);
  std::sort(events.begin(), events.end(), [](const QueuedEvent& a, const QueuedEvent& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  });
  next_ = end_ = run_.get();
  run_end_ = 0;
  depth_ = 0;
  far_earliest_ = UINT64_MAX;
  far_latest_ = 0;
  size_ = 0;
  return events;
}

std::size_t EventQueue::memory_bytes() const {
  return sizeof *this + run_room_ * sizeof(QueuedEvent) + rungs_.size() * sizeof(Rung) +
         (used_chunks_ + spare_chunks_) * sizeof(Chunk);
}

// Newcomers belong near the front or near the back; where neither is near, the run is longer than
// its span deserves, and becomes a rung.
QueuedEvent& EventQueue::place_in_run(std::int64_t time) {
  if (QueuedEvent* const near = place_near_front(time); near != nullptr) return *near;
  QueuedEvent* const stop = end_ - std::min(in_run(), kShiftMax);
  QueuedEvent* place = end_;
  while (place != stop && place[-1].time > time) --place;
  if (place == stop && place != next_ && place[-1].time > time) return split_run(time);
  if (end_ == run_.get() + run_room_) {
    const std::ptrdiff_t behind = end_ - place;
    make_room();
    place = end_ - behind;
  }
  std::copy_backward(place, end_, end_ + 1);
  ++end_;
  return *place;
}

// Those before the newcomer move into the room that what was popped has left. Null: there is none,
// or too many would have to move.
QueuedEvent* EventQueue::place_near_front(std::int64_t time) {
  const std::size_t near = std::min(in_run(), kFrontShiftMax);
  if (next_ == run_.get() || near == 0 || next_[near - 1].time <= time) return nullptr;
  QueuedEvent* place = --next_;
  while (place[1].time <= time) {
    place[0] = place[1];
    ++place;
  }
  return place;
}

// At the end of the run. One to which events are appended forever moves to the front of its memory
// now and then.
void EventQueue::make_room() {
  const std::size_t events = in_run();
  if (events < run_room_ / 2) {
    std::copy(next_, end_, run_.get());
  } else {
    run_room_ = std::max(2 * run_room_, kChunkEvents);
    auto larger = std::make_unique_for_overwrite<QueuedEvent[]>(run_room_);
    std::copy(next_, end_, larger.get());
    run_ = std::move(larger);
  }
  next_ = run_.get();
  end_ = next_ + events;
}

// With room for so many, and before them for newcomers.
void EventQueue::empty_run(std::size_t events) {
  constexpr std::size_t kKeptEvents = 1024;
  const std::size_t room = events + kFrontShiftMax;
  const bool too_large = run_room_ > kKeptEvents && run_room_ / 4 > room;
  if (too_large || run_room_ < room) {
    run_room_ = std::bit_ceil(too_large ? std::max(room, kKeptEvents) : room);
    run_ = std::make_unique_for_overwrite<QueuedEvent[]>(run_room_);
  }
  next_ = end_ = run_.get() + kFrontShiftMax;
}

QueuedEvent& EventQueue::place_beyond_run(std::int64_t time) {
  for (std::size_t i = depth_; i-- > 0;) {
    if (key(time) < rungs_[i]->end) return place_in_rung(*rungs_[i], time);
  }
  far_earliest_ = std::min(far_earliest_, key(time));
  far_latest_ = std::max(far_latest_, key(time));
  return append(far_);
}

// The rung must reach to the end of the run, not only to its last event: the next finest rung may
// begin there.
QueuedEvent& EventQueue::split_run(std::int64_t newcomer) {
  if (key(end_[-1].time) == run_end_) {
    put_part_back();
    return place_in_run(newcomer);
  }
  close_empty_rungs();
  open_rung(std::min(key(next_->time), key(newcomer)), run_end_ - 1, in_run() + 1);
  Rung& rung = *rungs_[depth_ - 1];
  for (; next_ != end_; ++next_) place_in_rung(rung, next_->time) = *next_;
  return place_in_rung(rung, newcomer);
}

// A part of a great instant, of which nothing has been popped, or the newcomer would be in the
// past. The rest of it is in the finest rung, and must not come before it.
void EventQueue::put_part_back() {
  Rung& rung = *rungs_[depth_ - 1];
  Bucket& bucket = rung.buckets[run_end_ - rung.start];
  HOLDFAST_ASSERT(rung.shift == 0 && bucket.count > 0 && in_run() >= kInstantMax);
  for (std::size_t left = kInstantMax; left > 0; left -= kChunkEvents) {
    Chunk* const chunk = take_chunk();
    end_ -= kChunkEvents;
    std::copy_n(end_, kChunkEvents, chunk->events);
    chunk->next = bucket.first;
    bucket.first = chunk;
  }
  bucket.count += kInstantMax;
}

// The finest ones, as long as the next one, or far, reaches down to the end of the run.
void EventQueue::close_empty_rungs() {
  const auto is_empty = [](const Rung& rung) {
    return std::ranges::all_of(rung.occupied, [](std::uint64_t word) { return word == 0; });
  };
  while (depth_ > 0 && is_empty(*rungs_[depth_ - 1]) &&
         (depth_ == 1 || rungs_[depth_ - 2]->start <= run_end_)) {
    --depth_;
  }
}

// A large queue lies in no cache. What is read next is fetched while this is sorted.
inline void EventQueue::prefetch_chunk(const Chunk& chunk) {
  constexpr std::size_t kLine = 64;
  const char* const begin = reinterpret_cast<const char*>(&chunk);
  for (std::size_t at = 0; at < sizeof chunk; at += kLine) prefetch_line(begin + at);
}

void EventQueue::refill_run() {
  HOLDFAST_ASSERT(size_ > 0);
  while (next_ == end_) {
    if (depth_ == 0) {
      refine_far();
      continue;
    }
    Rung& rung = *rungs_[depth_ - 1];
    std::size_t word = 0;
    while (word < rung.occupied.size() && rung.occupied[word] == 0) ++word;
    if (word == rung.occupied.size()) {
      --depth_;
      continue;
    }
    const std::size_t index =
        word * 64 + static_cast<std::size_t>(std::countr_zero(rung.occupied[word]));
    rung.occupied[word] &= rung.occupied[word] - 1;
    if (rung.shift == 0 && rung.buckets[index].count > kInstantMax) {
      rung.occupied[word] |= std::uint64_t{1} << (index % 64);
      load_part(rung.buckets[index]);
      run_end_ = rung.start + index;
      continue;
    }
    Bucket bucket = rung.buckets[index];
    rung.buckets[index] = Bucket{};
    if (const std::uint64_t rest = rung.occupied[word]; rest != 0) {
      prefetch_chunk(
          *rung.buckets[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))].first);
    }
    const Span span = rung.shift == 0 ? Span{} : span_of(bucket);
    if (rung.shift == 0 || is_soon_sorted(bucket, span)) {
      run_end_ = std::min(rung.end, rung.start + ((std::uint64_t{index} + 1) << rung.shift));
      load_run(bucket);
      continue;
    }
    open_rung(span.earliest, span.latest, bucket.count);
    deal_out(bucket, *rungs_[depth_ - 1]);
  }
}

// Of a short bucket, which is sorted whatever it holds, nothing need be known.
EventQueue::Span EventQueue::span_of(const Bucket& bucket) {
  Span span;
  if (bucket.count <= kSortedMax) return span;
  std::size_t left = bucket.count;
  for (const Chunk* chunk = bucket.first; chunk != nullptr; chunk = chunk->next) {
    const std::size_t here = std::min(left, kChunkEvents);
    if (chunk->next != nullptr) prefetch_chunk(*chunk->next);
    for (std::size_t i = 0; i < here; ++i) {
      const std::uint64_t time = key(chunk->events[i].time);
      span.late += time < span.latest ? 1 : 0;
      span.earliest = std::min(span.earliest, time);
      span.latest = std::max(span.latest, time);
    }
    left -= here;
  }
  return span;
}

bool EventQueue::is_soon_sorted(const Bucket& bucket, const Span& span) {
  return bucket.count <= kSortedMax || (bucket.count <= kInOrderMax && span.late <= kLateMax);
}

void EventQueue::refine_far() {
  const std::uint64_t earliest = far_earliest_;
  const std::uint64_t latest = far_latest_;
  far_earliest_ = UINT64_MAX;
  far_latest_ = 0;
  Bucket bucket = far_;
  far_ = Bucket{};
  if (bucket.count <= kInOrderMax && is_soon_sorted(bucket, span_of(bucket))) {
    run_end_ = latest + 1;
    load_run(bucket);
    return;
  }
  open_rung(earliest, latest, bucket.count);
  deal_out(bucket, *rungs_[depth_ - 1]);
}

void EventQueue::load_run(Bucket& bucket) {
  empty_run(bucket.count);
  std::size_t left = bucket.count;
  for (Chunk* chunk = bucket.first; chunk != nullptr;) {
    const std::size_t here = std::min(left, kChunkEvents);
    end_ = std::copy_n(chunk->events, here, end_);
    left -= here;
    Chunk* const next = chunk->next;
    give_chunk(chunk);
    chunk = next;
  }
  sort_run();
}

// Of a bucket whose events all have one time, and are therefore in order, the first ones. The run
// ends before that time, so newcomers of the same time go behind those that stay.
void EventQueue::load_part(Bucket& bucket) {
  static_assert(kInstantMax % kChunkEvents == 0);
  empty_run(kInstantMax);
  for (std::size_t taken = 0; taken < kInstantMax; taken += kChunkEvents) {
    Chunk* const chunk = bucket.first;
    end_ = std::copy_n(chunk->events, kChunkEvents, end_);
    bucket.first = chunk->next;
    give_chunk(chunk);
  }
  bucket.count -= kInstantMax;
}

// Insertion sort: stable, and linear on what is in order already. A large run has one time, or at
// most kLateMax events that are not in order.
void EventQueue::sort_run() {
  for (QueuedEvent* sorted = next_ + 1; sorted < end_; ++sorted) {
    if (sorted[-1].time <= sorted->time) continue;
    const QueuedEvent event = *sorted;
    QueuedEvent* place = sorted;
    do {
      *place = place[-1];
      --place;
    } while (place != next_ && place[-1].time > event.time);
    *place = event;
  }
}

// Opens the finest rung over [earliest, latest]; the run then ends where the rung begins.
void EventQueue::open_rung(std::uint64_t earliest, std::uint64_t latest, std::size_t events) {
  const std::size_t wanted =
      std::bit_ceil(std::clamp(events / kEventsPerBucket, kRungBucketsMin, kRungBucketsMax));
  const int range_bits = 64 - std::countl_zero(latest - earliest);
  const int bucket_bits = std::countr_zero(wanted);
  if (depth_ == rungs_.size()) rungs_.push_back(std::make_unique<Rung>());
  Rung& rung = *rungs_[depth_++];
  rung.start = earliest;
  rung.end = latest + 1;
  rung.shift = static_cast<unsigned>(std::max(0, range_bits - bucket_bits));
  run_end_ = earliest;
}

QueuedEvent& EventQueue::place_in_rung(Rung& rung, std::int64_t time) {
  const std::size_t index = (key(time) - rung.start) >> rung.shift;
  HOLDFAST_ASSERT(index < kRungBucketsMax);
  rung.occupied[index / 64] |= std::uint64_t{1} << (index % 64);
  return append(rung.buckets[index]);
}

void EventQueue::deal_out(Bucket& bucket, Rung& rung) {
  std::size_t left = bucket.count;
  for (Chunk* chunk = bucket.first; chunk != nullptr;) {
    const std::size_t here = std::min(left, kChunkEvents);
    if (chunk->next != nullptr) prefetch_chunk(*chunk->next);
    for (std::size_t i = 0; i < here; ++i) {
      place_in_rung(rung, chunk->events[i].time) = chunk->events[i];
    }
    left -= here;
    Chunk* const next = chunk->next;
    give_chunk(chunk);
    chunk = next;
  }
}

QueuedEvent& EventQueue::append(Bucket& bucket) {
  const std::size_t place = bucket.count++ % kChunkEvents;
  if (place == 0) {
    Chunk* const chunk = take_chunk();
    (bucket.first == nullptr ? bucket.first : bucket.last->next) = chunk;
    bucket.last = chunk;
  }
  return bucket.last->events[place];
}

EventQueue::Chunk* EventQueue::take_chunk() {
  ++used_chunks_;
  Chunk* chunk = spare_;
  if (chunk != nullptr) {
    spare_ = chunk->next;
    --spare_chunks_;
  } else {
    chunk = new Chunk;
  }
  chunk->next = nullptr;
  return chunk;
}

// Keeps up to as many spare chunks as are in use, so that a queue of steady size never allocates.
void EventQueue::give_chunk(Chunk* chunk) {
  --used_chunks_;
  if (spare_chunks_ > used_chunks_ + kSpareChunksMin) {
    delete chunk;
    return;
  }
  chunk->next = spare_;
  spare_ = chunk;
  ++spare_chunks_;
}

}  // namespace holdfast::sim
