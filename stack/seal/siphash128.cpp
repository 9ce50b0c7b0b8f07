// libsodium's SipHash-2-4-128 and BLAKE2b behind the interface of seals.
#include "stack/seal/siphash128.hpp"

#include <sodium.h>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"
#include "stack/base/never_destroyed.hpp"

namespace holdfast {

namespace {

static_assert(crypto_shorthash_siphashx24_BYTES == kSealBytes);
static_assert(crypto_shorthash_siphashx24_KEYBYTES == sizeof(PairKey));

unsigned char* raw(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

class SipHash128 final : public Seal {
 public:
  SealAlgorithm algorithm() const override { return SealAlgorithm::siphash128; }

  PairKey derive(const JobKey& job, ProcessId sender, Incarnation sender_incarnation,
                 ProcessId receiver, Incarnation receiver_incarnation) const override {
    std::array<std::byte, 16> pair;
    store_le<std::uint32_t>(&pair[0], sender.value);
    store_le<std::uint32_t>(&pair[4], sender_incarnation.value);
    store_le<std::uint32_t>(&pair[8], receiver.value);
    store_le<std::uint32_t>(&pair[12], receiver_incarnation.value);
    PairKey key;
    const int failed = crypto_generichash(raw(key.bytes.data()), key.bytes.size(), raw(&pair[0]),
                                          pair.size(), raw(job.bytes.data()), job.bytes.size());
    HOLDFAST_ASSERT(failed == 0);
    return key;
  }

  void write(const PairKey& key, std::span<std::byte> frame) const override {
    compute(key, frame, frame.data() + frame.size() - kSealBytes);
  }

  bool matches(const PairKey& key, std::span<const std::byte> frame) const override {
    std::array<std::byte, kSealBytes> expected;
    compute(key, frame, expected.data());
    return sodium_memcmp(expected.data(), frame.data() + frame.size() - kSealBytes, kSealBytes) ==
           0;
  }

 private:
  static void compute(const PairKey& key, std::span<const std::byte> frame, std::byte* seal) {
    const int failed = crypto_shorthash_siphashx24(
        raw(seal), raw(frame.data()), frame.size() - kSealBytes, raw(key.bytes.data()));
    HOLDFAST_ASSERT(failed == 0);
  }
};

}  // namespace

const Seal& siphash128() {
  static const int ready = sodium_init();
  HOLDFAST_ASSERT(ready >= 0);
  static const NeverDestroyed<SipHash128> seal;
  return seal.get();
}

}  // namespace holdfast
