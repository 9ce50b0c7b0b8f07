// Messages of all lengths, and receives for them that say more or less exactly what they want, in
// time or not, and sometimes with too little memory.
#include <algorithm>
#include <vector>

#include "stack/reliable/message_frame.hpp"
#include "tests/messages/draw.hpp"

namespace holdfast::messages {

namespace {

constexpr std::uint64_t kFramesAimedAt = 8'000;
constexpr std::uint64_t kBytesAimedAt = 96 << 20;  // if the frames are long
constexpr std::uint64_t kMessagesMin = 40;
constexpr std::uint64_t kMessagesMax = 1'500;
constexpr std::uint64_t kTags = 4;

// How exactly a receive says what it wants.
enum class Wants : std::uint8_t { exactly, any_tag, some_tags, any_source, anything };

// Of the largest fragments: on the average more than four of them.
std::uint64_t draw_bytes(swarm::Dice& dice, const Shape& shape, std::uint64_t eager_max) {
  const std::uint64_t wide = shape.wide;
  const std::uint64_t around = dice.below(3);  // one less, as much, one more
  switch (dice.below(16)) {
    case 0:
      return 0;
    case 1:
      return dice.below(17);
    case 2:
      return shape.narrow + around - 1;
    case 3:
      return wide * (1 + dice.below(4)) + around - 1;
    case 4:
      return std::max<std::uint64_t>(eager_max, 1) + around - 1;
    case 5:
      return wide * reliable::kFragmentsMax + around - 1;
    case 6:
      return dice.below(wide * 3 * reliable::kFragmentsMax);
    case 7:
      return shape.narrow * (1 + dice.below(4 * reliable::kFragmentsMax));
    default:
      return 1 + dice.below(wide * 8);
  }
}

std::uint64_t frames_for(std::uint64_t bytes, const Shape& shape) {
  return 2 + bytes / ((shape.narrow + shape.wide) / 2) * 4 / 3;
}

reliable::Pattern pattern_for(const PlannedSend& send, Wants wants) {
  reliable::Pattern pattern{send.from, send.context, send.tag};
  if (wants == Wants::any_tag || wants == Wants::anything) pattern.mask = 0;
  if (wants == Wants::some_tags) pattern.mask = ~std::uint64_t{1};
  if (wants == Wants::any_source || wants == Wants::anything) pattern.source = kNoProcess;
  return pattern;
}

// Most contexts are used in one way, as by a program that knows what it does.
Wants draw_wants(swarm::Dice& dice, std::uint32_t context) {
  if (dice.one_in(8)) return static_cast<Wants>(dice.below(5));
  return static_cast<Wants>(context % 5);
}

PlannedReceive receive_for(swarm::Dice& dice, const PlannedSend& send, Duration spread) {
  PlannedReceive receive;
  receive.process = send.to;
  receive.pattern = pattern_for(send, draw_wants(dice, send.context));
  receive.memory = send.bytes;
  if (dice.one_in(8)) receive.memory = dice.below(send.bytes + 1);
  if (dice.one_in(4)) receive.memory += dice.below(2 * send.bytes + 100);
  // A half is early; the rest is late by as much as the messages of a while.
  const Duration by = dice.up_to(spread);
  receive.at = dice.one_in(2) ? std::max(Time{}, send.at - by) : send.at + by;
  if (dice.one_in(20)) receive.cancelled_at = receive.at + dice.up_to(spread);
  return receive;
}

ProcessId draw_other(swarm::Dice& dice, std::uint32_t processes, ProcessId than) {
  const auto other = static_cast<std::uint32_t>(dice.below(processes - 1));
  return {other >= than.value ? other + 1 : other};
}

void draw_sends(swarm::Dice& dice, const Shape& shape, Scenario& scenario) {
  const std::uint64_t eager_max = scenario.world.endpoint.limits.eager_bytes_max;
  const auto processes = scenario.world.processes;
  std::uint64_t frames = 0, bytes = 0;
  while (scenario.sends.size() < kMessagesMax &&
         (frames < kFramesAimedAt || scenario.sends.size() < kMessagesMin) &&
         bytes < kBytesAimedAt) {
    PlannedSend send;
    send.from = {static_cast<std::uint32_t>(dice.below(processes))};
    send.to = draw_other(dice, processes, send.from);
    send.context = static_cast<std::uint32_t>(dice.below(scenario.contexts));
    send.tag = dice.below(kTags) << (dice.one_in(2) ? 62 : 0);
    send.bytes = draw_bytes(dice, shape, eager_max);
    frames += frames_for(send.bytes, shape);
    bytes += send.bytes;
    scenario.sends.push_back(send);
  }
  scenario.fragments_per_message = static_cast<double>(bytes) / static_cast<double>(shape.wide) /
                                   static_cast<double>(scenario.sends.size());
}

}  // namespace

void draw_messages(swarm::Dice& dice, const Shape& shape, Scenario& scenario) {
  scenario.contexts = dice.between(1, 6);
  draw_sends(dice, shape, scenario);
  std::uint64_t bytes = 0;
  for (const PlannedSend& send : scenario.sends) bytes += send.bytes;
  // From more than the rails can carry to hardly anything at a time.
  const Duration span = milliseconds(2) + shape.takes(bytes) / 4 +
                        shape.takes(bytes) * static_cast<std::int64_t>(dice.below(4)) +
                        dice.up_to(milliseconds(100));
  for (PlannedSend& send : scenario.sends) send.at = Time{} + dice.up_to(span);
  const auto by_time = [](const auto& a, const auto& b) { return a.at < b.at; };
  std::ranges::stable_sort(scenario.sends, by_time);
  for (const PlannedSend& send : scenario.sends) {
    if (dice.one_in(16)) continue;  // nobody asks for it before the calm
    scenario.receives.push_back(receive_for(dice, send, span / 8));
  }
  std::ranges::stable_sort(scenario.receives, by_time);
  scenario.calm = Time{} + span + span / 8;
}

}  // namespace holdfast::messages
