// CRC-32C: the vectors of RFC 3720, every kernel that runs here against the definition and against
// ISA-L, the joining of CRCs.
#include "stack/checksum/crc32c.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#ifdef HOLDFAST_ISAL
#include <isa-l/crc.h>
#endif

#include <algorithm>
#include <numeric>

#include "data.hpp"
#include "published.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/crc32c_short.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast {
namespace {

// Appendix B.4: 32 bytes of zeros, of ones, counting up, counting down, and an iSCSI read command.
TEST(Crc32c, HasTheValuesOfTheStandard) {
  std::vector<std::uint8_t> data(32);
  EXPECT_EQ(crc32c(as_data(data)), 0x8a9136aau);
  std::fill(data.begin(), data.end(), std::uint8_t{0xff});
  EXPECT_EQ(crc32c(as_data(data)), 0x62a8ab43u);
  std::iota(data.begin(), data.end(), std::uint8_t{0});
  EXPECT_EQ(crc32c(as_data(data)), 0x46dd794eu);
  std::reverse(data.begin(), data.end());
  EXPECT_EQ(crc32c(as_data(data)), 0x113fdb5cu);
  const std::vector<std::uint8_t> command = {
      0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0,
      0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0,    0};
  EXPECT_EQ(crc32c(as_data(command)), 0xd9963a56u);
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits))), 0xe3069283u);
}

TEST(Crc32c, GoesOnFromWhatCameBefore) {
  const std::vector<std::uint8_t> data = random_octets(1000, 1);
  const auto all = as_data(data);
  std::vector<std::byte> copied(1000);
  const std::uint32_t first = copy_crc32c(copied.data(), all.first(333));
  EXPECT_EQ(copy_crc32c(copied.data() + 333, all.subspan(333), first), crc32c(all));
  EXPECT_TRUE(std::ranges::equal(copied, all));
  EXPECT_EQ(crc32c({}, 0x12345678), 0x12345678u);
}

template <std::size_t kBytes>
void expect_short_is_like_any(std::uint32_t before) {
  const std::vector<std::uint8_t> data = random_octets(kBytes, kBytes);
  const std::uint32_t due = crc32c(as_data(data), before);
  EXPECT_EQ(short_crc32c<kBytes>(as_data(data).data(), before), due) << kBytes << " bytes";
}

TEST(Crc32c, OfAKnownLengthIsThatOfAnyLength) {
#if defined(__x86_64__)
  EXPECT_EQ(kHasCrc32Instruction, processor_features().sse4_2);
#endif
  for (const std::uint32_t before : {0u, 1u, 0xbe9aa9f8u, 0xffffffffu}) {
    expect_short_is_like_any<8>(before);
    expect_short_is_like_any<32>(before);
    expect_short_is_like_any<44>(before);
    expect_short_is_like_any<47>(before);
  }
}

