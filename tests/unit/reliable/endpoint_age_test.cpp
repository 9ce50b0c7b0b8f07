// What is so old that the numbers which it names have come around: it says nothing of what bears
// them now.
#include <deque>
#include <set>

#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;
using Frame = std::vector<std::byte>;

std::uint16_t fragment_of(std::span<const std::byte> frame) {
  const std::size_t at = type_of_message_frame(frame) == Type::acknowledgement ? 12 : 16;
  return load_le<std::uint16_t>(frame.data() + at);
}

class EndpointAge : public ::testing::Test {
 protected:
  // A message that asks: its virtual fragment 0 is the request, 1 is all its data. Both come again,
  // 65,536 virtual fragments later; then its data never arrives.
  EndpointAge() : world_(options()) {
    world_.network.script = [this](const Flight& flight) { return watch(flight); };
    begin(1);
    EXPECT_TRUE(world_.complete(0, 1));
    EXPECT_TRUE(world_.complete(1, 1));
    world_.run(milliseconds(1));
    for (int i = 0; i < 65'534 / kBurst; ++i) send_burst();
    loses_data_ = true;
    begin(3);
    world_.run(microseconds(100));
    EXPECT_EQ(latest_data_, 1u) << "it has the number of the first one";
    EXPECT_TRUE(world_.completed(0).empty());
  }

  World world_;
  Frame old_data_, old_acknowledgement_;

 private:
  static constexpr int kBurst = 62;  // of 65,534 messages

  static WorldOptions options() {
    WorldOptions options;
    options.endpoint.limits.eager_bytes_max = 1;
    return options;
  }
  Fate watch(const Flight& flight) {
    Fate fate;
    for (const auto frame : flight.frames()) {
      const Type type = type_of_message_frame(frame);
      const Frame copy(frame.begin(), frame.end());
      const bool is_of_fragments =
          type == Type::acknowledgement && (frame[28] & std::byte{128}) != std::byte{};
      if (type == Type::data) {
        if (old_data_.empty()) old_data_ = copy;
        latest_data_ = fragment_of(frame);
        fate.copies = loses_data_ ? 0 : 1;
      } else if (is_of_fragments && fragment_of(frame) == 1 && old_acknowledgement_.empty()) {
        old_acknowledgement_ = copy;
      }
    }
    return fate;
  }
  void begin(std::uint64_t tag) {
    sent_.push_back(content(tag, 2));
    got_.emplace_back(2);
    ASSERT_NE(world_.receive(1, 0, got_.back(), tag), kNoRequest);
    ASSERT_NE(world_.send(0, 1, sent_.back(), tag), kNoRequest);
  }
  void send_burst() {
    for (auto* const each : {&world_.completed(0), &world_.completed(1)}) each->clear();
    for (int i = 0; i < kBurst; ++i) {
      ASSERT_NE(world_.receive(1, 0, byte_, 2), kNoRequest);
      ASSERT_NE(world_.send(0, 1, byte_, 2), kNoRequest);
    }
    ASSERT_TRUE(world_.complete(1, kBurst));
    ASSERT_TRUE(world_.complete(0, kBurst));
    for (auto* const each : {&world_.completed(0), &world_.completed(1)}) each->clear();
  }

  bool loses_data_ = false;
  std::uint16_t latest_data_ = 0;
  std::deque<Frame> sent_, got_;
  Frame byte_ = Frame(1);
};

TEST_F(EndpointAge, AnOldAcknowledgementCompletesNothing) {
  const std::uint64_t before = world_.at(0).counts().out_of_place;
  world_.network.fabric(0, 0).arrive(old_acknowledgement_, world_.now());
  world_.run(milliseconds(1));
  EXPECT_TRUE(world_.completed(0).empty());
  EXPECT_EQ(world_.at(0).counts().out_of_place, before + 1);
}

TEST_F(EndpointAge, AnOldFrameIsNotAcknowledged) {
  const std::uint64_t before = world_.at(1).counts().out_of_place;
  world_.network.fabric(1, 0).arrive(old_data_, world_.now());
  world_.run(milliseconds(1));
  EXPECT_TRUE(world_.completed(0).empty());
  EXPECT_EQ(world_.at(1).counts().out_of_place, before + 1);
}

// Credit is told modulo 65,536 KiB. Nearly as much is received, then what was said at the beginning
// comes once more while a little is under way: by its number it would give all of that back.
TEST(EndpointCredit, AnOldAcknowledgementGivesNone) {
  constexpr std::size_t kBytes = 32 * 1024;
  constexpr std::size_t kKept = 8;  // messages that the receiver keeps
  WorldOptions options;
  options.endpoint.limits.unexpected_bytes = kKept * kBytes;
  World world(options);
  Frame first;
  world.network.script = [&](const Flight& flight) {
    const auto frame = flight.find(Type::acknowledgement);
    if (first.empty()) first.assign(frame.begin(), frame.end());
    return Fate{};
  };
  const Frame message = content(1, kBytes);
  Frame memory(kBytes);
  const auto send = [&] { ASSERT_NE(world.send(0, 1, message), kNoRequest); };
  const auto receive = [&] { ASSERT_NE(world.receive(1, 0, memory), kNoRequest); };
  for (std::size_t i = 0; i < 64 * 32 - kKept / 2; ++i) {
    receive();
    send();
    ASSERT_TRUE(world.complete(0, 1));
    ASSERT_TRUE(world.complete(1, 1));
    for (const std::uint32_t p : {0u, 1u}) world.completed(p).clear();
  }
  for (std::size_t i = 0; i < kKept; ++i) send();
  ASSERT_TRUE(world.complete(0, kKept));
  world.network.fabric(0, 0).arrive(first, world.now());
  world.run(microseconds(100));
  send();
  world.run(milliseconds(100));
  EXPECT_EQ(world.completed(0).size(), kKept);
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u) << "it has only asked";
  for (std::size_t i = 0; i < kKept + 1; ++i) receive();
  EXPECT_TRUE(world.complete(0, kKept + 1));
}

