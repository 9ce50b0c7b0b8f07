// Two endpoints on two sockets each show how their messages travel, and that a port of one is down.
#include "hw/status/take_message_rails.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/status/take_status.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "stack/address_book.hpp"
#include "stack/outer_fabric.hpp"

namespace holdfast::hw {
namespace {

constexpr Duration kPatience = seconds(20);

// Whose port may be said to go down.
class Breakable final : public OuterFabric {
 public:
  using OuterFabric::OuterFabric;
  void break_port() { broken_ = true; }
  std::size_t poll(std::span<Event> events) override {
    if (!std::exchange(broken_, false)) return inner_.poll(events);
    events[0] = Event{};
    events[0].kind = EventKind::port_down;
    events[0].at = monotonic_now();
    return 1;
  }

 private:
  bool broken_ = false;
};

// Processes 0 and 1, with two rails; a third one is in the job and not connected.
struct MessageRails : ::testing::Test, AddressBook {
  void SetUp() override {
    for (std::size_t process = 0; process < 2; ++process) {
      for (std::size_t rail = 0; rail < 2; ++rail) {
        ASSERT_TRUE(UdpFabric::open({}, sockets[process][rail]).is_ok());
        fabrics[process][rail] = std::make_unique<Breakable>(*sockets[process][rail]);
        rails[process][rail] = fabrics[process][rail].get();
      }
    }
    for (std::uint32_t process = 0; process < 2; ++process) {
      reliable::EndpointOptions options;
      options.self = {process};
      options.limits.peers = 2;
      ends[process] = std::make_unique<reliable::Endpoint>(options, rails[process], *this);
      ASSERT_TRUE(ends[process]->connect({1 - process}, {}, monotonic_now()));
    }
  }
  Address address(std::size_t rail, ProcessId process) const override {
    return sockets[process.value][rail]->local_address();
  }

  std::vector<MessageRailStatus> taken(std::size_t process) {
    std::vector<MessageRailStatus> status(7);
    take_message_rails(*ends[process], rails[process], 3, status);
    return status;
  }
  template <class Condition>
  void turn_until(const Condition& is_so) {
    const Time latest = monotonic_now() + kPatience;
    while (!is_so()) {
      ASSERT_LT(monotonic_now(), latest);
      for (const auto& end : ends) (void)end->turn(monotonic_now());
    }
  }

  std::array<std::array<std::unique_ptr<UdpFabric>, 2>, 2> sockets;
  std::array<std::array<std::unique_ptr<Breakable>, 2>, 2> fabrics;
  std::array<std::array<Fabric*, 2>, 2> rails{};
  std::array<std::unique_ptr<reliable::Endpoint>, 2> ends;
};

TEST_F(MessageRails, AreShownWithWhatTheyHaveCarriedAndHowTheyAreJudged) {
  using Peers = std::array<std::uint64_t, reliable::kRailHealths>;
  for (std::size_t rail = 0; rail < 2; ++rail) {
    const MessageRailStatus before = taken(0).at(rail);
    EXPECT_EQ(before.rail.kind, "udp");
    EXPECT_EQ(before.rail.address, text_of_address(sockets[0][rail]->local_address()));
    EXPECT_EQ(before.rail.bytes_sent + before.rail.frames_received, 0u);
    EXPECT_EQ(before.peers, (Peers{1, 0, 0, 0}));
    EXPECT_FALSE(before.round_trip_median || before.round_trip_max);
  }
  std::vector<std::byte> sent(300'000, std::byte{7}), got(sent.size());
  ASSERT_NE(ends[1]->receive({}, got, 0, monotonic_now()), reliable::kNoRequest);
  ASSERT_NE(ends[0]->send({1}, 0, 0, sent, 0, monotonic_now()), reliable::kNoRequest);
  std::size_t completed = 0;
  turn_until([&] {
    std::array<reliable::Completed, 2> done;
    for (const auto& end : ends) completed += end->completed(done);
    return completed == 2;
  });
  EXPECT_TRUE(got == sent);
  const std::vector<MessageRailStatus> carried = taken(0);
  ASSERT_EQ(carried.size(), 2u);
  std::uint64_t bytes = 0;
  bool is_measured = false;
  for (const MessageRailStatus& status : carried) {
    bytes += status.rail.bytes_sent;
    EXPECT_TRUE(status.rail.up);
    EXPECT_EQ(status.round_trip_median, status.round_trip_max) << "of one peer";
    is_measured = is_measured || status.round_trip_max.value_or(Duration{}) > Duration{};
  }
  EXPECT_GT(bytes, sent.size());
  EXPECT_TRUE(is_measured);

  fabrics[0][1]->break_port();
  turn_until([&] { return ends[0]->health({1}, 1) == reliable::RailHealth::down; });
  const std::vector<MessageRailStatus> broken = taken(0);
  EXPECT_TRUE(broken[0].rail.up && broken[0].not_up.empty());
  EXPECT_FALSE(broken[1].rail.up);
  EXPECT_EQ(broken[1].peers, (Peers{0, 0, 1, 0}));
  ASSERT_EQ(broken[1].not_up.size(), 1u);
  EXPECT_EQ(broken[1].not_up[0], (std::pair{ProcessId{1}, reliable::RailHealth::down}));

  ends[0]->fail({1}, {}, monotonic_now());
  EXPECT_EQ(taken(0)[0].peers, Peers{}) << "who is gone is no peer";
}

}  // namespace
}  // namespace holdfast::hw