// Between pages that nobody may touch.
class GuardedMemory {
 public:
  // `bytes`: whole pages.
  explicit GuardedMemory(std::size_t bytes) : bytes_(bytes) {
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(::mprotect(begin(), bytes, PROT_READ | PROT_WRITE), 0);
  }
  ~GuardedMemory() { ::munmap(memory_, bytes_ + 2 * kGuard); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  std::byte* begin() const { return memory_ + kGuard; }
  std::byte* end() const { return begin() + bytes_; }

 private:
  static constexpr std::size_t kGuard = 64 << 10;
  std::size_t bytes_;
  std::byte* memory_;
};

class EveryKernel : public testing::TestWithParam<const Crc32cKernel*> {
 protected:
  void SetUp() override {
    if (!kernel_.runs_here()) GTEST_SKIP() << "this processor does not run it";
  }
  std::uint64_t value(published::Data data) const {
    return ~kernel_.update(0xffffffff, as_data(data).data(), data.size());
  }
  const Crc32cKernel& kernel_ = *GetParam();
};

TEST_P(EveryKernel, FollowsTheDefinitionAtEveryAlignmentAndLength) {
  const std::vector<std::uint8_t> data = random_octets(64 + 1100, 2);
  for (std::size_t bytes = 0; bytes <= 1100; ++bytes) {
    // One byte more at the end of the same data, so that the definition is asked once a length.
    const std::uint64_t expected = published::crc32c(published::Data(data.data(), bytes));
    std::vector<std::uint8_t> place(64 + bytes);
    for (std::size_t shift = 0; shift < 64; ++shift) {
      std::copy_n(data.begin(), bytes, place.begin() + static_cast<std::ptrdiff_t>(shift));
      ASSERT_EQ(value({place.data() + shift, bytes}), expected) << bytes << " from " << shift;
    }
  }
}

TEST_P(EveryKernel, FollowsTheDefinitionForManyBytes) {
  const std::vector<std::uint8_t> data = random_octets((std::size_t{16} << 20) + 100, 3);
  // Among them are blocks: 3,920 and 3,936 bytes with AVX-512, 2,240 with AVX2 and 3,584 from 64
  // KiB on, 6,400 with PCLMULQDQ, thirds of 704 bytes and of a page; and the lengths from which
  // there are others.
  for (const std::size_t bytes :
       {2087u,  2088u,  2111u,  2112u,  2113u,   2239u,   2240u,   2241u,    3071u,    3919u,
        3920u,  3921u,  3936u,  6400u,  7840u,   12287u,  12288u,  12289u,   14560u,   65536u,
        65537u, 68095u, 68096u, 68097u, 262144u, 524288u, 524289u, 3145000u, 16777217u}) {
    const published::Data octets(data.data() + bytes % 61, bytes);
    const std::uint64_t expected = published::crc32c(octets);
    ASSERT_EQ(value(octets), expected) << bytes;
    for (const auto move : {kernel_.copy, kernel_.stream}) {
      const std::size_t shift = 1 + bytes % 53;
      std::vector<std::byte> to(bytes + 64, std::byte{0x5a});
      const std::uint32_t crc = ~move(0xffffffff, to.data() + shift, as_data(octets).data(), bytes);
      ASSERT_EQ(crc, expected) << bytes;
      ASSERT_TRUE(std::equal(octets.begin(), octets.end(),
                             reinterpret_cast<const std::uint8_t*>(to.data()) + shift));
      ASSERT_EQ(to[shift - 1], std::byte{0x5a}) << bytes;
      ASSERT_EQ(to[shift + bytes], std::byte{0x5a}) << bytes;
    }
  }
}

// Behind them is a page that nobody may touch.
TEST_P(EveryKernel, ReadsAndWritesNothingBehindItsBytes) {
  constexpr std::size_t kMost = 128 << 10;
  const GuardedMemory from(kMost), to(kMost);
  std::fill_n(from.end() - kMost, kMost, std::byte{0x33});
  for (const std::size_t bytes :
       {1u,     7u,     8u,     63u,    64u,    65u,    255u,   256u,  319u,
        1424u,  2112u,  2240u,  3919u,  3920u,  3921u,  4096u,  7904u, 12288u,
        14560u, 16385u, 29120u, 32768u, 65537u, 68096u, 131072u}) {
    const std::uint32_t crc = kernel_.update(0, from.end() - bytes, bytes);
    EXPECT_EQ(kernel_.copy(0, to.end() - bytes, from.end() - bytes, bytes), crc) << bytes;
    EXPECT_EQ(kernel_.stream(0, to.end() - bytes, from.end() - bytes, bytes), crc) << bytes;
  }
}

// Before them is such a page.
TEST_P(EveryKernel, ReadsAndWritesNothingBeforeItsBytes) {
  const GuardedMemory from(4096), to(4096);
  std::fill_n(from.begin(), 4096, std::byte{0x33});
  for (std::size_t bytes = 0; bytes <= 400; ++bytes) {
    const std::uint32_t crc = kernel_.update(0, from.begin(), bytes);
    EXPECT_EQ(kernel_.copy(0, to.begin(), from.begin(), bytes), crc) << bytes;
    EXPECT_EQ(kernel_.stream(0, to.begin(), from.begin(), bytes), crc) << bytes;
  }
}

TEST_P(EveryKernel, CopiesAtEveryAlignmentAndLength) {
  const std::vector<std::uint8_t> data = random_octets(1200, 4);
  for (std::size_t bytes = 0; bytes <= 1100; ++bytes) {
    const std::uint64_t expected = value({data.data(), bytes});
    for (std::size_t shift = bytes % 3; shift < 64; shift += 3) {
      for (const auto move : {kernel_.copy, kernel_.stream}) {
        std::vector<std::byte> to(bytes + 128, std::byte{0x5a});
        const std::uint32_t crc = ~move(0xffffffff, to.data() + shift, as_data(data).data(), bytes);
        ASSERT_EQ(crc, expected) << bytes << " to " << shift;
        ASSERT_TRUE(std::equal(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(bytes),
                               reinterpret_cast<const std::uint8_t*>(to.data()) + shift));
        ASSERT_EQ(to[shift + bytes], std::byte{0x5a});
        if (shift != 0) {
          ASSERT_EQ(to[shift - 1], std::byte{0x5a});
        }
      }
    }
  }
}

#ifdef HOLDFAST_ISAL
TEST_P(EveryKernel, AgreesWithIsaL) {
  std::vector<std::uint8_t> data = random_octets(200000, 5);
  Random random(6, 0, 0);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t bytes = random.below(round % 10 == 0 ? 199000 : 5000);
    const std::size_t shift = random.below(1000);
    const std::uint32_t before = static_cast<std::uint32_t>(random.next());
    ASSERT_EQ(kernel_.update(before, as_data(data).data() + shift, bytes),
              crc32_iscsi(data.data() + shift, static_cast<int>(bytes), before))
        << bytes << " from " << shift;
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Crc32c, EveryKernel,
                         testing::ValuesIn(crc32c_kernels().begin(), crc32c_kernels().end()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(Crc32cKernels, TheNewestThatRunsIsTaken) {
  EXPECT_TRUE(newest_crc32c_kernel().runs_here());
  const ProcessorFeatures& has = processor_features();
  const std::string_view expected = has.avx512_vpclmulqdq ? "avx512"
                                    : has.avx2_vpclmulqdq ? "avx2"
                                    : has.pclmulqdq       ? "pclmulqdq"
                                                          : "portable";
  EXPECT_EQ(newest_crc32c_kernel().name, expected);
  EXPECT_EQ(find_crc32c_kernel("portable")->name, "portable");
  EXPECT_EQ(find_crc32c_kernel("sse"), nullptr);
}

TEST(Combine, GivesTheCrcOfBothPieces) {
  const std::vector<std::uint8_t> data = random_octets(70000, 7);
  const auto all = as_data(data);
  for (const std::size_t second : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 1400u, 4096u, 65536u, 70000u}) {
    const std::uint32_t a = crc32c(all.first(all.size() - second));
    const std::uint32_t b = crc32c(all.last(second));
    EXPECT_EQ(combine_crc32c(a, b, second), crc32c(all)) << second;
  }
}

// Zero bytes whose CRC is known step by step: lengths that nobody computes byte by byte.
TEST(Combine, HoldsForLengthsBeyondMemory) {
  const std::vector<std::uint8_t> zeros(1024);
  std::uint32_t crc = crc32c(as_data(zeros));
  std::uint64_t bytes = zeros.size();
  for (int doubling = 0; doubling < 50; ++doubling) {
    const std::uint32_t left = combine_crc32c(crc, combine_crc32c(crc, crc, bytes), 2 * bytes);
    const std::uint32_t right = combine_crc32c(combine_crc32c(crc, crc, bytes), crc, bytes);
    ASSERT_EQ(left, right) << bytes;  // three pieces, joined from either end
    crc = combine_crc32c(crc, crc, bytes);
    bytes *= 2;
  }
  EXPECT_EQ(combine_crc32c(5, 7, 0), 2u);
}

TEST(Processor, SaysHowLargeItsCacheIs) {
  EXPECT_GE(last_level_cache_bytes(), std::uint64_t{64} << 10);
  EXPECT_LE(last_level_cache_bytes(), std::uint64_t{4} << 30);
}

}  // namespace
}  // namespace holdfast
