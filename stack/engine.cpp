// The turn: poll, check, hand over, encode, seal, post. What every heartbeat goes through is
// inlined whatever its length: it has one caller, and calls took a tenth of a heartbeat's
// instructions.
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

// A watch that was refused is asked for again. So late an end may be told then.
constexpr Duration kWatchAgain = milliseconds(10);

MembershipOptions with_rails(MembershipOptions options, std::span<Fabric* const> rails) {
  options.detection.rails = static_cast<std::uint32_t>(std::count_if(
      rails.begin(), rails.end(), [](const Fabric* rail) { return rail->caps().datagram; }));
  return options;
}

}  // namespace

Engine::Engine(const EngineOptions& options, const Roster& roster, std::span<Fabric* const> rails,
               Workspace& workspace)
    : workspace_(workspace),
      job_(options.job),
      receive_slots_(static_cast<std::uint16_t>(options.receive_slots)),
      membership_(with_rails(options.membership, rails), roster, workspace.memory) {
  HOLDFAST_ASSERT(options.receive_slots > 0 && options.receive_slots <= 0xffff);
  const Seal* seal = find_seal(options.seal);
  HOLDFAST_ASSERT(seal != nullptr);
  seal_algorithm_ = seal->algorithm();
  keyed_ = seal->keyed();
  if (keyed_) {
    rest().seal = seal;
    rest().key = options.key;
  }
  choose_rails(rails);
  remembers_ = keyed_ || several_;
  if (several_) {
    HOLDFAST_ASSERT(options.slots.empty());
    rest().rails = std::make_unique<SeveralRails>(rails, options.receive_slots);
    return;
  }
  const std::size_t slots = std::size_t{options.receive_slots} + options.send_slots;
  HOLDFAST_ASSERT(options.slots.empty() || options.slots.size() == slots);
  if (options.slots.empty()) rest().slots.reset(new FrameSlot[slots]);
  slots_ = options.slots.empty() ? rest_->slots.get() : options.slots.data();
  region_ = data_rail_->register_memory(std::as_writable_bytes(std::span(slots_, slots)));
  for (std::uint32_t i = 0; i < options.send_slots; ++i) rest().free_send.push_back(i);
}

Engine::~Engine() = default;

// Each time the first that can.
void Engine::choose_rails(std::span<Fabric* const> rails) {
  HOLDFAST_ASSERT(rails.size() <= 0xff);
  std::size_t data = rails.size(), watch = rails.size(), carrying = 0;
  for (std::size_t i = rails.size(); i-- > 0;) {
    if (rails[i]->caps().datagram) {
      data = i;
      ++carrying;
    }
    if (rails[i]->caps().watch) watch = i;
  }
  HOLDFAST_ASSERT(data < rails.size());
  data_rail_ = rails[data];
  several_ = carrying > 1;
  at_first_rail_ = data == 0;
  if (!at_first_rail_) rest().data_rail_index = static_cast<std::uint8_t>(data);
  watches_apart_ = watch < rails.size() && watch != data;
  if (watches_apart_) {
    rest().watch_rail = rails[watch];
    rest_->watch_rail_index = static_cast<std::uint8_t>(watch);
  }
  plain_ = !watches_apart_ && !several_;
  const Caps& caps = data_rail_->caps();
  HOLDFAST_ASSERT(caps.frame_bytes_max >= kFrameBytesMax);
  keeps_handles_ = !caps.stateless_attach;
  inline_bytes_max_ =
      static_cast<std::uint16_t>(std::min<std::size_t>(caps.inline_bytes_max, kFrameBytesMax));
}

Address Engine::address_of(ProcessId process, const Fabric& rail) const {
  std::size_t index = 0;
  if (&rail != data_rail_) {
    index = rest_->watch_rail_index;
  } else if (!at_first_rail_) {
    index = rest_->data_rail_index;
  }
  return workspace_.addresses.address(index, process);
}

std::span<std::byte> Engine::receive_slot(std::uint64_t index) {
  HOLDFAST_ASSERT(index < receive_slots_);
  return slots_[index].bytes;
}

std::span<std::byte> Engine::send_slot(std::uint64_t index) {
  return slots_[receive_slots_ + index].bytes;
}

