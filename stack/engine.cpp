// The turn: poll, check, hand over, encode, seal, post.
#include "stack/engine.hpp"

#include <algorithm>
#include <utility>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

namespace {

// Marks the cookies of operations that nobody waits for.
constexpr std::uint64_t kInlineCookie = ~std::uint64_t{0};

// How long to sleep at most while blocked: a rail may notice that there is room only when it is
// polled.
constexpr Duration kBlockedNap = milliseconds(1);

}  // namespace

Engine::Engine(const EngineOptions& options, const Roster& roster, const AddressBook& addresses,
               std::span<Fabric* const> rails, TurnScratch& scratch)
    : scratch_(scratch),
      job_(options.job),
      receive_slots_(static_cast<std::uint16_t>(options.receive_slots)),
      membership_(options.membership, roster),
      seal_(find_seal(options.seal)),
      addresses_(addresses),
      rails_(rails.begin(), rails.end()),
      key_(options.key) {
  HOLDFAST_ASSERT(seal_ != nullptr && options.receive_slots > 0 && options.receive_slots <= 0xffff);
  seal_algorithm_ = seal_->algorithm();
  keyed_ = seal_->keyed();
  const std::size_t slots = std::size_t{options.receive_slots} + options.send_slots;
  if (options.slots.empty()) own_slots_.reset(new FrameSlot[slots]);
  HOLDFAST_ASSERT(options.slots.empty() || options.slots.size() == slots);
  slots_ = own_slots_ ? own_slots_.get() : options.slots.data();
  for (Fabric* rail : rails_) {
    if (data_rail_ == nullptr && rail->caps().datagram) data_rail_ = rail;
    if (watch_rail_ == nullptr && rail->caps().watch) watch_rail_ = rail;
  }
  watches_apart_ = watch_rail_ != nullptr && watch_rail_ != data_rail_;
  HOLDFAST_ASSERT(data_rail_ != nullptr && data_rail_->caps().frame_bytes_max >= kFrameBytesMax);
  inline_bytes_max_ = static_cast<std::uint16_t>(
      std::min<std::size_t>(data_rail_->caps().inline_bytes_max, kFrameBytesMax));
  region_ = data_rail_->register_memory(std::as_writable_bytes(std::span(slots_, slots)));
  for (std::uint32_t i = 0; i < options.send_slots; ++i) free_send_.push_back(i);
}

std::size_t Engine::rail_index(const Fabric* rail) const {
  return static_cast<std::size_t>(std::find(rails_.begin(), rails_.end(), rail) - rails_.begin());
}

std::span<std::byte> Engine::receive_slot(std::uint64_t index) {
  HOLDFAST_ASSERT(index < receive_slots_);
  return slots_[index].bytes;
}

std::span<std::byte> Engine::send_slot(std::uint64_t index) {
  return slots_[receive_slots_ + index].bytes;
}

ReceiveSlot Engine::offered_slot(std::uint64_t index) {
  return {region_, receive_slot(index).data(), kFrameBytesMax, index};
}

void Engine::start(Time now) {
  std::vector<ReceiveSlot> slots;
  for (std::uint32_t i = 0; i < receive_slots_; ++i) slots.push_back(offered_slot(i));
  const std::size_t offered = data_rail_->offer(slots);
  HOLDFAST_ASSERT(offered == slots.size());
  membership_.start(now);
}

Time Engine::turn(Time now) {
  // Who has ended comes first: after a sleep, the end of a life before the frames of the next.
  if (watches_apart_) poll_rail(*watch_rail_, now);
  poll_rail(*data_rail_, now);
  if (membership_.next_deadline() <= now && !blocked_) send_actions(now);
  const Time next = membership_.next_deadline();
  return blocked_ ? std::max(next, now + kBlockedNap) : next;
}

