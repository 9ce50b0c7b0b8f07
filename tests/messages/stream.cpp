// The stream's two ends, and what is counted on its way.
#include "tests/messages/stream.hpp"

#include <algorithm>

#include "stack/outer_fabric.hpp"
#include "stack/reliable/message_frame.hpp"
#include "tests/content.hpp"

namespace holdfast::messages {

namespace {

constexpr ProcessId kSender{0}, kReceiver{1};

// The last of a datagram's frames is the only one that may.
bool carries_payload(std::span<const std::byte> datagram) {
  auto last = reliable::first_message_frame(datagram);
  while (last.size() < datagram.size()) {
    datagram = datagram.subspan(last.size());
    last = reliable::first_message_frame(datagram);
  }
  constexpr std::size_t kType = 3;  // where the type of a frame lies
  return last.size() > kType && reliable::has_payload(static_cast<reliable::MessageFrameType>(
                                    std::to_integer<unsigned>(last[kType])));
}

}  // namespace

// What arrives of the frames with a payload.
class Stream::Counter final : public sim::PipeWitness {
 public:
  void frame(Time, sim::PipeFate fate, ProcessId, ProcessId,
             std::span<const std::byte> bytes) override {
    if (fate == sim::PipeFate::arrived && carries_payload(bytes)) ++arrived_;
  }
  std::uint64_t arrived() const { return arrived_; }

 private:
  std::uint64_t arrived_ = 0;
};

// And of what is posted.
class Stream::Counted final : public OuterFabric {
 public:
  Counted(Fabric& inner, std::uint64_t& posted) : OuterFabric(inner), posted_(posted) {}

  std::size_t post(std::span<const Operation> operations) override {
    const std::size_t accepted = inner_.post(operations);
    for (const Operation& operation : operations.first(accepted)) {
      if (carries_payload({operation.data, operation.size})) ++posted_;
    }
    return accepted;
  }

 private:
  std::uint64_t& posted_;
};

Stream::Stream(const StreamOptions& stream, const sim::WorldOptions& world)
    : options_(stream),
      out_(stream.outstanding, std::vector<std::byte>(stream.bytes)),
      in_(stream.outstanding, std::vector<std::byte>(stream.bytes)) {
  sim::WorldOptions options = world;
  options.wrap = [this](Fabric& inner, std::size_t, ProcessId) {
    return std::make_unique<Counted>(inner, posted_);
  };
  world_ = std::make_unique<sim::World>(options, *this);
  for (std::size_t r = 0; r < options.rails.size(); ++r) {
    counters_.push_back(std::make_unique<Counter>());
    world_->network(r).set_witness(counters_.back().get());
  }
}

Stream::~Stream() = default;

void Stream::run_until(Time end) {
  while (!finished() && world_->step(end)) {
  }
}

// Buffer n is used again when message n - outstanding is over at that end.
sim::Program::Wish Stream::act(ProcessId process, reliable::Endpoint& endpoint, Time now) {
  Wish wish;
  const auto more = [&](std::uint64_t number, std::uint64_t over) {
    return number < over + options_.outstanding &&
           (options_.messages == 0 || number < options_.messages);
  };
  while (process == kSender && more(begun_, sent_)) {
    tests::fill_content(begun_, buffer(out_, begun_));
    const auto request = endpoint.send(kReceiver, 0, 0, buffer(out_, begun_), begun_, now);
    if (request == reliable::kNoRequest) break;
    done_.push_back(false);
    ++begun_;
    wish.commanded = true;
  }
  while (process == kReceiver && more(asked_, arrivals_.size())) {
    const reliable::Pattern pattern{kSender, 0, 0};
    const auto request = endpoint.receive(pattern, buffer(in_, asked_), asked_, now);
    if (request == reliable::kNoRequest) break;
    ++asked_;
    wish.commanded = true;
  }
  return wish;
}

void Stream::completed(ProcessId process, const reliable::Completed& completed, Time now) {
  if (completed.outcome != reliable::Outcome::delivered) ++wrong_;
  if (process == kReceiver) {
    if (tests::first_wrong(completed.cookie, buffer(in_, completed.cookie))) ++wrong_;
    arrivals_.push_back(now);
    return;
  }
  done_[completed.cookie] = true;
  while (sent_ < done_.size() && done_[sent_]) ++sent_;
}

double Stream::bits_per_second(Time from, Time to) const {
  const auto in_time = [&](Time at) { return at > from && at <= to; };
  const auto messages = std::ranges::count_if(arrivals_, in_time);
  return static_cast<double>(messages) * static_cast<double>(options_.bytes) * 8e9 /
         static_cast<double>((to - from).ns);
}

Duration Stream::longest_gap(Time from) const {
  Duration longest;
  Time before;
  for (const Time at : arrivals_) {
    if (at > from) longest = std::max(longest, at - before);
    before = at;
  }
  return std::max(longest, world_->now() - before);
}

std::uint64_t Stream::fragments_lost() const {
  std::uint64_t arrived = 0;
  for (const auto& counter : counters_) arrived += counter->arrived();
  return posted_ - arrived;
}

}  // namespace holdfast::messages
