// The rules of seam 1 for every fabric with one-sided operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/conformance/connected_ends.hpp"

namespace holdfast::conformance {
namespace {

// One-sided operations: memory of b's that a writes to and reads.
class OneSided : public Connected {
 protected:
  static constexpr std::uint32_t kBytes = 10'000;

  void SetUp() override {
    Connected::SetUp();
    if (!a().caps().one_sided) GTEST_SKIP() << "no one-sided operations";
    theirs_.assign(kBytes, std::byte{0x11});
    mine_.assign(kBytes, std::byte{0x22});
    region_ = a().register_memory(mine_);
    their_region_ = b().register_memory(theirs_);
    exposed_ = b().expose(their_region_);
    ASSERT_NE(exposed_, RemoteMemory{});
    attach_both();
  }
  void TearDown() override { pair_.reset(); }

  // Of bytes [first, first + size) at both ends.
  Operation one_sided(OperationKind kind, std::uint32_t first, std::uint32_t size,
                      std::uint64_t cookie = 0) {
    Operation operation;
    operation.kind = kind;
    operation.peer = to_b_;
    operation.region = region_;
    operation.data = mine_.data() + first;
    operation.size = size;
    operation.remote_address = exposed_.address + first;
    operation.remote_key = exposed_.key;
    operation.cookie = cookie;
    return operation;
  }
  void expect_untouched() {
    EXPECT_TRUE(std::all_of(theirs_.begin(), theirs_.end(),
                            [](std::byte byte) { return byte == std::byte{0x11}; }));
  }
  // It is refused, what is behind it is flushed, both ends are told, and a reset mends it.
  void expect_refused(Operation wrong) {
    wrong.cookie = 0;
    const std::array operations = {wrong, one_sided(OperationKind::write, 0, 8, 1)};
    ASSERT_EQ(a().post(operations), 2u);
    const std::vector<Event> events = of_a(3);
    ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(0, 2));
    EXPECT_EQ(events[0].completion, Completion::remote_access);
    EXPECT_EQ(events[1].completion, Completion::flushed);
    expect_down(events, to_b_);
    EXPECT_EQ(events.back().completion, Completion::remote_access);
    expect_untouched();
    expect_down(of_b(1), to_a_);
    a().reset(to_b_);
    b().reset(to_a_);
    expect_attached();
    const Operation right = one_sided(OperationKind::write, 0, 8);
    ASSERT_EQ(a().post({&right, 1}), 1u);
    const std::vector<Event> after = of_a(1);
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(after[0].completion, Completion::ok);
  }

  std::vector<std::byte> theirs_, mine_;
  Region region_, their_region_;
  RemoteMemory exposed_;
};

TEST_P(OneSided, AWritePlacesItsBytesWhereItSaysAndNowhereElse) {
  const Operation operation = one_sided(OperationKind::write, 1'001, 6'003, 5);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = of_a(1);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(5, 1));
  EXPECT_EQ(events[0].completion, Completion::ok);
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    const bool written = i >= 1'001 && i < 1'001 + 6'003;
    ASSERT_EQ(theirs_[i], std::byte{static_cast<unsigned char>(written ? 0x22 : 0x11)}) << i;
  }
  EXPECT_TRUE(of_b(0).empty()) << "who is written to is not told";
}

TEST_P(OneSided, AReadFetchesTheBytesItSaysAndNoOthers) {
  const Operation operation = one_sided(OperationKind::read, 100, 5'000, 5);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = of_a(1);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(5, 1));
  EXPECT_EQ(events[0].completion, Completion::ok);
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    const bool fetched = i >= 100 && i < 5'100;
    ASSERT_EQ(mine_[i], std::byte{static_cast<unsigned char>(fetched ? 0x11 : 0x22)}) << i;
  }
}

TEST_P(OneSided, AWriteIsThereWhenTheFrameBehindItArrives) {
  Slots frames(a(), 1);
  Slots slots(b(), 1, Service::connected);
  ASSERT_EQ(b().offer(slots.receive_slots(0, 1)), 1u);
  const std::array operations = {one_sided(OperationKind::write, 0, kBytes, 0),
                                 frames.send(0, to_b_, 1, 9)};
  ASSERT_EQ(a().post(operations), 2u);
  ASSERT_EQ(of_kind(of_b(1), EventKind::received).size(), 1u);
  EXPECT_EQ(theirs_, mine_);
  EXPECT_EQ(of_a(2).size(), 2u);
  pair_.reset();
}

TEST_P(OneSided, AnInlineWriteIsOverWhenItIsAccepted) {
  Operation operation = one_sided(OperationKind::write, 10, 50);
  operation.inline_data = true;
  const Operation behind = one_sided(OperationKind::read, 5'000, 1);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  std::fill_n(mine_.begin(), 100, std::byte{0xee});
  ASSERT_EQ(a().post({&behind, 1}), 1u);
  EXPECT_EQ(of_a(1).size(), 1u);
  EXPECT_EQ(std::count(theirs_.begin(), theirs_.end(), std::byte{0x22}), 50);
}

TEST_P(OneSided, AWrongKeyIsRefused) {
  Operation operation = one_sided(OperationKind::write, 0, 8);
  operation.remote_key ^= 0x55;
  expect_refused(operation);
}

TEST_P(OneSided, BytesBehindTheRegionAreRefused) {
  Operation operation = one_sided(OperationKind::write, kBytes - 8, 8);
  operation.remote_address += 1;
  expect_refused(operation);
}

TEST_P(OneSided, BytesBeforeTheRegionAreRefused) {
  Operation operation = one_sided(OperationKind::write, 0, 8);
  operation.remote_address -= 1;
  expect_refused(operation);
}

TEST_P(OneSided, ExposingTwiceSaysTheSame) {
  EXPECT_EQ(b().expose(their_region_), exposed_);
  EXPECT_EQ(b().expose(kNoRegion), RemoteMemory{});
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OneSided);
INSTANTIATE_TEST_SUITE_P(Fabrics, OneSided,
                         ::testing::ValuesIn(fabrics_that(&FabricFactory::connected)),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace holdfast::conformance
