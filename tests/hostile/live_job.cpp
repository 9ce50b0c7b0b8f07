// Starting, killing and driving the processes of the job in one thread.
#include "tests/hostile/live_job.hpp"

#include <algorithm>

#include "stack/base/bytes.hpp"

namespace holdfast::hostile {

namespace {

constexpr Duration kStep = milliseconds(5);
constexpr std::size_t kKeptMax = 4096;

}  // namespace

std::size_t Tap::offer(std::span<const ReceiveSlot> slots) {
  for (const ReceiveSlot& slot : slots) {
    if (slots_.size() <= slot.cookie) slots_.resize(slot.cookie + 1);
    slots_[slot.cookie] = slot.data;
  }
  return inner_.offer(slots);
}

std::size_t Tap::poll(std::span<Event> events) {
  const std::size_t count = inner_.poll(events);
  for (Event& event : events.first(count)) {
    if (event.kind != EventKind::received) continue;
    event.at = now_;
    if (!keeping || heard.size() == kKeptMax) continue;
    const std::byte* const data = slots_[event.cookie];
    heard.emplace_back(data, data + event.size);
  }
  return count;
}

class Ends final : public Fabric {
 public:
  Ends() { caps_.watch = true; }

  void tell(ProcessId ended) {
    for (std::uint32_t i = 0; i < watched_.size(); ++i) {
      if (watched_[i] != ended) continue;
      Event event;
      event.kind = EventKind::peer_down;
      event.peer = {i};
      events_.push_back(event);
    }
  }

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return {}; }
  Peer attach(const Address& address, Service) override {
    watched_.push_back({load_le<std::uint32_t>(address.bytes.data())});
    return {static_cast<std::uint32_t>(watched_.size() - 1)};
  }
  void detach(Peer peer) override { watched_[peer.value] = kNoProcess; }
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return {}; }
  std::size_t post(std::span<const Operation>) override { return 0; }
  std::size_t offer(std::span<const ReceiveSlot>) override { return 0; }
  std::size_t poll(std::span<Event> events) override {
    const std::size_t count = std::min(events.size(), events_.size());
    std::copy_n(events_.begin(), count, events.begin());
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override { return {}; }

 private:
  Caps caps_;
  std::vector<ProcessId> watched_;  // by handle
  std::vector<Event> events_;
};

Member::Member() = default;
Member::Member(Member&&) noexcept = default;
Member::~Member() = default;

// Rail 0 is the fabric, rail 1 watches.
class LiveJob::Addresses final : public AddressBook {
 public:
  explicit Addresses(const Rails& rails) : rails_(rails) {}
  Address address(std::size_t rail, ProcessId process) const override {
    if (rail == 0) return rails_.address(process);
    Address address;
    store_le(address.bytes.data(), process.value);
    address.size = 4;
    return address;
  }

 private:
  const Rails& rails_;
};

LiveJob::LiveJob(Rails& rails, const JobKey& key)
    : rails_(rails),
      key_(key),
      roster_({.nodes = kProcesses / 2, .per_node = 2}),
      addresses_(std::make_unique<Addresses>(rails)),
      members_(kProcesses) {}

LiveJob::~LiveJob() = default;

bool LiveJob::start(ProcessId process) {
  Member& member = members_[process.value];
  std::unique_ptr<Fabric> rail = rails_.open(process);
  if (!rail) return false;
  member.tap = std::make_unique<Tap>(std::move(rail), now_);
  member.ends = std::make_unique<Ends>();
  member.workspace = std::make_unique<Workspace>(*addresses_);
  EngineOptions options;
  options.membership.self = process;
  options.membership.incarnation = first_incarnation_of_boot(member.boot);
  options.membership.rejoining = member.boot > 0;
  options.membership.phase = milliseconds(7) * process.value;
  options.membership.detection.period = kPeriod;
  options.membership.detection.timeout = kTimeout;
  options.job = kJob;
  options.key = key_;
  options.seal = "siphash128";
  options.receive_slots = 256;
  const std::array<Fabric*, 2> both{member.tap.get(), member.ends.get()};
  member.engine = std::make_unique<Engine>(options, roster_, both, *member.workspace);
  member.engine->start(now_);
  return true;
}

void LiveJob::kill(ProcessId process) {
  Member& member = members_[process.value];
  member.engine.reset();
  std::move(member.tap->heard.begin(), member.tap->heard.end(),
            std::back_inserter(member.heard_before));
  member.tap.reset();
  for (Member& other : members_) {
    if (other.engine) other.ends->tell(process);
  }
}

bool LiveJob::restart(ProcessId process) {
  kill(process);
  ++members_[process.value].boot;
  return start(process);
}

void LiveJob::run(Duration duration) {
  for (const Time end = now_ + duration; now_ < end; now_ = now_ + kStep) {
    for (Member& member : members_) {
      if (!member.engine) continue;
      member.engine->turn(now_);
      member.engine->clear_changes();
    }
    rails_.settle();
  }
}

bool LiveJob::agrees() const {
  return std::all_of(members_.begin(), members_.end(), [&](const Member& member) {
    if (!member.engine) return true;
    const Membership& membership = member.engine->membership();
    for (std::uint32_t i = 0; i < kProcesses; ++i) {
      const Record expected{first_incarnation_of_boot(members_[i].boot), MemberState::alive};
      const Record believed = membership.view().of({i});
      if (members_[i].engine ? believed != expected : is_live(believed)) return false;
    }
    return !membership.joining();
  });
}

}  // namespace holdfast::hostile
