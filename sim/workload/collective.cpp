// One function an algorithm: the steps of one member in one round; see the header.
#include "sim/workload/collective.hpp"

#include <bit>

#include "stack/base/assert.hpp"

namespace holdfast::sim {
namespace {

// With the one `ahead` of us and the one as far behind, counted round.
void shift(const Group& group, std::uint32_t ahead, std::uint64_t bytes, std::uint32_t tag,
           Block& block) {
  const ProcessId to = group.member((group.self + ahead) % group.size);
  const ProcessId from = group.member((group.self + group.size - ahead) % group.size);
  block.exchange(from, bytes, to, bytes, tag);
}

bool dissemination(const Group& group, std::uint32_t round, Block& block) {
  const std::uint32_t ahead = 1u << round;
  if (ahead >= group.size) return false;
  shift(group, ahead, 0, collective_tag(Collective::barrier), block);
  return true;
}

// A process's parent has its lowest bit cleared; its children add one below that bit, and the ones
// with the most children come first.
bool binomial_broadcast(const Group& group, std::uint64_t bytes, std::uint32_t round,
                        Block& block) {
  const std::uint32_t tag = collective_tag(Collective::broadcast);
  const std::uint32_t self = group.self;
  const std::uint32_t lowest = self == 0 ? std::bit_ceil(group.size) : self & (~self + 1);
  if (round == 0) {
    if (self != 0) block.receive(group.member(self - lowest), tag, bytes);
    return true;
  }
  const std::uint32_t bit = lowest >> round;
  if (bit == 0) return false;
  if (self + bit < group.size) block.send(group.member(self + bit), tag, bytes);
  return true;
}

// The same tree from its leaves up.
bool binomial_reduce(const Group& group, std::uint64_t bytes, std::uint32_t round, Block& block) {
  const std::uint32_t tag = collective_tag(Collective::reduce);
  const std::uint32_t bit = 1u << round;
  const bool has_sent = (group.self & (bit - 1)) != 0;
  if (bit >= group.size || has_sent) return false;
  if ((group.self & bit) != 0) {
    block.send(group.member(group.self - bit), tag, bytes);
  } else if (group.self + bit < group.size) {
    block.receive(group.member(group.self + bit), tag, bytes);
  }
  return true;
}

// Of the first 2 * extra processes the even ones hand their part to the odd ones, so that a power
// of two is left; these count as 0 … power-1.
bool recursive_doubling(const Group& group, std::uint64_t bytes, std::uint32_t round,
                        Block& block) {
  const std::uint32_t tag = collective_tag(Collective::all_reduce);
  const std::uint32_t self = group.self;
  const std::uint32_t power = std::bit_floor(group.size);
  const std::uint32_t extra = group.size - power;
  const auto doublings = static_cast<std::uint32_t>(std::countr_zero(power));
  const bool folded = self < 2 * extra;
  const bool stands_aside = folded && self % 2 == 0;
  if (round > doublings + 1) return false;
  if (round == 0) {
    if (stands_aside) block.send(group.member(self + 1), tag, bytes);
    if (folded && !stands_aside) block.receive(group.member(self - 1), tag, bytes);
    return true;
  }
  if (round == doublings + 1) {
    if (stands_aside) block.receive(group.member(self + 1), tag, bytes);
    if (folded && !stands_aside) block.send(group.member(self - 1), tag, bytes);
    return true;
  }
  if (stands_aside) return true;
  const std::uint32_t counts_as = folded ? self / 2 : self - extra;
  const std::uint32_t other = counts_as ^ (1u << (round - 1));
  const ProcessId partner = group.member(other < extra ? 2 * other + 1 : other + extra);
  block.exchange(partner, bytes, partner, bytes, tag);
  return true;
}

// In round k all blocks whose distance to their receiver has bit k travel that far, in one message.
bool bruck(const Group& group, std::uint64_t bytes, std::uint32_t round, Block& block) {
  const std::uint32_t ahead = 1u << round;
  if (ahead >= group.size) return false;
  std::uint64_t blocks = 0;
  for (std::uint32_t distance = ahead; distance < group.size; distance = (distance + 1) | ahead)
    ++blocks;
  shift(group, ahead, bytes * blocks, collective_tag(Collective::all_to_all), block);
  return true;
}

bool pairwise(const Group& group, std::uint64_t bytes, std::uint32_t round, Block& block) {
  if (round + 1 >= group.size) return false;
  const ProcessId partner = group.member(pairwise_partner(group, round + 1));
  block.exchange(partner, bytes, partner, bytes, collective_tag(Collective::all_to_all));
  return true;
}

}  // namespace

std::uint32_t pairwise_partner(const Group& group, std::uint32_t round) {
  HOLDFAST_ASSERT(std::has_single_bit(group.size) && round > 0 && round < group.size);
  return group.self ^ round;
}

bool collective_round(Collective which, const Group& group, std::uint64_t bytes,
                      std::uint32_t round, Block& block) {
  block.set_collective(which);
  switch (which) {
    case Collective::barrier:
      return dissemination(group, round, block);
    case Collective::broadcast:
      return binomial_broadcast(group, bytes, round, block);
    case Collective::reduce:
      return binomial_reduce(group, bytes, round, block);
    case Collective::all_reduce:
      return recursive_doubling(group, bytes, round, block);
    case Collective::all_to_all:
      return bytes <= kBruckBytesMax ? bruck(group, bytes, round, block)
                                     : pairwise(group, bytes, round, block);
    case Collective::none:
    case Collective::all_to_all_v:
      break;
  }
  HOLDFAST_ASSERT(false);  // its caller expands it
  return false;
}

}  // namespace holdfast::sim
