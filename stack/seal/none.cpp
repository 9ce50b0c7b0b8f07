#include "stack/seal/none.hpp"

#include "stack/base/bytes.hpp"

namespace holdfast {

namespace {

class NoSeal final : public Seal {
 public:
  SealAlgorithm algorithm() const override { return SealAlgorithm::none; }
  PairKey derive(const JobKey&, ProcessId, Incarnation, ProcessId, Incarnation) const override {
    return {};
  }
  void write(const PairKey&, std::span<std::byte>) const override {}  // encoding left it zero
  bool matches(const PairKey&, std::span<const std::byte> frame) const override {
    const std::byte* const seal = frame.data() + frame.size() - kSealBytes;
    return (load_le<std::uint64_t>(seal) | load_le<std::uint64_t>(seal + 8)) == 0;
  }
};

}  // namespace

std::unique_ptr<Seal> make_no_seal() {
  return std::make_unique<NoSeal>();
}

}  // namespace holdfast
