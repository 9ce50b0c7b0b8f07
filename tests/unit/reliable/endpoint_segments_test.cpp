// Messages whose memory is not in one piece: what their segments hold arrives in the segments that
// wait for it, whatever is lost, cut anew or cut short, and nothing between them is touched.
#include <string>

#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/reliable/endpoint_world.hpp"
#include "tests/unit/segments/drawn_lists.hpp"

namespace holdfast::reliable {
namespace {

constexpr std::byte kUntouched{0x5a};

enum class Shape { one_piece, column, tiny, planes };
constexpr Shape kShapes[] = {Shape::one_piece, Shape::column, Shape::tiny, Shape::planes};

// Memory for a message of `bytes`, as a list has it and as the naive oracle does.
class Scattered {
 public:
  Scattered(Shape shape, std::size_t bytes, MemoryUse use)
      : arena_(8 * bytes + 4096, kUntouched), places_(bytes_of(describe(shape, bytes))) {
    EXPECT_EQ(places_.size(), bytes);
    EXPECT_EQ(list.describe(described_.segments, use), SegmentFault::none);
  }
  Scattered(const Scattered&) = delete;
  Scattered& operator=(const Scattered&) = delete;

  void put(const std::vector<std::byte>& stream) {
    for (std::size_t i = 0; i < stream.size(); ++i) *places_[i] = stream[i];
  }
  // Takes the first `bytes` out again.
  std::vector<std::byte> take(std::size_t bytes) {
    std::vector<std::byte> stream;
    for (std::size_t i = 0; i < bytes; ++i) {
      stream.push_back(*places_[i]);
      *places_[i] = kUntouched;
    }
    return stream;
  }
  bool is_untouched() const {
    return std::ranges::all_of(arena_, [](std::byte byte) { return byte == kUntouched; });
  }

  SegmentList list;

 private:
  const Description& describe(Shape shape, std::size_t bytes) {
    std::byte* const base = arena_.data() + 1001;  // aligned to nothing
    std::vector<Segment>& segments = described_.segments;
    const std::size_t numbers = bytes / 8;
    switch (shape) {
      case Shape::one_piece:
        segments.push_back({base, bytes, {}});
        break;
      case Shape::column:
        segments.push_back({base, 8, {Level{numbers, 40}}});
        segments.push_back({base + 40 * numbers + 3, bytes % 8, {}});
        break;
      case Shape::tiny: {  // 0 … 12 bytes each, the later ones in front of the earlier ones
        std::byte* at = arena_.data() + arena_.size() - 7;
        for (std::size_t left = bytes, i = 0; left > 0; ++i) {
          const std::size_t some = std::min<std::size_t>(left, i * 5 % 13);
          at -= some + i % 3;
          segments.push_back({some == 0 ? nullptr : at, some, {}});
          left -= some;
        }
        break;
      }
      case Shape::planes:  // rows of four columns from the last to the first, in planes
        segments.push_back({base, bytes % 96, {}});
        segments.push_back(
            {base + 96 + 3 * 30, 2, {Level{4, 7}, Level{4, -30}, Level{bytes / 96 * 3, 123}}});
        break;
    }
    return described_;
  }

