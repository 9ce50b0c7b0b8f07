// What a wide rail leaves behind is cut anew for a narrower one (specification, clause 14.12).
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

// What was cut for frames of 9,000 bytes is cut anew for the rail that is left.
TEST(EndpointCutting, AWideRailDiesAndANarrowOneIsLeft) {
  for (const std::size_t bytes : {std::size_t{20'000}, std::size_t{2'000'000}}) {
    for (const int after_us : {12, 40, 200, 900}) {
      WorldOptions options;
      options.rails = {RailKind{.frame_bytes_max = 9000}, RailKind{.frame_bytes_max = 1400}};
      options.rails[1].bytes_per_second = 500'000'000;
      World world(options);
      Exchange exchange(bytes);
      exchange.begin(world);
      world.run(microseconds(after_us));
      world.network.cut(0);
      ASSERT_TRUE(world.complete(1, 1)) << bytes << " " << after_us;
      ASSERT_TRUE(world.complete(0, 1));
      EXPECT_TRUE(exchange.got == exchange.sent);
    }
  }
}

// There is not room for all that it would become at one time: a piece at a time is cut.
TEST(EndpointCutting, AVirtualFragmentMayBeCutIntoMoreThanThereIsRoomFor) {
  WorldOptions options;
  options.rails = {RailKind{.frame_bytes_max = 262'192}, RailKind{.frame_bytes_max = 128}};
  options.endpoint.limits.peers = 1;  // 256 virtual fragments beside those of the messages
  options.endpoint.limits.send_slots = 16;
  options.endpoint.limits.receive_slots = 64;
  World world(options);
  Exchange exchange(40'000'000);  // 7,813 virtual fragments of the narrow rail
  exchange.begin(world);
  world.run(microseconds(40));
  world.network.cut(0);
  ASSERT_TRUE(world.complete(1, 1));
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
}

// The receiver knows the extent of the first virtual fragment of a message that has not asked from
// its first frame. That is lost on the wide rail or not; of what takes its place a third is lost,
// the first one among it.
TEST(EndpointCutting, AnEagerMessageIsCutAnew) {
  for (const int after_us : {12, 40, 80, 150, 1000}) {
    WorldOptions options;
    options.rails = {RailKind{.frame_bytes_max = 9000}, RailKind{.frame_bytes_max = 1400}};
    options.endpoint.limits.eager_bytes_max = 400'000;
    World world(options);
    int narrow = 0;
    world.network.script = [&](const Flight& flight) {
      Fate fate;
      if (flight.rail == 1 && flight.carries_payload() && narrow++ % 3 == 0 && narrow < 300)
        fate.copies = 0;
      if (flight.rail == 0 && flight.carries_payload() && after_us == 1000) fate.copies = 0;
      return fate;
    };
    Exchange exchange(400'000);
    exchange.begin(world);
    world.run(microseconds(after_us));
    world.network.cut(0);
    ASSERT_TRUE(world.complete(1, 1, seconds(1))) << after_us;
    ASSERT_TRUE(world.complete(0, 1));
    EXPECT_TRUE(exchange.got == exchange.sent);
  }
}

// What has been cut anew is remembered as long as its message is on its way, unless there is no
// room.
TEST(EndpointCutting, WhatIsRememberedOfWhatWasCutAnewTakesNoRoom) {
  WorldOptions options;
  options.rails = {RailKind{.frame_bytes_max = 144}, RailKind{.frame_bytes_max = 128}};
  for (RailKind& rail : options.rails) rail.bytes_per_second = 200'000'000;
  options.endpoint.limits.peers = 1;  // 256 virtual fragments beside those of the messages
  RailSettings& rules = options.endpoint.rails;
  rules.hold_down_min = rules.hold_down_max = rules.probe_interval_down = microseconds(200);
  rules.probe_interval = microseconds(100);
  World world(options);
  Exchange exchange(60'000'000);
  exchange.begin(world);
  int falls = 0;
  while (world.completed(1).empty() && falls < 400) {
    world.run(milliseconds(1));
    world.network.cut(0);
    ++falls;
    world.run(milliseconds(1));
    world.network.mend(0);
  }
  ASSERT_TRUE(world.complete(1, 1));
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
  EXPECT_GT(falls, 100);
  EXPECT_LT(falls, 200) << "236 if all that is remembered keeps its room";
}

// Fragments of 9,000 bytes are under way when their rail is left. They arrive, later than usual,
// while their bytes are cut anew for a rail that is a hundred times slower.
struct LateFragments {
  explicit LateFragments(Duration late_since) {
    WorldOptions options;
    options.rails = {RailKind{.frame_bytes_max = 9000}, RailKind{.frame_bytes_max = 1400}};
    options.rails[1].bytes_per_second = 10'000'000;
    World world(options);
    world.network.script = [&](const Flight& flight) {
      if (!flight.carries_payload()) return Fate{};
      (flight.rail == 0 ? on_wide : on_narrow) += flight.bytes.size();
      const bool is_late = flight.rail == 0 && flight.at > Time{} + late_since;
      return Fate{.later = is_late ? milliseconds(5) : Duration{}};
    };
    Exchange exchange(kBytes);
    exchange.begin(world);
    world.run(late_since + microseconds(300));
    for (std::uint32_t p = 0; p < 2; ++p) {
      world.network.fabric(p, 0).happen(EventKind::port_down);
    }
    EXPECT_TRUE(world.complete(1, 1));
    EXPECT_TRUE(world.complete(0, 1));
    EXPECT_TRUE(exchange.got == exchange.sent);
    resent = world.at(0).counts().fragments_resent;
  }

  static constexpr std::size_t kBytes = 4'000'000;
  std::size_t on_wide = 0, on_narrow = 0;  // with headers
  std::uint64_t resent = 0;
};

// So the slow rail need not carry them. What it carries twice is what it was given before they
// came: 50 KB in 5 ms, and a window. All together 261 KB were late.
TEST(EndpointCutting, LateAcknowledgementsOfWhatWasCutAnewCount) {
  const LateFragments late(microseconds(100));
  const std::size_t once = (LateFragments::kBytes - late.on_wide) * 1400 / 1352;
  EXPECT_LT(late.on_narrow, once + 150'000);
}

// They say nothing of what took their place, and is under way on the slow rail.
TEST(EndpointCutting, WhatArrivedOfTheOldOneIsNoNewsOfTheRailOfTheNewOne) {
  const LateFragments late(microseconds(500));
  EXPECT_EQ(late.resent, 0u) << "479 if the rail counts as having overtaken itself";
}

}  // namespace
}  // namespace holdfast::reliable
