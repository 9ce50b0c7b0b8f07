// Who has given a peer up for too long, and who was given up.
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

WorldOptions one_rail() {
  WorldOptions options;
  options.endpoint.unreachable_max = seconds(2);
  return options;
}

// One frame of payload of a message comes to process 1, and then nothing to anybody until process 0
// has given up.
void give_up_in_the_middle(World& world, ProcessId source, std::size_t bytes) {
  Pattern pattern;
  pattern.source = source;
  pattern.tag = 1;
  const std::vector<std::byte> message = content(1, bytes);
  std::vector<std::byte> memory(bytes);
  ASSERT_NE(world.at(1).receive(pattern, memory, 0, world.now()), kNoRequest);
  bool is_over = false;
  world.network.script = [&](const Flight& flight) {
    const Fate fate{.copies = is_over ? 0 : 1};
    is_over = is_over || flight.carries_payload();
    return fate;
  };
  ASSERT_NE(world.send(0, 1, message), kNoRequest);
  ASSERT_TRUE(world.complete(0, 1));
  ASSERT_EQ(world.completed(0)[0].outcome, Outcome::unreachable);
  ASSERT_GT(world.at(1).counts().payload_bytes_delivered, 0u);
  EXPECT_TRUE(world.completed(1).empty());
  world.network.script = nullptr;
  ASSERT_TRUE(world.complete(1, 1, seconds(1)));
  EXPECT_EQ(world.completed(1)[0].outcome, Outcome::unreachable);
  EXPECT_EQ(world.completed(1)[0].envelope.source, ProcessId{0});
}

TEST(EndpointGivenUp, WhoHasPartOfAnEagerMessageHearsOfIt) {
  World world(one_rail());
  give_up_in_the_middle(world, {0}, 10'000);
}

// Its receive was for anybody, and is that message's now.
TEST(EndpointGivenUp, SoDoesWhoReceivedFromAnybody) {
  World world(one_rail());
  give_up_in_the_middle(world, kNoProcess, 10'000);
}

TEST(EndpointGivenUp, AndWhoHasPartOfAGrantedOne) {
  World world(one_rail());
  give_up_in_the_middle(world, kNoProcess, 5'000'000);
}

}  // namespace
}  // namespace holdfast::reliable