  std::vector<std::byte> arena_;
  Description described_;
  std::vector<std::byte*> places_;
};

Request send(World& world, std::uint32_t from, std::uint32_t to, const Scattered& message) {
  return world.at(from).send({to}, 0, 1, message.list, 0, world.now());
}
Request receive(World& world, std::uint32_t at, std::uint32_t from, const Scattered& memory) {
  Pattern pattern;
  pattern.source = ProcessId{from};
  pattern.tag = 1;
  return world.at(at).receive(pattern, memory.list, 0, world.now());
}

// A message of process 0 to process 1.
void expect_delivery(World& world, Shape from, Shape to, std::size_t bytes, bool posted_before) {
  SCOPED_TRACE(std::to_string(bytes) + " bytes, shapes " + std::to_string(static_cast<int>(from)) +
               " and " + std::to_string(static_cast<int>(to)));
  const std::vector<std::byte> stream = content(bytes, bytes);
  Scattered out(from, bytes, MemoryUse::sending), in(to, bytes, MemoryUse::receiving);
  out.put(stream);
  if (posted_before) {
    ASSERT_NE(receive(world, 1, 0, in), kNoRequest);
  }
  ASSERT_NE(send(world, 0, 1, out), kNoRequest);
  if (!posted_before) {
    world.run(milliseconds(3));
    ASSERT_NE(receive(world, 1, 0, in), kNoRequest);
  }
  ASSERT_TRUE(world.complete(1, 1));
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_EQ(world.completed(1)[0].outcome, Outcome::delivered);
  EXPECT_EQ(world.completed(1)[0].bytes, bytes);
  EXPECT_EQ(world.completed(0)[0].outcome, Outcome::delivered);
  EXPECT_TRUE(in.take(bytes) == stream);
  EXPECT_TRUE(in.is_untouched());
  EXPECT_TRUE(out.take(bytes) == stream);
  EXPECT_TRUE(out.is_untouched());
  world.completed(0).clear();
  world.completed(1).clear();
}

// Around the boundaries of fragments, eager messages and virtual fragments.
constexpr std::size_t kLengths[] = {0,      1,      7,      8,      96,     1399,
                                    1400,   1401,   20'000, 32'768, 32'769, 64 * 1400 - 1,
                                    89'600, 89'601, 96'000, 300'017};

TEST(EndpointSegments, ArriveFromEachShapeInEachShape) {
  for (const std::string_view checksum : {"crc32c", "xxh3", ""}) {
    WorldOptions options;
    options.endpoint.checksum = checksum;
    World world(options);
    for (const std::size_t bytes : kLengths) {
      for (const Shape from : kShapes) {
        for (const Shape to : kShapes) {
          if (from != to && (bytes > 33'000 || checksum != "crc32c")) continue;
          expect_delivery(world, from, to, bytes, true);
          expect_delivery(world, from, to, bytes, false);
        }
      }
    }
  }
}

// The two are the same frames: a list is no part of a message.
TEST(EndpointSegments, GoAsTheFramesOfAMessageInOnePiece) {
  for (const std::size_t bytes : kLengths) {
    std::vector<std::vector<std::byte>> frames[2];
    for (const bool scattered : {false, true}) {
      World world;
      world.network.script = [&](const Flight& flight) {
        frames[scattered].emplace_back(flight.bytes.begin(), flight.bytes.end());
        return Fate{};
      };
      const Shape shape = scattered ? Shape::tiny : Shape::one_piece;
      expect_delivery(world, shape, shape, bytes, true);
    }
    EXPECT_TRUE(frames[0] == frames[1]) << bytes;
  }
}

// Every fragment is lost, doubled, delayed or corrupted sooner or later, and packed again.
TEST(EndpointSegments, AreSentAgainFromWhereTheLostFragmentBegins) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    WorldOptions options;
    options.rails.push_back({.frame_bytes_max = 548});
    World world(options);
    Random random(seed, 99, 0);
    world.network.script = [&](const Flight& flight) {
      const std::uint64_t what = random.below(20);
      Fate fate;
      if (what < 3) fate.copies = 0;
      if (what == 3) fate.copies = 2;
      if (what == 4) fate.later = microseconds(200);
      if (what == 5) fate.corrupt = static_cast<std::int64_t>(random.below(flight.bytes.size()));
      if (what == 6) fate.cut_to = random.below(flight.bytes.size());
      return fate;
    };
    for (const Shape shape : {Shape::column, Shape::tiny, Shape::planes}) {
      expect_delivery(world, shape, shape, 20'001, seed % 2 == 0);
      expect_delivery(world, shape, shape, 150'001, seed % 2 == 0);
    }
    EXPECT_GT(world.at(0).counts().fragments_resent, 10u);
    EXPECT_GT(world.at(1).counts().corrupt_payload, 0u);
  }
}

// The wide rail dies under a message, and what it had is cut to the narrow one: at other bytes.
TEST(EndpointSegments, AreCutAnewForANarrowerRail) {
  for (const Shape shape : {Shape::column, Shape::tiny, Shape::planes}) {
    for (const std::size_t bytes : {30'000u, 400'001u}) {
      WorldOptions options;
      options.rails = {{.frame_bytes_max = 9048}, {.frame_bytes_max = 777}};
      World world(options);
      std::uint64_t wide = 0;
      world.network.script = [&](const Flight& flight) {
        const bool is_data = flight.rail == 0 && flight.carries_payload();
        if (is_data && ++wide > 1) world.network.cut(0);
        return Fate{.copies = is_data && wide > 1 ? 0 : 1};
      };
      expect_delivery(world, shape, shape, bytes, true);
      EXPECT_GT(wide, 1u);
      // All but what came on the wide rail, which the other one acknowledges.
      const std::size_t left = bytes - (9048 - kMessageHeaderBytes);
      EXPECT_GE(world.at(0).counts().fragments_sent, wide + left / (777 - kMessageHeaderBytes));
    }
  }
}

TEST(EndpointSegments, AMessageLongerThanTheirsFillsThem) {
  for (const Shape shape : {Shape::column, Shape::tiny, Shape::planes}) {
    for (const std::size_t bytes : {900u, 20'000u, 200'000u}) {
      for (const std::size_t room : {0u, 1u, 97u, 801u, 5'003u}) {
        if (room >= bytes) continue;
        for (const bool posted_before : {true, false}) {
          World world;
          const std::vector<std::byte> sent = content(bytes, bytes);
          Scattered in(shape, room, MemoryUse::receiving);
          if (posted_before) {
            ASSERT_NE(receive(world, 1, 0, in), kNoRequest);
          }
          ASSERT_NE(world.send(0, 1, sent), kNoRequest);
          world.run(milliseconds(2));
          if (!posted_before) {
            ASSERT_NE(receive(world, 1, 0, in), kNoRequest);
          }
          ASSERT_TRUE(world.complete(1, 1));
          EXPECT_EQ(world.completed(1)[0].outcome, Outcome::truncated);
          EXPECT_EQ(world.completed(1)[0].bytes, bytes);
          const std::vector<std::byte> got = in.take(room);
          EXPECT_TRUE(std::equal(got.begin(), got.end(), sent.begin()));
          EXPECT_TRUE(in.is_untouched());
        }
      }
    }
  }
}

TEST(EndpointSegments, GoToTheProcessItselfToo) {
  World world;
  for (const std::size_t bytes : {0u, 9u, 32'768u, 90'001u}) {
    for (const Shape from : kShapes) {
      for (const Shape to : kShapes) {
        for (const bool posted_before : {true, false}) {
          const std::vector<std::byte> stream = content(bytes, bytes);
          Scattered out(from, bytes, MemoryUse::sending), in(to, bytes, MemoryUse::receiving);
          out.put(stream);
          if (posted_before) {
            ASSERT_NE(receive(world, 0, 0, in), kNoRequest);
          }
          ASSERT_NE(send(world, 0, 0, out), kNoRequest);
          if (!posted_before) {
            ASSERT_NE(receive(world, 0, 0, in), kNoRequest);
          }
          ASSERT_TRUE(world.complete(0, 2));
          world.completed(0).clear();
          EXPECT_TRUE(in.take(bytes) == stream);
          EXPECT_TRUE(in.is_untouched());
        }
      }
    }
  }
}

// Neither the whole message nor a part of it is put together anywhere but in its frames.
TEST(EndpointSegments, TakeNoMemory) {
  World world;
  Scattered out(Shape::tiny, 200'000, MemoryUse::sending);
  Scattered in(Shape::planes, 200'000, MemoryUse::receiving);
  std::size_t allocated = 0;
  const auto count = [&] { return allocations() - world.network.own_allocations; };
  std::array<Completed, 4> some;
  std::size_t completed = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t before = count();
    if (round == 0) {
      ASSERT_NE(receive(world, 1, 0, in), kNoRequest);
      ASSERT_NE(send(world, 0, 1, out), kNoRequest);
    }
    for (std::uint32_t p = 0; p < 2; ++p) {
      world.at(p).turn(world.now());
      completed += world.at(p).completed(some);
    }
    allocated += count() - before;
    world.network.launch();
    world.network.now += microseconds(50);
    world.network.deliver();
  }
  EXPECT_EQ(completed, 2u);
  EXPECT_EQ(allocated, 0u);
}

}  // namespace
}  // namespace holdfast::reliable
