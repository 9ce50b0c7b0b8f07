// Which kernel computes CRC-32C here, and the checksum of that name.
#include "stack/checksum/crc32c.hpp"

#include <array>

#include "stack/base/assert.hpp"
#include "stack/checksum/checksum.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_short.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast {

namespace {

constexpr auto kKernels = std::to_array<const Crc32cKernel*>({
  &kCrc32cPortable,
#if defined(__x86_64__)
      &kCrc32cSse42, &kCrc32cPclmulqdq, &kCrc32cAvx2, &kCrc32cAvx512Folding, &kCrc32cAvx512,
#endif
});

const Crc32cKernel& find_newest() {
  const Crc32cKernel* newest = kKernels.front();
  for (const Crc32cKernel* kernel : kKernels) {
    if (kernel->runs_here()) newest = kernel;
  }
  return *newest;
}

class Crc32c final : public Checksum {
 public:
  explicit Crc32c(const ChecksumPlan& plan)
      : kernel_(*plan.crc32c), streaming_from_(plan.streaming_from) {}

  unsigned bits() const override { return 32; }

  void begin(ChecksumState& state, std::uint64_t seed, std::uint64_t bytes) const override {
    new (state.place.data()) Progress{bytes, 0, begun(seed)};
  }

  void update(ChecksumState& state, std::span<const std::byte> from) const override {
    Progress& done = progress(state);
    done.crc = kernel_.update(done.crc, from.data(), from.size());
    done.seen += from.size();
  }

  void copy(ChecksumState& state, std::byte* to, std::span<const std::byte> from) const override {
    Progress& done = progress(state);
    done.crc = mover(done.bytes)(done.crc, to, from.data(), from.size());
    done.seen += from.size();
  }

  std::uint64_t finish(const ChecksumState& state) const override {
    const Progress& done = *std::launder(reinterpret_cast<const Progress*>(state.place.data()));
    HOLDFAST_ASSERT(done.seen == done.bytes);
    return ~done.crc;
  }

  std::uint64_t of(std::span<const std::byte> from, std::uint64_t seed) const override {
    return ~kernel_.update(begun(seed), from.data(), from.size());
  }

  std::uint64_t copy_of(std::byte* to, std::span<const std::byte> from,
                        std::uint64_t seed) const override {
    return ~mover(from.size())(begun(seed), to, from.data(), from.size());
  }

 private:
  // The seed goes before the data, as if it had been sent: so a CRC with a wrong seed is as wrong
  // as one with flipped bits.
  static std::uint32_t begun(std::uint64_t seed) {
    return seed == 0 ? ~0u : ~short_crc32c<sizeof seed>(std::as_bytes(std::span(&seed, 1)).data());
  }

  decltype(Crc32cKernel::copy) mover(std::uint64_t message_bytes) const {
    return message_bytes >= streaming_from_ ? kernel_.stream : kernel_.copy;
  }

  struct Progress {
    std::uint64_t bytes;  // announced
    std::uint64_t seen;
    std::uint32_t crc;  // the register
  };

  static Progress& progress(ChecksumState& state) {
    return *std::launder(reinterpret_cast<Progress*>(state.place.data()));
  }

  const Crc32cKernel& kernel_;
  std::uint64_t streaming_from_;
};

}  // namespace

#if defined(__x86_64__)
const bool kHasCrc32Instruction = processor_features().sse4_2;
#endif

std::span<const Crc32cKernel* const> crc32c_kernels() {
  return kKernels;
}

const Crc32cKernel& newest_crc32c_kernel() {
  static const Crc32cKernel& newest = find_newest();
  return newest;
}

const Crc32cKernel* find_crc32c_kernel(std::string_view name) {
  for (const Crc32cKernel* kernel : kKernels) {
    if (kernel->name == name && kernel->runs_here()) return kernel;
  }
  return nullptr;
}

std::uint32_t crc32c(std::span<const std::byte> from, std::uint32_t crc) {
  return ~newest_crc32c_kernel().update(~crc, from.data(), from.size());
}

std::uint32_t copy_crc32c(std::byte* to, std::span<const std::byte> from, std::uint32_t crc) {
  return ~newest_crc32c_kernel().copy(~crc, to, from.data(), from.size());
}

std::uint32_t combine_crc32c(std::uint32_t first, std::uint32_t second,
                             std::uint64_t second_bytes) {
  using namespace crc32c_polynomial;
  // The exponent 8 n may exceed 64 bits; x^(2^31 - 1) is one.
  const std::uint64_t order = (std::uint64_t{1} << 31) - 1;
  return product(first, power_of_x(8 * (second_bytes % order))) ^ second;
}

std::unique_ptr<Checksum> make_crc32c(const ChecksumPlan& plan) {
  return std::make_unique<Crc32c>(plan);
}

}  // namespace holdfast
