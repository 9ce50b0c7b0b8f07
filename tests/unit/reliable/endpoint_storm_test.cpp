// Exactly once, in order, bit for bit, whatever the rails do: drawn messages over drawn faults.
#include "tests/drawn.hpp"
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

constexpr std::uint64_t kSeeds = tests::drawn(40);

struct Storm {
  double lost = 0, doubled = 0, late = 0, corrupt = 0, cut = 0;
};

Fate draw(Random& random, const Storm& storm, const Flight& flight) {
  Fate fate;
  if (random.unit() < storm.lost) fate.copies = 0;
  if (random.unit() < storm.doubled) fate.copies = 2;
  if (random.unit() < storm.late) {
    fate.later = nanoseconds(static_cast<std::int64_t>(random.below(300'000)));
  }
  if (random.unit() < storm.corrupt) {
    fate.corrupt = static_cast<std::int64_t>(random.below(flight.bytes.size()));
  }
  if (random.unit() < storm.cut) fate.cut_to = random.below(flight.bytes.size());
  return fate;
}

std::size_t draw_length(Random& random) {
  switch (random.below(6)) {
    case 0:
      return random.below(20);
    case 1:
      return random.below(3000);
    case 2:
      return 32'768 - 3 + random.below(6);
    case 3:
      return 64 * 1400 - 2 + random.below(4);
    case 4:
      return random.below(400'000);
    default:
      return random.below(40'000);
  }
}

// Cuts rails, in one direction or both, one or all, and mends some of what is cut.
void cut_or_mend(World& world, Random& random, std::size_t rails) {
  const std::size_t rail = random.below(rails);
  switch (random.below(5)) {
    case 0:
      world.network.cut(rail);
      break;
    case 1:
      world.network.dead.insert({rail, 0, 1});
      break;
    case 2:
      world.network.dead.insert({rail, 1, 0});
      break;
    default:
      world.network.mend(rail);
  }
}

// Messages in both directions, whose order all tags are.
void play(std::uint64_t seed, bool rails_die) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed, 1, 0);
  WorldOptions options;
  const std::size_t rails = 1 + random.below(3);
  options.rails.clear();
  for (std::size_t r = 0; r < rails; ++r) {
    RailKind kind;
    kind.frame_bytes_max = std::array{1448u, 9048u, 1448u, 4144u}[random.below(4)];
    kind.latency = microseconds(static_cast<std::int64_t>(1 + random.below(100)));
    kind.bytes_per_second = 200'000'000 << random.below(5);
    kind.is_inline = random.below(2) == 0;
    options.rails.push_back(kind);
  }
  options.endpoint.first_number = random.below(2) == 0 ? 0 : 0xffff'fff0;
  options.endpoint.seal = random.below(2) == 0 ? "none" : "siphash128";
  options.endpoint.limits.unexpected_bytes = 65536u << random.below(4);
  Storm storm;
  double* const kinds[] = {&storm.lost, &storm.doubled, &storm.late, &storm.corrupt, &storm.cut};
  for (double* const kind : kinds) {
    if (random.below(2) == 0) *kind = 0.2 * random.unit() * random.unit();
  }
  World world(options);
  Random faults(seed, 2, 0);
  world.network.script = [&](const Flight& flight) { return draw(faults, storm, flight); };

  constexpr std::size_t kMessages = 60;
  std::vector<std::vector<std::byte>> sent[2], got[2];
  std::size_t next_send[2] = {}, next_receive[2] = {};
  for (int to = 0; to < 2; ++to) {
    for (std::size_t i = 0; i < kMessages; ++i) {
      const std::size_t length = draw_length(random);
      sent[to].push_back(content(seed * 1000 + i, length));
      got[to].emplace_back(length);
    }
  }
  while (next_send[0] + next_send[1] + next_receive[0] + next_receive[1] < 4 * kMessages) {
    const std::uint32_t to = static_cast<std::uint32_t>(random.below(2));
    const bool sends = random.below(2) == 0;
    std::size_t& next = sends ? next_send[to] : next_receive[to];
    if (next < kMessages) {
      const Request request = sends ? world.send(1 - to, to, sent[to][next], 5)
                                    : world.receive(to, 1 - to, got[to][next], 5);
      ASSERT_NE(request, kNoRequest);
      ++next;
    }
    if (random.below(3) == 0) {
      world.run(microseconds(static_cast<std::int64_t>(random.below(200))));
    }
    if (rails_die && random.below(20) == 0) cut_or_mend(world, random, rails);
  }
  for (int i = 0; rails_die && i < 20; ++i) {
    world.run(milliseconds(static_cast<std::int64_t>(random.below(40))));
    cut_or_mend(world, random, rails);
  }
  for (std::size_t r = 0; r < rails; ++r) world.network.mend(r);
  for (std::uint32_t p = 0; p < 2; ++p) {
    ASSERT_TRUE(world.complete(p, 2 * kMessages))
        << world.completed(p).size() << " of " << 2 * kMessages << " at " << p;
  }
  for (std::uint32_t to = 0; to < 2; ++to) {
    for (std::size_t i = 0; i < kMessages; ++i) {
      ASSERT_TRUE(tests::same_bytes(got[to][i], sent[to][i])) << "message " << i << " to " << to;
    }
    for (const Completed& each : world.completed(to)) {
      EXPECT_EQ(each.outcome, Outcome::delivered);
    }
  }
}

TEST(EndpointStorm, EachMessageArrivesOnceWholeAndInOrder) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    play(seed, false);
    if (HasFatalFailure()) return;
  }
}

TEST(EndpointStorm, AlsoWhileRailsDieAndReturn) {
  for (std::uint64_t seed = 1000; seed < 1000 + kSeeds; ++seed) {
    play(seed, true);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace holdfast::reliable
