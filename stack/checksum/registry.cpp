// The register of checksums; registered.inc has a line for each.
#include "stack/checksum/checksum.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast {

#define HOLDFAST_CHECKSUM(name, idea, make) std::unique_ptr<Checksum> make(const ChecksumPlan&);
#include "stack/checksum/registered.inc"
#undef HOLDFAST_CHECKSUM

namespace {

constexpr auto kChecksums = std::to_array<ChecksumEntry>({
#define HOLDFAST_CHECKSUM(name, idea, make) {name, idea, make},
#include "stack/checksum/registered.inc"
#undef HOLDFAST_CHECKSUM
});

}  // namespace

std::span<const ChecksumEntry> checksums() {
  return kChecksums;
}

std::unique_ptr<Checksum> make_checksum(std::string_view name, const ChecksumPlan& plan) {
  for (const ChecksumEntry& entry : kChecksums) {
    if (entry.name == name) return entry.make(plan);
  }
  return nullptr;
}

ChecksumPlan ChecksumPlan::of_this_processor() {
  return {&newest_crc32c_kernel(), last_level_cache_bytes()};
}

std::uint64_t Checksum::of(std::span<const std::byte> from, std::uint64_t seed) const {
  ChecksumState state;
  begin(state, seed, from.size());
  update(state, from);
  return finish(state);
}

std::uint64_t Checksum::copy_of(std::byte* to, std::span<const std::byte> from,
                                std::uint64_t seed) const {
  ChecksumState state;
  begin(state, seed, from.size());
  copy(state, to, from);
  return finish(state);
}

}  // namespace holdfast