// Field by field: a slot that is put together first and then copied is read back in larger pieces
// than it was written in, for which the processor waits.
void Engine::describe_slot(std::uint64_t index, ReceiveSlot& slot) {
  slot.region = region_;
  slot.data = receive_slot(index).data();
  slot.size = kFrameBytesMax;
  slot.cookie = index;
  slot.service = Service::datagram;
}

void Engine::start(Time now) {
  if (several_) {
    rest_->rails->offer_all();
    membership_.start(now);
    return;
  }
  std::vector<ReceiveSlot> slots(receive_slots_);
  for (std::uint32_t i = 0; i < receive_slots_; ++i) describe_slot(i, slots[i]);
  const std::size_t offered = data_rail_->offer(slots);
  HOLDFAST_ASSERT(offered == slots.size());
  membership_.start(now);
}

Time Engine::turn(Time now) {
  if (lacks_watches_) watch_again(now);
  // Who has ended comes first: after a sleep, the end of a life before the frames of the next.
  if (plain_) {
    poll_rail(*data_rail_, now);
  } else {
    poll_others(now);
  }
  if (membership_.next_deadline() <= now && !blocked_) {
    if (several_) {
      send_on_rails(now);
    } else {
      send_actions(now);
    }
  }
  Time next = membership_.next_deadline();
  if (lacks_watches_) next = std::min(next, rest_->watch_again_at);
  return blocked_ ? std::max(next, now + kBlockedNap) : next;
}

[[gnu::always_inline]] inline void Engine::poll_rail(Fabric& rail, Time now) {
  std::size_t count = 0;
  std::size_t returned = 0;
  do {
    count = rail.poll(workspace_.events);
    if (count == 0) return;
    returned = 0;
    for (const Event& event : std::span<const Event>(workspace_.events).first(count)) {
      if (event.kind != EventKind::received) {
        handle_event(rail, event, now);
        continue;
      }
      handle_frame(receive_slot(event.cookie).first(event.size), event.at, now);
      describe_slot(event.cookie, workspace_.slots[returned++]);
    }
    if (returned == 0) continue;
    const std::size_t offered = rail.offer(std::span(workspace_.slots).first(returned));
    HOLDFAST_ASSERT(offered == returned);
    // Frames may have waited for a slot even if the batch was not full.
  } while (count == Workspace::kBatch || returned == receive_slots_);
}

void Engine::poll_others(Time now) {
  if (watches_apart_) poll_rail(*rest_->watch_rail, now);
  if (several_) {
    poll_rails(now);
  } else {
    poll_rail(*data_rail_, now);
  }
}

void Engine::poll_rails(Time now) {
  SeveralRails& rails = *rest_->rails;
  SeveralRails::Arrival arrival;
  for (rails.begin_turn(); rails.take(arrival);) {
    SeveralRails::Rail& rail = *arrival.rail;
    const Event& event = arrival.event;
    switch (event.kind) {
      case EventKind::received:
        handle_frame(rails.slot(rail, event.cookie).first(event.size), event.at, now);
        rails.offer(rail, event.cookie);
        break;
      case EventKind::writable:
        rail.is_full = blocked_ = false;
        break;
      case EventKind::port_up:
      case EventKind::port_down:
        rail.is_down = event.kind == EventKind::port_down;
        break;
      default:
        handle_event(*rail.fabric, event, now);
    }
  }
}

