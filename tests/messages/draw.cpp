// What a seed stands for: processes and rails, and the settings of their endpoints. The messages
// are drawn in draw_messages.cpp, the faults in draw_faults.cpp.
#include "tests/messages/draw.hpp"

#include <algorithm>

#include "stack/reliable/message_frame.hpp"

namespace holdfast::messages {

namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kWorldStream = 0x6d776f726c64;
constexpr std::uint64_t kMessagesStream = 0x6d6d657373;
constexpr std::uint64_t kFaultsStream = 0x6d6661756c74;
constexpr std::uint64_t kLongStream = 0x6c6f6e67;

constexpr std::uint32_t kFrameOfTcp = (256 << 10) + reliable::kMessageHeaderBytes;

template <class T, std::size_t n>
T pick(swarm::Dice& dice, const T (&of)[n]) {
  return of[dice.below(n)];
}

// 10^-least … 10^-most, as likely in each decade.
double share(swarm::Dice& dice, int least, int most) {
  static constexpr double kTens[] = {1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001};
  const auto decade =
      least + static_cast<int>(dice.below(static_cast<std::uint64_t>(most - least)));
  return kTens[decade] * (0.1 + 0.9 * dice.unit());
}

FrameFaults draw_impairment(swarm::Dice& dice, Duration latency) {
  FrameFaults faults;
  if (dice.one_in(2)) faults.loss = share(dice, 1, 5);
  if (dice.one_in(8)) faults.loss = 0.3 * dice.unit();
  if (dice.one_in(3)) faults.duplicate = share(dice, 1, 4);
  if (dice.one_in(3)) faults.corrupt = share(dice, 1, 4);
  if (dice.one_in(3)) faults.truncate = share(dice, 1, 4);
  if (dice.one_in(3)) {
    faults.jitter = nanoseconds(1) + dice.up_to(latency * 2);
    faults.reorder = dice.unit();
  }
  return faults;
}

sim::WorldRail draw_rail(swarm::Dice& dice, std::int64_t rate, Duration latency, bool impaired) {
  static constexpr std::uint32_t kFrames[] = {128, 256, 576, 1472, 1472, 4096, 9000};
  static constexpr std::int64_t kSlower[] = {1, 1, 1, 2, 3, 10};
  sim::WorldRail rail;
  rail.pipe.bits_per_second = rate / pick(dice, kSlower);
  rail.pipe.latency = latency * static_cast<std::int64_t>(1 + dice.below(4));
  rail.pipe.frame_bytes_max = pick(dice, kFrames);
  rail.pipe.inline_bytes_max = rail.pipe.frame_bytes_max;
  static constexpr std::uint32_t kDepths[] = {8, 32, 256, 256};
  rail.pipe.send_depth = pick(dice, kDepths);
  rail.pipe.receive_depth = pick(dice, kDepths);
  if (dice.one_in(8)) rail.pipe.queue_bytes = 16 * rail.pipe.frame_bytes_max;
  if (impaired && dice.one_in(2)) {
    rail.impaired = draw_impairment(dice, rail.pipe.latency);
  } else if (dice.one_in(2)) {
    static constexpr std::uint32_t kInline[] = {0, 64, 100};
    rail.pipe.inline_bytes_max = pick(dice, kInline);
  }
  return rail;
}

void draw_rails(swarm::Dice& dice, Scenario& scenario) {
  static constexpr std::int64_t kRates[] = {100'000'000,    1'000'000'000,  3'000'000'000,
                                            10'000'000'000, 25'000'000'000, 100'000'000'000};
  static constexpr std::int64_t kLatencies[] = {500, 1'000, 5'000, 20'000, 100'000, 500'000};
  static constexpr std::size_t kCounts[] = {1, 2, 2, 2, 3, 4};
  const std::int64_t rate = pick(dice, kRates);
  const Duration latency = nanoseconds(pick(dice, kLatencies));
  const bool impaired = !dice.one_in(3);
  const std::size_t count = pick(dice, kCounts);
  for (std::size_t r = 0; r < count; ++r) {
    scenario.world.rails.push_back(draw_rail(dice, rate, latency, impaired));
  }
}

// One in 32 has what a job has over TCP: on one rail at least fragments of 256 KiB, and messages of
// a mebibyte that do not ask first; other rails may carry what Ethernet does.
void draw_long_frames(std::uint64_t seed, Scenario& scenario) {
  static constexpr std::uint32_t kFrames[] = {1472, 9000, kFrameOfTcp / 2, kFrameOfTcp};
  swarm::Dice dice(seed, kLongStream, 0);
  if (!dice.one_in(32)) return;
  scenario.world.processes = std::min(scenario.world.processes, 3u);
  const std::uint64_t longest = dice.below(scenario.world.rails.size());
  for (std::size_t r = 0; r < scenario.world.rails.size(); ++r) {
    sim::PipeOptions& pipe = scenario.world.rails[r].pipe;
    const bool is_inline = pipe.inline_bytes_max == pipe.frame_bytes_max;
    pipe.frame_bytes_max = r == longest ? kFrameOfTcp : pick(dice, kFrames);
    if (is_inline) pipe.inline_bytes_max = pipe.frame_bytes_max;
    if (pipe.queue_bytes > 0) pipe.queue_bytes = 16 * pipe.frame_bytes_max;
    pipe.bits_per_second = std::max<std::int64_t>(pipe.bits_per_second, 3'000'000'000);
  }
}

void draw_limits(swarm::Dice& dice, const Shape& shape, Scenario& scenario) {
  reliable::EndpointLimits& limits = scenario.world.endpoint.limits;
  limits.peers = scenario.world.processes;
  static constexpr std::uint32_t kRequests[] = {16, 64, 4096};
  limits.requests = pick(dice, kRequests);
  // Half for sends and half for receives: with all taken by the one kind nobody could go on.
  scenario.requests_max = limits.requests / 2;
  static constexpr std::uint32_t kEager[] = {0, 1, 8, 64, 64};
  limits.eager_bytes_max = std::min(pick(dice, kEager) * shape.narrow, 65536u);
  static constexpr std::uint32_t kRoom[] = {2, 8, 100};
  limits.unexpected_bytes = std::max(limits.eager_bytes_max, shape.wide) * pick(dice, kRoom);
  static constexpr std::uint32_t kMessages[] = {16, 256, 4096};
  limits.unexpected_messages = pick(dice, kMessages);
  static constexpr std::uint32_t kWindow[] = {16, 64, 256};
  limits.window_bytes = std::min(pick(dice, kWindow) * shape.wide, 1u << 20);
  static constexpr std::uint32_t kSlots[] = {16, 64, 256};
  limits.send_slots = pick(dice, kSlots);
  limits.receive_slots = pick(dice, kSlots);
  if (shape.wide < kFrameOfTcp - reliable::kMessageHeaderBytes) return;
  const reliable::EndpointLimits of_tcp = reliable::limits_for("tcp");
  limits.eager_bytes_max = of_tcp.eager_bytes_max;
  limits.unexpected_bytes = of_tcp.unexpected_bytes;
  limits.window_bytes = of_tcp.window_bytes;
  limits.receive_slots = of_tcp.receive_slots;
}

void draw_endpoint(swarm::Dice& dice, const Shape& shape, Scenario& scenario) {
  reliable::EndpointOptions& endpoint = scenario.world.endpoint;
  endpoint.seal = dice.one_in(3) ? "siphash128" : "none";
  endpoint.checksum = dice.one_in(3) ? "xxh3" : "crc32c";
  draw_limits(dice, shape, scenario);
  // Nothing may take longer than the longest that a port can need for what it has accepted.
  const Duration drained = shape.takes(std::uint64_t{endpoint.limits.send_slots} * shape.wide);
  endpoint.local_completion_max = std::max(milliseconds(20), drained * 4);
  if (dice.one_in(3)) endpoint.round_trip = {milliseconds(2), microseconds(100), milliseconds(200)};
  if (dice.one_in(2)) {
    endpoint.rails.hold_down_min = milliseconds(10);
    endpoint.rails.hold_down_max = milliseconds(300);
    endpoint.rails.forgiven_after = seconds(1);
    endpoint.rails.probe_interval_silent = milliseconds(30);
  }
  // In a third of all, the numbers of messages, virtual fragments and packets wrap around.
  if (dice.one_in(3)) endpoint.first_number = 0u - 1 - static_cast<std::uint32_t>(dice.below(300));
}

}  // namespace

Duration Shape::takes(std::uint64_t bytes) const {
  return nanoseconds(
      static_cast<std::int64_t>(bytes * 8 * 1'000'000'000 / static_cast<std::uint64_t>(slowest)));
}

Shape shape_of(const Scenario& scenario) {
  Shape shape;
  for (const sim::WorldRail& rail : scenario.world.rails) {
    const std::uint32_t payload =
        rail.pipe.frame_bytes_max - static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
    shape.narrow = std::min(shape.narrow, payload);
    shape.wide = std::max(shape.wide, payload);
    shape.slowest = std::min(shape.slowest, rail.pipe.bits_per_second);
    shape.latency = std::max(shape.latency, rail.pipe.latency);
    shape.jitter = std::max(shape.jitter, rail.impaired.jitter);
  }
  return shape;
}

// From the calm on, everything that is still to be sent goes over the slowest rail alone at worst,
// once it is trusted again: R its return after a fall with the longest hold-down (rail_state.hpp),
// the longest wait for an answer that was lost before the calm, and for the news of a death; then
// all bytes of all messages four times (fragments may be small, so a header for each, and what had
// been sent before may come again), and for each message the round trips of asking for it.
Duration bound_of(const Scenario& scenario) {
  const reliable::EndpointOptions& endpoint = scenario.world.endpoint;
  const Shape shape = shape_of(scenario);
  std::uint64_t bytes = 0;
  for (const PlannedSend& send : scenario.sends) {
    const std::uint64_t fragments = send.bytes / shape.narrow + 1;
    bytes += send.bytes + fragments * 2 * reliable::kMessageHeaderBytes;
  }
  const Duration round_trip = (shape.latency + scenario.world.response) * 2 + shape.jitter;
  const Duration back = endpoint.rails.hold_down_max + endpoint.rails.probe_interval_silent * 2 +
                        endpoint.rails.probe_interval * endpoint.rails.probes_to_return +
                        round_trip * 10;
  const auto messages = static_cast<std::int64_t>(scenario.sends.size());
  return back + endpoint.round_trip.wait_max * 4 + endpoint.local_completion_max * 2 +
         scenario.world.told_after_max + shape.takes(bytes) * 4 + round_trip * 4 * messages;
}

Scenario draw(std::uint64_t seed) {
  Scenario scenario;
  scenario.world.seed = seed;
  swarm::Dice world(seed, kWorldStream, 0);
  scenario.world.processes = world.one_in(2) ? 2 : world.between(3, 6);
  draw_rails(world, scenario);
  draw_long_frames(seed, scenario);
  const Shape shape = shape_of(scenario);
  draw_endpoint(world, shape, scenario);
  static constexpr std::int64_t kResponses[] = {0, 100, 2'000, 20'000};
  scenario.world.response = nanoseconds(pick(world, kResponses));
  scenario.world.told_after_min = milliseconds(1);
  scenario.world.told_after_max = milliseconds(1) + world.up_to(milliseconds(50));
  swarm::Dice messages(seed, kMessagesStream, 0);
  draw_messages(messages, shape, scenario);
  scenario.one_scattered_of = 4;
  scenario.placing_rails = static_cast<unsigned>(messages.between(0, 255));
  swarm::Dice faults(seed, kFaultsStream, 0);
  draw_faults(faults, scenario);
  scenario.world.impaired_until = scenario.calm;
  scenario.bound = bound_of(scenario);
  return scenario;
}

}  // namespace holdfast::messages
