// A seal of zeros.
#include "stack/seal/none.hpp"

#include "stack/base/never_destroyed.hpp"

namespace holdfast {

namespace {

class NoSeal final : public Seal {
 public:
  SealAlgorithm algorithm() const override { return SealAlgorithm::none; }
  bool keyed() const override { return false; }
  PairKey derive(const JobKey&, ProcessId, Incarnation, ProcessId, Incarnation) const override {
    return {};
  }
  void write(const PairKey&, std::span<std::byte>) const override {}  // encoding left it zero
  bool matches(const PairKey&, std::span<const std::byte> frame) const override {
    return is_zero_seal(frame.last<kSealBytes>());
  }
};

}  // namespace

const Seal& no_seal() {
  static const NeverDestroyed<NoSeal> seal;
  return seal.get();
}

}  // namespace holdfast
