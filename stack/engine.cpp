#include "stack/engine.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

namespace {

// Marks the cookies of operations that nobody waits for.
constexpr std::uint64_t kInlineCookie = ~std::uint64_t{0};

// How long to wait at most for `writable`, in case the rail's system never says so.
constexpr Duration kBlockedNap = milliseconds(1);

}  // namespace

Engine::Engine(const EngineOptions& options, const Roster& roster, const AddressBook& addresses,
               std::span<Fabric* const> rails, TurnScratch& scratch)
    : roster_(roster),
      addresses_(addresses),
      rails_(rails.begin(), rails.end()),
      scratch_(scratch),
      seal_(make_seal(options.seal)),
      key_(options.key),
      job_(options.job),
      self_(options.membership.self),
      membership_(options.membership, roster),
      receive_slots_(options.receive_slots),
      memory_(
          new std::byte[std::size_t{options.receive_slots + options.send_slots} * kFrameBytesMax]) {
  HOLDFAST_ASSERT(seal_ != nullptr && options.receive_slots > 0);
  const auto has_data = [](const Fabric* rail) { return rail->caps().datagram; };
  const auto has_watch = [](const Fabric* rail) { return rail->caps().watch; };
  const auto data = std::find_if(rails_.begin(), rails_.end(), has_data);
  HOLDFAST_ASSERT(data != rails_.end());
  data_rail_ = static_cast<std::size_t>(data - rails_.begin());
  const auto watching = std::find_if(rails_.begin(), rails_.end(), has_watch);
  can_watch_ = watching != rails_.end();
  if (can_watch_) watch_rail_ = static_cast<std::size_t>(watching - rails_.begin());
  Fabric& rail = *rails_[data_rail_];
  HOLDFAST_ASSERT(rail.caps().frame_bytes_max >= kFrameBytesMax);
  region_ = rail.register_memory(
      {memory_.get(), std::size_t{options.receive_slots + options.send_slots} * kFrameBytesMax});
  for (std::uint32_t i = 0; i < options.send_slots; ++i) free_send_.push_back(i);
}

std::span<std::byte> Engine::receive_slot(std::uint64_t index) {
  HOLDFAST_ASSERT(index < receive_slots_);
  return {memory_.get() + index * kFrameBytesMax, kFrameBytesMax};
}

std::span<std::byte> Engine::send_slot(std::uint64_t index) {
  return {memory_.get() + (receive_slots_ + index) * kFrameBytesMax, kFrameBytesMax};
}

void Engine::start(Time now) {
  std::vector<ReceiveSlot> slots;
  for (std::uint32_t i = 0; i < receive_slots_; ++i) {
    slots.push_back({region_, receive_slot(i).data(), kFrameBytesMax, i});
  }
  const std::size_t offered = rails_[data_rail_]->offer(slots);
  HOLDFAST_ASSERT(offered == slots.size());
  membership_.start(now);
}

Time Engine::turn(Time now) {
  for (std::size_t rail = 0; rail < rails_.size(); ++rail) poll_rail(rail, now);
  if (!blocked_) send_actions(now);
  const Time next = membership_.next_deadline();
  return blocked_ ? std::max(next, now + kBlockedNap) : next;
}

void Engine::poll_rail(std::size_t rail, Time now) {
  std::size_t count = 0;
  std::size_t returned = 0;
  do {
    count = rails_[rail]->poll(scratch_.events);
    returned = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Event& event = scratch_.events[i];
      handle_event(rail, event, now);
      if (event.kind != EventKind::received) continue;
      scratch_.slots[returned++] = {region_, receive_slot(event.cookie).data(), kFrameBytesMax,
                                    event.cookie};
    }
    if (returned == 0) continue;
    const std::size_t offered = rails_[rail]->offer(std::span(scratch_.slots).first(returned));
    HOLDFAST_ASSERT(offered == returned);
    // Frames may have waited for a slot even if the batch was not full.
  } while (count == TurnScratch::kBatch || returned == receive_slots_);
}

void Engine::handle_event(std::size_t rail, const Event& event, Time now) {
  switch (event.kind) {
    case EventKind::received:
      handle_frame(receive_slot(event.cookie).first(event.size), event.at, now);
      break;
    case EventKind::sent:
      if (event.cookie != kInlineCookie) {
        free_send_.push_back(static_cast<std::uint32_t>(event.cookie));
      }
      break;
    case EventKind::writable:
      if (rail == data_rail_) blocked_ = false;
      break;
    case EventKind::peer_down:
      for (auto& [peer, process] : watched_) {
        if (rail != watch_rail_ || peer != event.peer) continue;
        const ProcessId ended = process;
        rails_[rail]->detach(peer);
        std::swap(watched_.back(), *std::find(watched_.begin(), watched_.end(),
                                              std::pair<Peer, ProcessId>(event.peer, ended)));
        watched_.pop_back();
        membership_.process_ended(now, ended);
        break;
      }
      break;
    case EventKind::attached:
    case EventKind::path_migrated:
    case EventKind::path_migration_failed:
    case EventKind::port_up:
    case EventKind::port_down:
      break;  // of connected rails, which carry no control frames
  }
}

