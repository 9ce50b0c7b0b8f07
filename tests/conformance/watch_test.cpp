// The rules of seam 1 for every fabric that watches processes.
#include <gtest/gtest.h>
#include <poll.h>

#include "tests/conformance/exchange.hpp"
#include "tests/conformance/fabric_pair.hpp"
#include "tests/conformance/impaired_pair.hpp"

namespace holdfast::conformance {
namespace {

class Watch : public ::testing::TestWithParam<FabricFactory> {
 protected:
  void SetUp() override {
    pair_ = GetParam().make();
    ASSERT_NE(pair_, nullptr);
  }

  Peer watch() { return pair_->a().attach(pair_->watched_address(), Service::watch); }

  std::unique_ptr<FabricPair> pair_;
};

TEST_P(Watch, TheEndOfAProcessIsToldOnce) {
  const Peer peer = watch();
  ASSERT_NE(peer, kNoPeer);
  EXPECT_TRUE(poll_for(*pair_, pair_->a(), 0).empty());
  pair_->end_b();
  const std::vector<Event> events = poll_for(*pair_, pair_->a(), 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::peer_down);
  EXPECT_EQ(events[0].peer, peer);
  EXPECT_LE(events[0].at, pair_->now());
}

TEST_P(Watch, AProcessThatHasEndedIsToldAtOnce) {
  const Address gone = pair_->watched_address();
  pair_->end_b();
  const Peer peer = pair_->a().attach(gone, Service::watch);
  ASSERT_NE(peer, kNoPeer);
  EXPECT_FALSE(pair_->a().arm().idle);
  const std::vector<Event> events = poll_for(*pair_, pair_->a(), 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::peer_down);
  EXPECT_EQ(events[0].peer, peer);
}

TEST_P(Watch, NothingIsToldAfterDetach) {
  const Peer peer = watch();
  ASSERT_NE(peer, kNoPeer);
  pair_->a().detach(peer);
  pair_->end_b();
  EXPECT_TRUE(poll_for(*pair_, pair_->a(), 0).empty());
}

TEST_P(Watch, AnEndBetweenArmAndSleepWakes) {
  ASSERT_NE(watch(), kNoPeer);
  const Armed armed = pair_->a().arm();
  ASSERT_TRUE(armed.idle);
  pair_->end_b();
  if (armed.descriptor >= 0) {
    pollfd waiting{armed.descriptor, POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 5000), 1);
  }
  ASSERT_EQ(poll_for(*pair_, pair_->a(), 1).size(), 1u);
  EXPECT_TRUE(pair_->a().arm().idle);
}

TEST_P(Watch, ForeignAddressesAreRefused) {
  Address foreign;
  foreign.size = Address::kBytesMax;
  EXPECT_EQ(pair_->a().attach(foreign, Service::watch), kNoPeer);
  EXPECT_EQ(pair_->a().attach(Address{}, Service::watch), kNoPeer);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Watch, ::testing::ValuesIn(fabrics_that(&FabricFactory::watch)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(WithoutFaults, Watch,
                         ::testing::ValuesIn(without_faults(fabrics_that(&FabricFactory::watch))),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace holdfast::conformance