void Engine::poll_rail(Fabric& rail, Time now) {
  std::size_t count = 0;
  std::size_t returned = 0;
  do {
    count = rail.poll(scratch_.events);
    if (count == 0) return;
    returned = 0;
    for (const Event& event : std::span<const Event>(scratch_.events).first(count)) {
      if (event.kind != EventKind::received) {
        handle_event(rail, event, now);
        continue;
      }
      handle_frame(receive_slot(event.cookie).first(event.size), event.at, now);
      scratch_.slots[returned++] = offered_slot(event.cookie);
    }
    if (returned == 0) continue;
    const std::size_t offered = rail.offer(std::span(scratch_.slots).first(returned));
    HOLDFAST_ASSERT(offered == returned);
    // Frames may have waited for a slot even if the batch was not full.
  } while (count == TurnScratch::kBatch || returned == receive_slots_);
}

void Engine::handle_event(Fabric& rail, const Event& event, Time now) {
  switch (event.kind) {
    case EventKind::sent:
      if (event.cookie != kInlineCookie) {
        free_send_.push_back(static_cast<std::uint32_t>(event.cookie));
      }
      break;
    case EventKind::writable:
      if (&rail == data_rail_) blocked_ = false;
      break;
    case EventKind::peer_down:
      if (&rail == watch_rail_) handle_ended(rail, event.peer, now);
      break;
    case EventKind::received:
    case EventKind::attached:
    case EventKind::path_migrated:
    case EventKind::path_migration_failed:
    case EventKind::port_up:
    case EventKind::port_down:
      break;  // frames are handled where they are polled; the rest is of connected rails
  }
}

void Engine::handle_ended(Fabric& rail, Peer peer, Time now) {
  const auto found = std::find_if(watched_.begin(), watched_.end(),
                                  [peer](const auto& watched) { return watched.first == peer; });
  if (found == watched_.end()) return;
  const ProcessId ended = found->second;
  watched_.erase(found);
  rail.detach(peer);
  membership_.process_ended(now, ended);
}

bool Engine::verify(PeerEntry& peer, const Header& header, std::span<const std::byte> frame) {
  PeerKeys::Direction& in = peers_.keys(peer).in;
  if (!in.derived || in.own != header.receiver_incarnation ||
      in.remote != header.sender_incarnation) {
    in = {true, header.receiver_incarnation, header.sender_incarnation,
          seal_->derive(key_, header.sender, header.sender_incarnation, header.receiver,
                        header.receiver_incarnation)};
  }
  return seal_->matches(in.key, frame);
}

void Engine::seal(PeerEntry& peer, const Header& header, std::span<std::byte> frame) {
  PeerKeys::Direction& out = peers_.keys(peer).out;
  if (!out.derived || out.own != header.sender_incarnation ||
      out.remote != header.receiver_incarnation) {
    out = {true, header.sender_incarnation, header.receiver_incarnation,
           seal_->derive(key_, header.sender, header.sender_incarnation, header.receiver,
                         header.receiver_incarnation)};
  }
  seal_->write(out.key, frame);
}

void Engine::handle_frame(std::span<const std::byte> frame, Time at, Time now) {
  Header header;
  if (decode_header(frame, header) != DecodeStatus::ok) {
    ++drops_.malformed;
    return;
  }
  const ProcessId self = membership_.self();
  const std::uint32_t processes = membership_.roster().processes();
  if (header.job != job_ || header.receiver != self || header.sender == self ||
      header.sender.value >= processes) {
    ++drops_.misdelivered;
    return;
  }
  PeerEntry& peer = peers_.entry(header.sender);
  const bool verified =
      header.seal == seal_algorithm_ &&
      (keyed_ ? verify(peer, header, frame) : is_zero_seal(frame.last<kSealBytes>()));
  if (!verified) {
    ++drops_.unverified;
    return;
  }
  if (decode_body(frame, header.type, processes, scratch_.runs, scratch_.body) !=
      DecodeStatus::ok) {
    ++drops_.malformed;
    return;
  }
  // An old heartbeat must not keep a dead process alive, whoever sends it again. News may be old.
  const bool newer =
      header.sender_incarnation > peer.last_incarnation ||
      (header.sender_incarnation == peer.last_incarnation && header.sequence > peer.last_sequence);
  if (newer) {
    peer.last_incarnation = header.sender_incarnation;
    peer.last_sequence = header.sequence;
  } else if (header.type == FrameType::heartbeat || header.type == FrameType::observe) {
    ++drops_.outdated;
    return;
  }
  static constexpr Body kNone{};
  membership_.handle(now, at, header, has_body(header.type) ? scratch_.body : kNone);
}

