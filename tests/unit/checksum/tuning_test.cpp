// The tuner against machines that are made up: what is fastest there is what it takes. And the file
// in which a real machine's tuning is kept.
#include "stack/checksum/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hw/tune/copy_rates.hpp"
#include "hw/tune/tuned_checksums.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast {
namespace {

// Kernels are compared first, in their order, each with the best before it; then a stream with a
// copy for each length; then the checksums, in their order.
class MadeUpMachine {
 public:
  MadeUpMachine(std::size_t fastest_kernel, std::size_t streams_won, std::size_t fastest_checksum)
      : fastest_kernel_(fastest_kernel),
        streams_won_(streams_won),
        fastest_checksum_(fastest_checksum) {
    for (const Crc32cKernel* kernel : crc32c_kernels()) kernels_ += kernel->runs_here() ? 1u : 0u;
  }

  ChecksumTuning tune() {
    return tune_checksums([this](const std::function<void()>& one, const std::function<void()>&) {
      one();
      return ratio(asked_++);
    });
  }

 private:
  double ratio(std::size_t question) const {
    if (question < kernels_ - 1) return question + 1 == fastest_kernel_ ? 2 : 0.5;
    question -= kernels_ - 1;
    if (question <= streams_won_) return question < streams_won_ ? 2 : 0.5;
    question -= streams_won_ + 1;
    return question + 1 == fastest_checksum_ ? 2 : 0.5;
  }

