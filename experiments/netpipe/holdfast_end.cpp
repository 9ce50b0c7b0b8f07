// Messages are sent and received by the endpoint's own calls; each turn is followed by a look at
// what it has completed.
#include "experiments/netpipe/holdfast_end.hpp"

#include <algorithm>

#include "hw/monotonic_clock.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::netpipe {
namespace {

using reliable::EndpointOptions;
using reliable::kNoRequest;
using reliable::Outcome;
using reliable::Pattern;

constexpr std::uint32_t kContext = 1;
constexpr std::uint64_t kTag = 7;
constexpr std::uint64_t kSend = 0, kReceive = 1;  // cookies
// Of turns in vain, one in so many reads the clock, as Messenger has it.
constexpr unsigned kTurnsAtOnce = 8;
constexpr Duration kSettled = milliseconds(20);
constexpr Incarnation kFirstLife{};

}  // namespace

EndpointOptions options_of(const RailPlan& plan, bool is_first) {
  EndpointOptions options;
  options.self = ProcessId{is_first ? 0u : 1u};
  options.incarnation = kFirstLife;
  options.job = 1;
  options.seal = plan.seal;
  options.checksum = plan.checksum;
  options.timers = plan.timers;
  options.limits = reliable::limits_for(plan.target);
  options.limits.peers = 1;
  return options;
}

HoldfastEnd::HoldfastEnd(const RailPlan& plan, const OpenRails& rails, bool is_first)
    : open_(rails),
      name_("holdfast over " + plan.target),
      peer_{is_first ? 1u : 0u},
      sleeps_(plan.sleeps) {
  for (const auto& rail : rails.rails) {
    Fabric* const own = rail[is_first ? 0 : 1].get();
    if (plan.faults) {
      ImpairedOptions options;
      options.faults = *plan.faults;
      options.seed = plan.faults_seed;
      options.life = life_number(ProcessId{is_first ? 0u : 1u}, 0);
      options.rail = static_cast<std::uint8_t>(rails_.size());
      options.clock = hw::monotonic_now;
      impaired_.push_back(std::make_unique<ImpairedFabric>(*own, std::move(options)));
    }
    rails_.push_back(plan.faults ? impaired_.back().get() : own);
  }
  endpoint_ = std::make_unique<reliable::Endpoint>(options_of(plan, is_first), rails_,
                                                   static_cast<const AddressBook&>(*this));
  hw::WakeSources sources;
  sources.signals = false;
  if (Status status = sleeper_.open(sources); !status.is_ok()) throw EndFailed(status.message());
  if (!endpoint_->connect(peer_, kFirstLife, hw::monotonic_now()))
    throw EndFailed(name_ + ": there is no room for a connection");
}

Address HoldfastEnd::address(std::size_t rail, ProcessId process) const {
  return open_.addresses[rail][process.value];
}

void HoldfastEnd::send(std::span<const std::byte> message) {
  const auto request = endpoint_->send(peer_, kContext, kTag, message, kSend, now_);
  if (request == kNoRequest) throw EndFailed(name_ + ": a send was refused");
  ++sends_;
}

void HoldfastEnd::receive(std::span<std::byte> message) {
  Pattern pattern;
  pattern.source = peer_;
  pattern.context = kContext;
  pattern.tag = kTag;
  const auto request = endpoint_->receive(pattern, message, kReceive, now_);
  if (request == kNoRequest) throw EndFailed(name_ + ": a receive was refused");
}

void HoldfastEnd::turn() {
  if (turns_++ % kTurnsAtOnce == 0) now_ = hw::monotonic_now();
  next_ = endpoint_->turn(now_);
  std::size_t count = 0;
  do {
    count = endpoint_->completed(some_);
    for (std::size_t i = 0; i < count; ++i) {
      if (some_[i].outcome != Outcome::delivered)
        throw EndFailed(name_ + ": a message did not arrive whole");
      ++(some_[i].cookie == kReceive ? received_ : delivered_);
    }
  } while (count == some_.size());
}

void HoldfastEnd::wait_for(const std::uint64_t& count, std::uint64_t goal) {
  Patience patience(name_);
  turns_ = 0;
  for (;;) {
    turn();
    if (count >= goal) return;
    patience.look_in_vain(sleeps_);
    if (!sleeps_) continue;
    static_cast<void>(sleeper_.sleep(next_, rails_));
    turns_ = 0;
  }
}

void HoldfastEnd::ping_pong(bool is_first, const Messages& out, const Messages& in) {
  for (std::size_t i = 0; i < out.count(); ++i) {
    if (is_first) send(out[i]);
    receive(in[i]);
    wait_for(received_, received_ + 1);
    if (!is_first) send(out[i]);
  }
  wait_for(delivered_, sends_);
}

void HoldfastEnd::stream_out(const Messages& out) {
  for (std::size_t i = 0; i < out.count(); ++i) send(out[i]);
  wait_for(delivered_, sends_);
}

void HoldfastEnd::stream_in(const Messages& in) {
  const std::uint64_t goal = received_ + in.count();
  for (std::size_t i = 0; i < in.count(); ++i) receive(in[i]);
  wait_for(received_, goal);
}

Traffic HoldfastEnd::traffic() const {
  const reliable::EndpointCounts& counts = endpoint_->counts();
  Traffic traffic{counts.fragments_sent, counts.fragments_resent, 0, 0};
  for (const auto& rail : impaired_) {
    const FrameFaultCounts& faults = rail->counts();
    traffic.frames_lost += faults.lost + faults.overflowed;
    traffic.frames_late += faults.delayed;
  }
  return traffic;
}

double HoldfastEnd::round_trip_s() const {
  return 1e-9 * static_cast<double>(endpoint_->smoothed_round_trip(peer_, 0).ns);
}

void HoldfastEnd::settle() {
  const Time latest = hw::monotonic_now() + kSettled;
  do {
    turns_ = 0;
    turn();
  } while (next_ < Time::never() && hw::monotonic_now() < latest);
}

}  // namespace holdfast::netpipe
