// The buddy system.
#include "stack/reliable/unexpected_memory.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::reliable {

namespace {
constexpr std::uint32_t kNoBlock = 0xffff'ffff;
}

unsigned UnexpectedMemory::level_of(std::uint64_t bytes) {
  const unsigned bits =
      static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(bytes, 1) - 1));
  return bits <= kSmallestBits ? 0 : bits - kSmallestBits;
}

UnexpectedMemory::UnexpectedMemory(std::uint64_t share_bytes, std::uint32_t shares)
    : top_(level_of(share_bytes)),
      shares_(shares),
      memory_(new std::byte[size()]),
      blocks_(std::size_t{shares} << top_) {
  HOLDFAST_ASSERT(top_ < kLevelsMax && shares >= 1);
  free_.fill(kNoBlock);
  for (std::uint32_t i = shares; i > 0; --i) push(top_, (i - 1) << top_);
}

void UnexpectedMemory::push(unsigned level, std::uint32_t block) {
  Block& it = blocks_[block];
  it = {static_cast<std::uint8_t>(level), kNoBlock, free_[level]};
  if (it.after != kNoBlock) blocks_[it.after].before = block;
  free_[level] = block;
}

void UnexpectedMemory::remove(unsigned level, std::uint32_t block) {
  const Block it = blocks_[block];
  (it.before == kNoBlock ? free_[level] : blocks_[it.before].after) = it.after;
  if (it.after != kNoBlock) blocks_[it.after].before = it.before;
  blocks_[block] = {};
}

std::byte* UnexpectedMemory::take(std::uint64_t bytes) {
  std::byte* const block = take_of_share(bytes);
  return block != nullptr ? block : take_elsewhere(bytes);
}

std::byte* UnexpectedMemory::take_elsewhere(std::uint64_t bytes) try {
  std::unique_ptr<std::byte[]> block(new std::byte[bytes]);
  const std::byte* const at = block.get();
  return elsewhere_.emplace(at, std::move(block)).first->second.get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

std::byte* UnexpectedMemory::take_of_share(std::uint64_t bytes) {
  const unsigned wanted = level_of(bytes);
  unsigned level = wanted;
  while (level <= top_ && free_[level] == kNoBlock) ++level;
  if (level > top_) return nullptr;
  const std::uint32_t block = free_[level];
  remove(level, block);
  while (level > wanted) {
    --level;
    push(level, block + (std::uint32_t{1} << level));
  }
  return memory_.get() + (std::uint64_t{block} << kSmallestBits);
}

void UnexpectedMemory::give(const std::byte* at, std::uint64_t bytes) {
  if (!elsewhere_.empty() && elsewhere_.erase(at) > 0) return;
  unsigned level = level_of(bytes);
  auto block = static_cast<std::uint32_t>((at - memory_.get()) >> kSmallestBits);
  while (level < top_) {
    const std::uint32_t buddy = block ^ (std::uint32_t{1} << level);
    if (blocks_[buddy].free_level != level) break;
    remove(level, buddy);
    block = std::min(block, buddy);
    ++level;
  }
  push(level, block);
}

}  // namespace holdfast::reliable