void Engine::handle_frame(std::span<const std::byte> frame, Time at, Time now) {
  Header header;
  if (decode_header(frame, header) != DecodeStatus::ok) {
    ++drops_.malformed;
    return;
  }
  if (header.job != job_ || header.receiver != self_ || header.sender == self_ ||
      header.sender.value >= roster_.processes()) {
    ++drops_.misdelivered;
    return;
  }
  PeerEntry& peer = peers_.entry(header.sender);
  if (header.seal != seal_->algorithm()) {
    ++drops_.unverified;
    return;
  }
  if (!peer.has_in_key || peer.in_own != header.receiver_incarnation ||
      peer.in_remote != header.sender_incarnation) {
    peer.in_own = header.receiver_incarnation;
    peer.in_remote = header.sender_incarnation;
    peer.in_key = seal_->derive(key_, header.sender, header.sender_incarnation, self_,
                                header.receiver_incarnation);
    peer.has_in_key = true;
  }
  if (!seal_->matches(peer.in_key, frame)) {
    ++drops_.unverified;
    return;
  }
  Body body;
  if (decode_body(frame, header.type, roster_.processes(), scratch_.runs, body) !=
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
  membership_.handle(now, at, header, body);
}

void Engine::send_actions(Time now) {
  std::size_t count = 0;
  while (!blocked_) {
    const auto action = membership_.poll(now, scratch_.runs);
    if (!action) break;
    if (action->kind == MembershipAction::Kind::watch) {
      watch(action->to);
      continue;
    }
    if (!encode(*action, scratch_.frames[count], scratch_.operations[count])) {
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
  Fabric& rail = *rails_[data_rail_];
  if (peer.peer == kNoPeer) {
    peer.peer = rail.attach(addresses_.address(data_rail_, action.to), Service::datagram);
    if (peer.peer == kNoPeer) return false;
  }
  Header header;
  header.type = action.type;
  header.seal = seal_->algorithm();
  header.job = job_;
  header.sender = self_;
  header.sender_incarnation = membership_.incarnation();
  header.receiver = action.to;
  header.receiver_incarnation = membership_.view().of(action.to).incarnation;
  header.sequence = ++sequence_;
  header.digest = membership_.view().digest();
  const std::size_t bytes = encode_frame(header, action.body, to);
  if (!peer.has_out_key || peer.out_own != header.sender_incarnation ||
      peer.out_remote != header.receiver_incarnation) {
    peer.out_own = header.sender_incarnation;
    peer.out_remote = header.receiver_incarnation;
    peer.out_key = seal_->derive(key_, self_, header.sender_incarnation, action.to,
                                 header.receiver_incarnation);
    peer.has_out_key = true;
  }
  seal_->write(peer.out_key, to.first(bytes));
  operation = Operation{};
  operation.peer = peer.peer;
  return prepare(operation, to.first(bytes));
}

// Sends inline where the rail can, else from a slot that stays ours until the `sent` event.
bool Engine::prepare(Operation& operation, std::span<std::byte> frame) {
  operation.size = static_cast<std::uint32_t>(frame.size());
  if (frame.size() <= rails_[data_rail_]->caps().inline_bytes_max) {
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
  const std::size_t accepted = rails_[data_rail_]->post(operations);
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
  HOLDFAST_ASSERT(can_watch_);
  Fabric& rail = *rails_[watch_rail_];
  const Peer peer = rail.attach(addresses_.address(watch_rail_, process), Service::watch);
  HOLDFAST_ASSERT(peer != kNoPeer);
  watched_.emplace_back(peer, process);
}

std::uint64_t Engine::hash() const {
  std::uint64_t h = mix64(membership_.hash() ^ sequence_);
  for (const PeerEntry& peer : peers_.entries()) {
    if (peer.last_sequence == 0) continue;  // only a handle for sending, which is no state
    h = mix64(h ^ peer.process.value);
    h = mix64(h ^ peer.last_sequence ^ peer.last_incarnation.value);
  }
  return h;
}

}  // namespace holdfast
