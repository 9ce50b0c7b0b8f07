// Frames of one message keep their order on all of their way, so its last one says that all of it
// is there.
#include "sim/jobs/raw_end.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

// Places in frames_.
constexpr std::size_t kComing = 0, kInline = 1, kGotFrame = 2;

template <class T>
std::optional<T> take(std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<T>>& waiting,
                      std::pair<std::uint32_t, std::uint32_t> envelope) {
  const auto found = waiting.find(envelope);
  if (found == waiting.end()) return std::nullopt;
  const T first = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) waiting.erase(found);
  return first;
}

}  // namespace

RawEnd::RawEnd(PipeNetwork& network, ProcessId self, std::uint64_t short_bytes_max)
    : network_(network),
      self_(self),
      short_bytes_max_(short_bytes_max),
      frames_(4 * std::size_t{network.options().frame_bytes_max}),
      free_{kGotFrame, kGotFrame + 1} {
  static_assert(sizeof(Header) <= kHeaderBytes);
  offer();
}

std::uint32_t RawEnd::payload_max() const {
  return network_.options().frame_bytes_max - kHeaderBytes;
}

std::byte* RawEnd::memory(std::size_t frame) {
  return frames_.data() + frame * network_.options().frame_bytes_max;
}

void RawEnd::offer() {
  const ReceiveSlot slot{{}, memory(kComing), network_.options().frame_bytes_max, 0};
  network_.fabric(self_).offer({&slot, 1});
}

void RawEnd::post_frame(ProcessId to, const Header& header, std::uint32_t payload,
                        std::size_t frame) {
  std::memcpy(memory(frame), &header, sizeof header);
  Operation operation;
  operation.inline_data = frame == kInline;
  operation.peer = {to.value};
  operation.data = memory(frame);
  operation.size = kHeaderBytes + payload;
  operation.cookie = frame;
  const std::size_t taken = network_.fabric(self_).post({&operation, 1});
  HOLDFAST_ASSERT(taken == 1);
}

// `bytes` of payload, in as many frames as they need, at least one.
void RawEnd::post(ProcessId to, const Header& header, std::uint64_t bytes) {
  Header part = header;
  do {
    const auto payload = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, payload_max()));
    bytes -= payload;
    part.is_last = bytes == 0;
    post_frame(to, part, payload, kInline);
  } while (bytes > 0);
}

// Two frames at a time, so that the cable is never idle.
void RawEnd::send_got() {
  while (!free_.empty() && !got_.empty()) {
    Got got = got_.front();
    got_.pop_front();
    const auto payload =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(got.left, payload_max()));
    got.left -= payload;
    got.header.is_last = got.left == 0;
    post_frame(got.to, got.header, payload, free_.back());
    free_.pop_back();
    if (got.left > 0) got_.push_back(got);
  }
}

bool RawEnd::send(ProcessId to, std::uint32_t tag, std::uint64_t bytes, std::uint64_t cookie) {
  Header header{.from = self_.value, .tag = tag, .bytes = bytes};
  if (bytes <= short_bytes_max_) {
    post(to, header, bytes);
    return true;
  }
  header.kind = Kind::request;
  header.sending = numbers_++;
  sendings_[header.sending] = {to, bytes, cookie};
  post(to, header, 0);
  return true;
}

bool RawEnd::receive(ProcessId from, std::uint32_t tag, std::uint64_t, std::uint64_t cookie) {
  const Envelope envelope{from.value, tag};
  if (const std::optional<Header> header = take(unexpected_, envelope)) {
    meet(*header, cookie);
  } else {
    receives_[envelope].push_back(cookie);
  }
  return true;
}

// A message or request and its receive.
void RawEnd::meet(const Header& header, std::uint64_t cookie) {
  if (header.kind == Kind::message) {
    completed_.emplace_back(cookie, header.bytes);
    return;
  }
  Header get = header;
  get.kind = Kind::get;
  get.from = self_.value;
  get.receiving = numbers_++;
  receivings_[get.receiving] = {cookie, header};
  post({header.from}, get, 0);
}

void RawEnd::poll() {
  Fabric& fabric = network_.fabric(self_);
  std::array<Event, 1> event;
  while (fabric.poll(event) == 1) {
    if (event[0].kind == EventKind::sent) {
      if (event[0].cookie != kInline) free_.push_back(static_cast<std::size_t>(event[0].cookie));
      continue;
    }
    HOLDFAST_ASSERT(event[0].kind == EventKind::received);
    Header header;
    std::memcpy(&header, memory(kComing), sizeof header);
    offer();
    arrived(header);
  }
  send_got();
}

void RawEnd::arrived(const Header& header) {
  if (header.kind == Kind::get) {
    Got got{header, {header.from}, header.bytes};
    got.header.kind = Kind::data;
    got.header.from = self_.value;
    got_.push_back(got);
  } else if (header.is_last) {
    for_process_.push_back(header);
  }
}

void RawEnd::handle(const Header& header) {
  if (header.kind == Kind::done) {
    const auto found = sendings_.find(header.sending);
    completed_.emplace_back(found->second.cookie, found->second.bytes);
    sendings_.erase(found);
  } else if (header.kind == Kind::data) {
    const auto found = receivings_.find(header.receiving);
    Header done = header;
    done.kind = Kind::done;
    done.from = self_.value;
    post({found->second.request.from}, done, 0);
    completed_.emplace_back(found->second.cookie, header.bytes);
    receivings_.erase(found);
  } else {
    const Envelope envelope{header.from, header.tag};
    if (const std::optional<std::uint64_t> cookie = take(receives_, envelope)) {
      meet(header, *cookie);
    } else {
      unexpected_[envelope].push_back(header);
    }
  }
}

bool RawEnd::look(Player& player) {
  for (const Header& header : for_process_) handle(header);
  for_process_.clear();
  const bool any = !completed_.empty();
  for (const auto& [cookie, bytes] : completed_) player.completed(cookie, bytes);
  completed_.clear();
  return any;
}

}  // namespace holdfast::sim