void Engine::handle_event(Fabric& rail, const Event& event, Time now) {
  switch (event.kind) {
    case EventKind::sent:
      if (event.cookie != kInlineCookie) {
        rest().free_send.push_back(static_cast<std::uint32_t>(event.cookie));
      }
      break;
    case EventKind::writable:
      if (&rail == data_rail_) blocked_ = false;
      break;
    case EventKind::peer_down:
      if (&rail == watch_rail()) handle_ended(rail, event.peer, now);
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
  auto& watched = rest().watched;
  const auto found = std::find_if(watched.begin(), watched.end(),
                                  [peer](const auto& one) { return one.first == peer; });
  if (found == watched.end()) return;
  const ProcessId ended = found->second;
  watched.erase(found);
  rail.detach(peer);
  membership_.process_ended(now, ended);
}

// Nothing is kept of a frame that does not verify: not that its sender exists, nor its key.
bool Engine::verify(const Header& header, std::span<const std::byte> frame) {
  PeerEntry* const known = peers_.find(header.sender);
  if (known != nullptr && known->keys != PeerEntry::kNoKeys) {
    const PeerKeys::Direction& in = peers_.keys(*known).in;
    if (in.derived && in.own == header.receiver_incarnation &&
        in.remote == header.sender_incarnation) {
      return rest_->seal->matches(in.key, frame);
    }
  }
  const PairKey key = rest_->seal->derive(rest_->key, header.sender, header.sender_incarnation,
                                          header.receiver, header.receiver_incarnation);
  if (!rest_->seal->matches(key, frame)) return false;
  peers_.keys(peers_.entry(header.sender)).in = {true, header.receiver_incarnation,
                                                 header.sender_incarnation, key};
  return true;
}

// In which a sender's sequence is one. Without a seal anybody may have said a sequence that is far
// too high; the sender's next incarnation mends that.
std::uint32_t Engine::life_of(Incarnation sender) const {
  return keyed_ ? boot_of(sender) : sender.value;
}

// Of a frame that verifies, whether it may have been handled before (8.3, 12.3).
bool Engine::is_replayed(const Header& header) {
  return !peers_.keys(peers_.entry(header.sender))
              .window.take(life_of(header.sender_incarnation), header.sequence);
}

// Of a frame that is replayed, whether that is what several rails are for.
bool Engine::is_copy(const Header& header) {
  return several_ && has_body(header.type) &&
         peers_.keys(peers_.entry(header.sender))
             .window.has(life_of(header.sender_incarnation), header.sequence);
}

void Engine::seal(PeerEntry& peer, const Header& header, std::span<std::byte> frame) {
  PeerKeys::Direction& out = peers_.keys(peer).out;
  if (!out.derived || out.own != header.sender_incarnation ||
      out.remote != header.receiver_incarnation) {
    out = {true, header.sender_incarnation, header.receiver_incarnation,
           rest_->seal->derive(rest_->key, header.sender, header.sender_incarnation,
                               header.receiver, header.receiver_incarnation)};
  }
  rest_->seal->write(out.key, frame);
}

// Whether a frame with a body is a sign of life, too: of those only whose heartbeats have come are
// remembered.
bool Engine::is_newer_sign(const Header& header) {
  const PeerEntry* const peer = peers_.find(header.sender);
  return peer != nullptr && peer->last_sequence > 0 && is_newer(header);
}

// An old heartbeat must not keep a dead process alive, whoever sends it again. News may be old.
[[gnu::always_inline]] inline bool Engine::is_newer(const Header& header) {
  PeerEntry& peer = peers_.entry(header.sender);
  const bool newer =
      header.sender_incarnation > peer.last_incarnation ||
      (header.sender_incarnation == peer.last_incarnation && header.sequence > peer.last_sequence);
  if (!newer) return false;
  peer.last_incarnation = header.sender_incarnation;
  peer.last_sequence = header.sequence;
  return true;
}

[[gnu::always_inline]] inline void Engine::handle_frame(std::span<const std::byte> frame, Time at,
                                                        Time now) {
  Header header;
  if (const DecodeStatus decoded = decode_header(frame, header); decoded != DecodeStatus::ok) {
    if (decoded == DecodeStatus::bad_version) {
      ++rest().drops.other_version;
      rest().other_wire_version = version_of(frame);
    } else {
      ++rest().drops.malformed;
    }
    return;
  }
  const ProcessId self = membership_.self();
  const std::uint32_t processes = membership_.roster().processes();
  if (header.job != job_ || header.receiver != self || header.sender == self ||
      header.sender.value >= processes) {
    ++rest().drops.misdelivered;
    return;
  }
  const bool verified = header.seal == seal_algorithm_ &&
                        (keyed_ ? verify(header, frame) : is_zero_seal(frame.last<kSealBytes>()));
  if (!verified) {
    ++rest().drops.unverified;
    return;
  }
  if (decode_body(frame, header.type, processes, workspace_.runs, workspace_.body) !=
      DecodeStatus::ok) {
    ++rest().drops.malformed;
    return;
  }
  static constexpr Body kNone{};
  if (remembers_ && is_replayed(header)) {
    DropCounts& drops = rest().drops;
    ++(is_copy(header) ? drops.copies : drops.outdated);
    return;
  }
  const bool bodied = has_body(header.type);
  const bool newest = bodied ? membership_.hears_news() && is_newer_sign(header) : is_newer(header);
  if ((!bodied && !newest) ||
      !membership_.handle(now, at, header, bodied ? workspace_.body : kNone, newest)) {
    ++rest().drops.outdated;
  }
}

[[gnu::always_inline]] inline void Engine::post(std::size_t count) {
  const auto operations = std::span<const Operation>(workspace_.operations).first(count);
  const std::size_t accepted = data_rail_->post(operations);
  if (accepted < count) drop(operations.subspan(accepted));
}

// What back-pressure has refused.
void Engine::drop(std::span<const Operation> operations) {
  blocked_ = true;
  rest().drops.refused += operations.size();
  for (const Operation& operation : operations) {
    if (!operation.inline_data) {
      rest().free_send.push_back(static_cast<std::uint32_t>(operation.cookie));
    }
  }
}

[[gnu::always_inline]] inline void Engine::send_actions(Time now) {
  std::size_t count = 0;
  MembershipAction& action = workspace_.action;
  while (!blocked_ && membership_.poll(now, workspace_.runs, action)) {
    if (action.kind == MembershipAction::Kind::watch) {
      watch(action.to, now);
      continue;
    }
    if (const std::uint32_t boot = boot_of(receiver_of(action)); boot > 0 && keeps_handles_) {
      count = follow_life(action.to, boot, count);
    }
    if (!encode(action, workspace_.frames[count], workspace_.operations[count])) {
      ++rest().drops.refused;
      continue;
    }
    if (++count == Workspace::kBatch) {
      post(count);
      count = 0;
    }
  }
  if (count > 0) post(count);
}

// The life that a frame is for.
[[gnu::always_inline]] inline Incarnation Engine::receiver_of(
    const MembershipAction& action) const {
  return std::max(membership_.view().of(action.to).incarnation, action.receiver);
}

// A handle leads to one life of a process: the next may be at another address, as an adapter gives
// each its own queue pair. Before a frame for a later boot the handle is let go, after those that
// wait to be posted, of which some may need it; returns how many wait then.
std::size_t Engine::follow_life(ProcessId process, std::uint32_t boot, std::size_t waiting) {
  auto& boots = rest().boots;
  auto known =
      std::lower_bound(boots.begin(), boots.end(), process,
                       [](const auto& one, ProcessId wanted) { return one.first < wanted; });
  if (known == boots.end() || known->first != process) known = boots.insert(known, {process, 0});
  if (known->second >= boot) return waiting;
  known->second = boot;
  PeerEntry* const peer = peers_.find(process);
  if (peer == nullptr || peer->peer == kNoPeer) return waiting;
  if (waiting > 0) post(waiting);
  data_rail_->detach(std::exchange(peer->peer, kNoPeer));
  return 0;
}

// Most processes get a notice now and then: where a handle need not be kept, only those that get
// heartbeats are remembered.
[[gnu::always_inline]] inline Peer Engine::handle_of(const MembershipAction& action) {
  const auto attach = [&] {
    return data_rail_->attach(address_of(action.to, *data_rail_), Service::datagram);
  };
  if (!keeps_handles_ && has_body(action.type)) return attach();
  PeerEntry& peer = peers_.entry(action.to);
  if (peer.peer == kNoPeer) peer.peer = attach();
  return peer.peer;
}

[[gnu::always_inline]] inline bool Engine::encode(const MembershipAction& action,
                                                  std::span<std::byte> to, Operation& operation) {
  const Peer peer = handle_of(action);
  if (peer == kNoPeer) return false;
  const std::span<std::byte> frame = write(action, to);
  operation = Operation{};
  operation.peer = peer;
  return prepare(operation, frame);
}

[[gnu::always_inline]] inline std::span<std::byte> Engine::write(const MembershipAction& action,
                                                                 std::span<std::byte> to) {
  const Header header{.type = action.type,
                      .seal = seal_algorithm_,
                      .job = job_,
                      .sender = membership_.self(),
                      .sender_incarnation = membership_.incarnation(),
                      .receiver = action.to,
                      .receiver_incarnation = receiver_of(action),
                      .sequence = ++sequence_,
                      .digest = membership_.view().digest()};
  const std::size_t bytes = encode_frame(header, action.body, to);
  if (keyed_) seal(peers_.entry(action.to), header, to.first(bytes));
  return to.first(bytes);
}

void Engine::send_on_rails(Time now) {
  SeveralRails& rails = *rest_->rails;
  MembershipAction& action = workspace_.action;
  while (!blocked_ && membership_.poll(now, workspace_.runs, action)) {
    if (action.kind == MembershipAction::Kind::watch) {
      watch(action.to, now);
      continue;
    }
    rails.follow_life(action.to, boot_of(receiver_of(action)));
    const std::span<std::byte> frame = write(action, workspace_.frames[0]);
    if (!has_body(action.type)) {
      post_on(rails.next_for(action.to, action.type), action.to, frame);
      continue;
    }
    for (std::size_t i = 0; i < rails.count(); ++i) post_on(i, action.to, frame);
  }
}

void Engine::post_on(std::size_t rail, ProcessId to, std::span<std::byte> frame) {
  SeveralRails& rails = *rest_->rails;
  SeveralRails::Rail& on = rails.rail(rail);
  Peer& peer = rails.handle(to, rail);
  if (peer == kNoPeer) {
    peer = on.fabric->attach(workspace_.addresses.address(on.index, to), Service::datagram);
  }
  Operation operation;
  operation.peer = peer;
  operation.inline_data = true;
  operation.data = frame.data();
  operation.size = static_cast<std::uint32_t>(frame.size());
  operation.cookie = kInlineCookie;
  if (peer != kNoPeer && !on.is_full) {
    if (on.fabric->post({&operation, 1}) == 1) return;
    on.is_full = true;
    blocked_ = rails.all_full();
  }
  ++rest_->drops.refused;
}

// Sends inline where the rail can, else from a slot that stays ours until the `sent` event.
[[gnu::always_inline]] inline bool Engine::prepare(Operation& operation,
                                                   std::span<std::byte> frame) {
  operation.size = static_cast<std::uint32_t>(frame.size());
  if (frame.size() <= inline_bytes_max_) {
    operation.inline_data = true;
    operation.data = frame.data();
    operation.cookie = kInlineCookie;
    return true;
  }
  std::vector<std::uint32_t>& free_send = rest().free_send;
  if (free_send.empty()) return false;
  const std::uint32_t slot = free_send.back();
  free_send.pop_back();
  std::copy(frame.begin(), frame.end(), send_slot(slot).begin());
  operation.data = send_slot(slot).data();
  operation.region = region_;
  operation.cookie = slot;
  return true;
}

// There may be no descriptor left, for a while: the program that we are in has them as well. Nobody
// else of the node may watch that process.
void Engine::watch(ProcessId process, Time now) {
  Fabric& rail = *watch_rail();
  HOLDFAST_ASSERT(rail.caps().watch);
  // Of a life that has left and may not have ended yet.
  auto& watched = rest().watched;
  const auto known = std::find_if(watched.begin(), watched.end(),
                                  [&](const auto& one) { return one.second == process; });
  if (known != watched.end()) {
    rail.detach(known->first);
    watched.erase(known);
  }
  const Peer peer = rail.attach(address_of(process, rail), Service::watch);
  std::erase(rest_->unwatched, process);
  if (peer == kNoPeer) {
    if (rest_->unwatched.empty()) rest_->watch_again_at = now + kWatchAgain;
    rest_->unwatched.push_back(process);
  } else {
    watched.emplace_back(peer, process);
  }
  lacks_watches_ = !rest_->unwatched.empty();
}

void Engine::watch_again(Time now) {
  if (now < rest_->watch_again_at) return;
  for (const ProcessId process : std::exchange(rest_->unwatched, {})) watch(process, now);
}

std::uint64_t Engine::hash() const {
  // Not of whom it has heard last: an entry of the peers only refuses what is older than the newest
  // frame of a sender, whose own hash tells of that one. While quiet time is skipped nothing is
  // under way that could be older, and probes that come in then are counted at their sender only.
  return mix64(membership_.hash() ^ sequence_);
}

}  // namespace holdfast