  std::size_t fastest_kernel_, streams_won_, fastest_checksum_;
  std::size_t kernels_ = 0, asked_ = 0;
};

TEST(Tuning, TakesTheFastestKernelAndChecksum) {
  const ChecksumTuning first = MadeUpMachine(0, 1, 0).tune();
  EXPECT_EQ(first.crc32c_kernel, "portable");
  EXPECT_EQ(first.plan().crc32c->name, "portable");
  EXPECT_EQ(first.fastest, "adler32");
  EXPECT_EQ(MadeUpMachine(0, 1, 6).tune().fastest, "crc32c");
  const Crc32cKernel* second = crc32c_kernels().size() > 1 ? crc32c_kernels()[1] : nullptr;
  if (second != nullptr && second->runs_here()) {
    EXPECT_EQ(MadeUpMachine(1, 1, 0).tune().crc32c_kernel, second->name);
  }
}

TEST(Tuning, StreamsFromTheShortestLengthAtWhichThatWins) {
  const ChecksumTuning never = MadeUpMachine(0, 0, 0).tune();
  EXPECT_EQ(never.streaming_from, ~std::uint64_t{0});
  const ChecksumTuning once = MadeUpMachine(0, 1, 0).tune();
  const ChecksumTuning twice = MadeUpMachine(0, 2, 0).tune();
  EXPECT_EQ(twice.streaming_from, once.streaming_from / 2);
  EXPECT_GE(once.streaming_from, std::min(last_level_cache_bytes(), std::uint64_t{128} << 20));
}

TEST(Tuning, SurvivesItsText) {
  const ChecksumTuning tuning{"portable", 12345678, "murmur2a"};
  EXPECT_EQ(parse_checksum_tuning(to_text(tuning)), tuning);
}

TEST(Tuning, ATextThatIsNotOneIsRefused) {
  const std::string good = to_text({"portable", 1, "crc32c"});
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
    EXPECT_EQ(parse_checksum_tuning(good.substr(0, bytes)), std::nullopt) << bytes;
  EXPECT_EQ(parse_checksum_tuning(good + "more\n"), std::nullopt);
  EXPECT_EQ(parse_checksum_tuning(to_text({"abacus", 1, "crc32c"})), std::nullopt);
  EXPECT_EQ(parse_checksum_tuning(to_text({"portable", 1, "sum32"})), std::nullopt);
  EXPECT_EQ(
      parse_checksum_tuning("crc32c_kernel portable\nstreaming_from_bytes 1x\nfastest crc32c\n"),
      std::nullopt);
}

class TunedMachine : public testing::Test {
 protected:
  void SetUp() override {
    std::string made = testing::TempDir() + "holdfast-tuned-XXXXXX";
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    top_ = made;
  }
  void TearDown() override { std::filesystem::remove_all(top_); }
  std::string top_;
};

TEST_F(TunedMachine, IsMeasuredOnceForEachBuild) {
  const std::string folder = top_ + "/cache/holdfast";
  const hw::TunedChecksums first = hw::tuned_checksums("one", folder);
  EXPECT_TRUE(first.measured);
  EXPECT_TRUE(first.tuning.plan().crc32c->runs_here());
  const hw::TunedChecksums again = hw::tuned_checksums("one", folder);
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(again.tuning, first.tuning);
  EXPECT_EQ(again.file, first.file);
  EXPECT_TRUE(hw::tuned_checksums("two", folder).measured);

  std::ofstream(first.file) << "crc32c_kernel abacus\n";
  EXPECT_TRUE(hw::tuned_checksums("one", folder).measured);
  EXPECT_FALSE(hw::tuned_checksums("one", folder).measured);
}

TEST_F(TunedMachine, IsMeasuredEachTimeWhereNothingCanBeKept) {
  std::ofstream(top_ + "/file") << "in the way";
  for (const std::string& folder : {std::string(), top_ + "/file/holdfast"}) {
    const hw::TunedChecksums tuned = hw::tuned_checksums("one", folder);
    EXPECT_TRUE(tuned.measured);
    EXPECT_EQ(tuned.file, "");
  }
}

TEST_F(TunedMachine, ItsCopiesAreMeasuredOnceForEachBuild) {
  const hw::MeasuredCopies first = hw::measured_copies("one", top_);
  EXPECT_TRUE(first.measured);
  EXPECT_GT(first.rates.copy_bytes_per_s, 0);
  EXPECT_GT(first.rates.checked_bytes_per_s, 0);
  EXPECT_GT(first.rates.checksum_bytes_per_s, 0);
  EXPECT_FALSE(hw::tuned_checksums("one", top_).measured) << "it was asked for the way to do it";
  std::ofstream(first.file) << "copy_bytes_per_s 3000000000\nchecked_bytes_per_s 2500000000\n"
                               "checksum_bytes_per_s 7000000000\n";
  const hw::MeasuredCopies again = hw::measured_copies("one", top_);
  EXPECT_FALSE(again.measured);
  EXPECT_EQ(again.file, first.file);
  EXPECT_EQ(again.rates, (hw::CopyRates{3e9, 2.5e9, 7e9}));
  EXPECT_TRUE(hw::measured_copies("two", top_).measured);
  EXPECT_EQ(hw::measured_copies("one", "").file, "");
}

TEST(CopyRates, SurviveTheirTextAndAreRefusedOtherwise) {
  const hw::CopyRates rates{9'876'543'210.0, 1.0, 22.0};
  const std::string good = to_text(rates);
  EXPECT_EQ(hw::parse_copy_rates(good), rates);
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
    EXPECT_EQ(hw::parse_copy_rates(good.substr(0, bytes)), std::nullopt) << bytes;
  EXPECT_EQ(hw::parse_copy_rates(good + "more\n"), std::nullopt);
  const std::string rest = "checked_bytes_per_s 1\nchecksum_bytes_per_s 1\n";
  EXPECT_NE(hw::parse_copy_rates("copy_bytes_per_s 1\n" + rest), std::nullopt);
  for (const std::string bad :
       {"copy_bytes_per_s 0\n", "copy_bytes_per_s -5\n", "copy_bytes_per_s 1e9\n",
        "copy_bytes_per_s  1\n", "checked_bytes_per_s 1\n", ""})
    EXPECT_EQ(hw::parse_copy_rates(bad + rest), std::nullopt) << bad;
}

TEST_F(TunedMachine, ItsFolderIsTheUsers) {
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(hw::default_cache_folder(), "/somewhere/holdfast");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home-of-someone", 1);
  EXPECT_EQ(hw::default_cache_folder(), "/home-of-someone/.cache/holdfast");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(hw::default_cache_folder(), "");
}

}  // namespace
}  // namespace holdfast