void Engine::send_actions(Time now) {
  std::size_t count = 0;
  MembershipAction action;
  while (!blocked_ && membership_.poll(now, scratch_.runs, action)) {
    if (action.kind == MembershipAction::Kind::watch) {
      watch(action.to);
      continue;
    }
    if (!encode(action, scratch_.frames[count], scratch_.operations[count])) {
      ++drops_.refused;
      continue;
    }
    if (++count == TurnScratch::kBatch) {
      post(count);
      count = 0;
    }
  }
  if (count > 0) post(count);
}

bool Engine::encode(const MembershipAction& action, std::span<std::byte> to, Operation& operation) {
  PeerEntry& peer = peers_.entry(action.to);
  if (peer.peer == kNoPeer) {
    peer.peer = data_rail_->attach(addresses_.address(rail_index(data_rail_), action.to),
                                   Service::datagram);
    if (peer.peer == kNoPeer) return false;
  }
  const Header header{.type = action.type,
                      .seal = seal_algorithm_,
                      .job = job_,
                      .sender = membership_.self(),
                      .sender_incarnation = membership_.incarnation(),
                      .receiver = action.to,
                      .receiver_incarnation = membership_.view().of(action.to).incarnation,
                      .sequence = ++sequence_,
                      .digest = membership_.view().digest()};
  const std::size_t bytes = encode_frame(header, action.body, to);
  if (keyed_) seal(peer, header, to.first(bytes));
  operation = Operation{};
  operation.peer = peer.peer;
  return prepare(operation, to.first(bytes));
}

// Sends inline where the rail can, else from a slot that stays ours until the `sent` event.
bool Engine::prepare(Operation& operation, std::span<std::byte> frame) {
  operation.size = static_cast<std::uint32_t>(frame.size());
  if (frame.size() <= inline_bytes_max_) {
    operation.inline_data = true;
    operation.data = frame.data();
    operation.cookie = kInlineCookie;
    return true;
  }
  if (free_send_.empty()) return false;
  const std::uint32_t slot = free_send_.back();
  free_send_.pop_back();
  std::copy(frame.begin(), frame.end(), send_slot(slot).begin());
  operation.data = send_slot(slot).data();
  operation.region = region_;
  operation.cookie = slot;
  return true;
}

void Engine::post(std::size_t count) {
  const auto operations = std::span<const Operation>(scratch_.operations).first(count);
  const std::size_t accepted = data_rail_->post(operations);
  if (accepted == count) return;
  blocked_ = true;
  drops_.refused += count - accepted;
  for (const Operation& operation : operations.subspan(accepted)) {
    if (!operation.inline_data) {
      free_send_.push_back(static_cast<std::uint32_t>(operation.cookie));
    }
  }
}

void Engine::watch(ProcessId process) {
  HOLDFAST_ASSERT(watch_rail_ != nullptr);
  const Peer peer =
      watch_rail_->attach(addresses_.address(rail_index(watch_rail_), process), Service::watch);
  HOLDFAST_ASSERT(peer != kNoPeer);
  watched_.emplace_back(peer, process);
}

std::uint64_t Engine::hash() const {
  // Not of whom it has heard last: an entry of the peers only refuses what is older than the newest
  // frame of a sender, whose own hash tells of that one. While quiet time is skipped nothing is
  // under way that could be older, and probes that come in then are counted at their sender only.
  return mix64(membership_.hash() ^ sequence_);
}

}  // namespace holdfast