// More messages than an acknowledgement tells numbers apart have asked, and the window is wide.
struct ManyAsk : World {
  ManyAsk(std::size_t bytes, const std::vector<RailKind>& rails)
      : World(options(rails)), message(content(1, bytes)) {
    Exchange long_one(8 << 20);
    long_one.begin(*this);
    EXPECT_TRUE(complete(0, 1));
    for (std::size_t i = 0; i < kMessages; ++i) EXPECT_NE(send(0, 1, message), kNoRequest);
    run(milliseconds(100));
    got.assign(kMessages, std::vector<std::byte>(bytes));
  }
  // They are granted, and as much is sent as may be.
  void receive_all() {
    for (auto& memory : got) ASSERT_NE(receive(1, 0, memory), kNoRequest);
    run(milliseconds(3));
  }
  void expect_all() {
    EXPECT_TRUE(complete(0, 1 + kMessages, seconds(10)));
    EXPECT_TRUE(std::ranges::all_of(got, [&](const auto& memory) { return memory == message; }));
  }

  static constexpr std::size_t kMessages = 4500;
  static WorldOptions options(const std::vector<RailKind>& rails) {
    WorldOptions options;
    options.rails = rails;
    options.endpoint.limits.requests = 2 * kMessages;
    options.endpoint.limits.unexpected_messages = kMessages;
    options.endpoint.limits.eager_bytes_max = 1;
    options.endpoint.limits.send_slots = options.endpoint.limits.receive_slots = 1024;
    return options;
  }
  std::vector<std::byte> message;
  std::vector<std::vector<std::byte>> got;
};

// Those which wait for an acknowledgement have numbers that it tells apart.
TEST(EndpointNumbers, AreNotGivenToMoreThanAnAcknowledgementTellsApart) {
  constexpr std::size_t kApart = 4096;
  ManyAsk world(8, {RailKind{}});
  std::set<std::uint16_t> numbers;
  bool is_heard = false;
  world.network.script = [&](const Flight& flight) {
    Fate fate;
    for (const auto frame : flight.frames()) {
      const Type type = type_of_message_frame(frame);
      if (type == Type::data) numbers.insert(fragment_of(frame));
      if (type == Type::acknowledgement && !is_heard) fate.copies = 0;
    }
    return fate;
  };
  world.receive_all();
  EXPECT_EQ(numbers.size(), kApart - 1);
  is_heard = true;
  world.expect_all();
}

// As many as that are cut for a wide rail and lost with it: their pieces for the narrow one that is
// left have numbers, too.
TEST(EndpointNumbers, AreLeftForPiecesOfWhatAWideRailTookAlong) {
  const RailKind wide{.frame_bytes_max = 9000};
  RailKind narrow{.frame_bytes_max = 128};
  narrow.bytes_per_second = 10'000'000;
  ManyAsk world(200, {wide, narrow});
  std::set<std::uint16_t> lost;
  world.network.script = [&](const Flight& flight) {
    Fate fate;
    for (const auto frame : flight.frames()) {
      if (flight.rail != 0 || type_of_message_frame(frame) != Type::data) continue;
      lost.insert(fragment_of(frame));
      fate.copies = 0;
    }
    return fate;
  };
  world.receive_all();
  EXPECT_GT(lost.size(), 4000u);
  world.network.cut(0);
  world.expect_all();
}

}  // namespace
}  // namespace holdfast::reliable
