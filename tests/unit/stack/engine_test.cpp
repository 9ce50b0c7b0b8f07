// The engine over a fabric that the test holds in its hands. Four processes, each a domain of its
// own, in rank order unless said otherwise; period 100 ms, timeout 1 s, retransmission after 50 ms.
#include "stack/engine.hpp"

#include <gtest/gtest.h>

#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast {
namespace {

using MemberRun = holdfast::Run;  // testing::Test has a Run of its own

constexpr std::uint32_t kJob = 77;

Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

struct Setup {
  std::uint32_t nodes = 4, per_node = 1, self = 1;
  std::string_view seal = "none";
  std::uint32_t inline_bytes_max = kFrameBytesMax;
  std::uint32_t receive_slots = 2, send_slots = 0;
  std::span<FrameSlot> slots = {};
  std::uint32_t boot = 0;  // above 0: it rejoins
};

class Subject {
 public:
  explicit Subject(const Setup& setup = {})
      : fabric(setup.inline_bytes_max),
        roster_({.nodes = setup.nodes, .per_node = setup.per_node}),
        rail_(&fabric),
        engine_(options(setup), roster_, {&rail_, 1}, workspace_) {
    engine_.start(at(0));
  }

  // A frame as `sender` would send it to us.
  Header header(FrameType type, std::uint32_t sender, std::uint64_t sequence) const {
    Header header;
    header.type = type;
    header.seal = engine_seal_;
    header.job = kJob;
    header.sender = {sender};
    header.receiver = {1};
    header.sequence = sequence;
    header.digest = engine_.membership().view().digest();
    return header;
  }
  std::vector<std::byte> frame(const Header& header, std::span<const MemberRun> runs = {}) const {
    std::vector<std::byte> bytes(kFrameBytesMax);
    Body body;
    body.runs = runs;
    body.upto = runs.size();
    bytes.resize(encode_frame(header, body, bytes));
    const Seal& seal = *find_seal(header.seal == SealAlgorithm::none ? "none" : "siphash128");
    seal.write(seal.derive(key_, header.sender, header.sender_incarnation, header.receiver,
                           header.receiver_incarnation),
               bytes);
    return bytes;
  }
  // Lets it arrive and takes a turn.
  void hear(Time now, std::span<const std::byte> bytes) {
    fabric.arrive(bytes, now);
    turn(now);
  }
  Time turn(Time now) { return engine_.turn(now); }
  bool steady() const { return engine_.steady(); }

  // What has been posted since the last call, decoded; one type only if it is given.
  std::vector<Header> sent() {
    std::vector<Header> headers;
    for (FakeFabric::Frame& posted : fabric.posted) {
      headers.emplace_back();
      EXPECT_EQ(decode_header(posted.used(), headers.back()), DecodeStatus::ok);
      EXPECT_EQ(headers.back().receiver.value, posted.to);
    }
    fabric.posted.clear();
    return headers;
  }
  std::size_t sent(FrameType type) {
    const std::vector<Header> headers = sent();
    return static_cast<std::size_t>(std::count_if(
        headers.begin(), headers.end(), [type](const Header& h) { return h.type == type; }));
  }

  const Engine& engine() const { return engine_; }
  const Membership& membership() const { return engine_.membership(); }
  DropCounts drops() const { return engine_.drops(); }
  int wire_version_of_others() const { return engine_.other_wire_version(); }

  FakeFabric fabric;
  FakeAddresses addresses;

 private:
  EngineOptions options(const Setup& setup) {
    for (std::size_t i = 0; i < key_.bytes.size(); ++i) key_.bytes[i] = std::byte(i);
    engine_seal_ = find_seal(setup.seal)->algorithm();
    EngineOptions options;
    options.membership.self = {setup.self};
    options.membership.incarnation = first_incarnation_of_boot(setup.boot);
    options.membership.rejoining = setup.boot > 0;
    options.membership.retransmission_timeout = milliseconds(50);
    options.job = kJob;
    options.key = key_;
    options.seal = setup.seal;
    options.receive_slots = setup.receive_slots;
    options.send_slots = setup.send_slots;
    options.slots = setup.slots;
    return options;
  }

  Roster roster_;
  JobKey key_;
  SealAlgorithm engine_seal_ = SealAlgorithm::none;
  Workspace workspace_{addresses};
  Fabric* rail_;
  Engine engine_;
};

const MemberRun kDeathOfThree{{3}, {0}, 1, MemberState::failed};

TEST(Engine, SendsHeartbeatsAsTheWireFormatSays) {
  Subject subject;
  EXPECT_EQ(subject.turn(at(0)), at(100));
  const std::vector<Header> first = subject.sent();
  ASSERT_EQ(first.size(), 1u);
  Header expected;
  expected.type = FrameType::heartbeat;
  expected.job = kJob;
  expected.sender = {1};
  expected.receiver = {2};
  expected.sequence = 1;
  EXPECT_EQ(first[0], expected);
  for (std::uint64_t i = 2; i < 10; ++i) {
    subject.turn(at(static_cast<std::int64_t>(100 * (i - 1))));
    const std::vector<Header> next = subject.sent();
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(next[0].sequence, i);
  }
}

TEST(Engine, NewsArriveAndAreAcknowledged) {
  for (const std::string_view seal : {"none", "siphash128"}) {
    Subject subject({.seal = seal});
    subject.hear(at(1),
                 subject.frame(subject.header(FrameType::notice, 0, 1), {&kDeathOfThree, 1}));
    EXPECT_FALSE(subject.membership().view().live({3}));
    EXPECT_EQ(subject.drops(), DropCounts{});
    EXPECT_EQ(subject.sent(FrameType::acknowledgement), 1u);
  }
}

TEST(Engine, FramesForOthersAreDropped) {
  Subject subject;
  std::uint64_t dropped = 0;
  const auto expect_dropped = [&](const Header& header) {
    subject.hear(at(1), subject.frame(header, {&kDeathOfThree, 1}));
    EXPECT_EQ(subject.drops().misdelivered, ++dropped);
  };
  Header header = subject.header(FrameType::notice, 0, 1);
  header.job = kJob + 1;
  expect_dropped(header);
  header = subject.header(FrameType::notice, 0, 1);
  header.receiver = {2};
  expect_dropped(header);
  expect_dropped(subject.header(FrameType::notice, 1, 1));  // from ourselves
  expect_dropped(subject.header(FrameType::notice, 4, 1));  // there is no process 4
  EXPECT_TRUE(subject.membership().view().live({3}));
}

TEST(Engine, WhatTheSealDoesNotCoverIsDropped) {
  Subject subject({.seal = "siphash128"});
  const auto good = subject.frame(subject.header(FrameType::notice, 0, 1), {&kDeathOfThree, 1});
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto flipped = good;
    flipped[i] ^= std::byte{0x10};
    subject.hear(at(1), flipped);
  }
  Header unsealed = subject.header(FrameType::notice, 0, 1);
  unsealed.seal = SealAlgorithm::none;
  subject.hear(at(1), subject.frame(unsealed, {&kDeathOfThree, 1}));
  const DropCounts drops = subject.drops();
  EXPECT_EQ(drops.malformed + drops.other_version + drops.misdelivered + drops.unverified,
            good.size() + 1);
  EXPECT_GT(drops.unverified, good.size() / 2);
  EXPECT_TRUE(subject.membership().changes().empty());
  subject.hear(at(1), good);
  EXPECT_FALSE(subject.membership().view().live({3}));
}

TEST(Engine, WithoutSealsASealedFrameIsDropped) {
  Subject subject;
  Header sealed = subject.header(FrameType::notice, 0, 1);
  sealed.seal = SealAlgorithm::siphash128;
  subject.hear(at(1), subject.frame(sealed, {&kDeathOfThree, 1}));
  // One that says it has none must be zero where it would be, in either half.
  for (const std::size_t from_the_end : {1u, 9u}) {
    std::vector<std::byte> frame =
        subject.frame(subject.header(FrameType::notice, 0, 2), {&kDeathOfThree, 1});
    frame[frame.size() - from_the_end] = std::byte{1};
    subject.hear(at(2), frame);
  }
  EXPECT_EQ(subject.drops().unverified, 3u);
  EXPECT_TRUE(subject.membership().changes().empty());
}

TEST(Engine, MalformedFramesAreDropped) {
  Subject subject;
  const auto good = subject.frame(subject.header(FrameType::notice, 0, 1), {&kDeathOfThree, 1});
  subject.hear(at(1), {});
  subject.hear(at(1), std::span(good).first(63));
  auto wrong_run = good;
  wrong_run[48 + 20] = std::byte{4};  // process 4 of 4
  subject.hear(at(1), wrong_run);
  EXPECT_EQ(subject.drops().malformed, 3u);
  EXPECT_TRUE(subject.membership().changes().empty());
}

TEST(Engine, FramesOfAnotherWireVersionAreCountedApartAndNamed) {
  Subject subject;
  EXPECT_EQ(subject.wire_version_of_others(), 0);
  auto frame = subject.frame(subject.header(FrameType::notice, 0, 1), {&kDeathOfThree, 1});
  frame[2] = std::byte{kFrameVersion + 1};
  subject.hear(at(1), frame);
  EXPECT_EQ(subject.drops().other_version, 1u);
  EXPECT_EQ(subject.drops().malformed, 0u);
  EXPECT_EQ(subject.wire_version_of_others(), kFrameVersion + 1);
  EXPECT_TRUE(subject.membership().changes().empty());
}

// A recorded heartbeat must not keep its dead sender alive.
TEST(Engine, ReplayedHeartbeatsDoNotCount) {
  Subject subject({.seal = "siphash128"});
  const auto old = subject.frame(subject.header(FrameType::heartbeat, 0, 4));
  subject.hear(at(50), old);
  for (std::int64_t ms = 100; ms < 1050; ms += 50) subject.hear(at(ms), old);
  subject.hear(at(1049), subject.frame(subject.header(FrameType::heartbeat, 0, 3)));
  EXPECT_EQ(subject.drops().outdated, 20u);
  EXPECT_TRUE(subject.membership().view().live({0}));
  subject.turn(at(1050));
  EXPECT_FALSE(subject.membership().view().live({0}));
}

// Sealed, nothing is handled twice (8.3). Unsealed, anybody could say anything.
TEST(Engine, ReplayedNewsIsNotAnswered) {
  Subject subject({.seal = "siphash128"});
  const auto old = subject.frame(subject.header(FrameType::notice, 0, 4), {&kDeathOfThree, 1});
  subject.hear(at(1), old);
  EXPECT_EQ(subject.sent(FrameType::acknowledgement), 1u);
  for (std::int64_t ms = 2; ms < 12; ++ms) subject.hear(at(ms), old);
  EXPECT_EQ(subject.drops().outdated, 10u);
  EXPECT_EQ(subject.sent(FrameType::acknowledgement), 0u);
}

// It joins; until it is told by somebody who knows of this boot it must believe nothing that was
// said to an earlier one, and nobody may make it think that it was told.
TEST(Engine, WhatWasMeantForAnEarlierBootDoesNotCount) {
  Subject subject({.seal = "siphash128", .boot = 2});
  subject.turn(at(0));
  subject.sent();
  const std::uint64_t before = subject.membership().state_hash();
  std::uint64_t sequence = 0;
  for (const FrameType type :
       {FrameType::heartbeat, FrameType::observe, FrameType::notice, FrameType::acknowledgement,
        FrameType::difference, FrameType::join}) {
    Header header = subject.header(type, 0, ++sequence);
    header.sender_incarnation = first_incarnation_of_boot(1);
    header.receiver_incarnation = next(first_incarnation_of_boot(1));
    const std::span<const MemberRun> runs(&kDeathOfThree, 1);
    subject.hear(at(1), subject.frame(header, has_body(type) && type != FrameType::acknowledgement
                                                  ? runs
                                                  : std::span<const MemberRun>()));
    EXPECT_EQ(subject.membership().state_hash(), before);
    EXPECT_EQ(subject.drops().outdated, sequence);
    // It says who it is, to the life that spoke, whether or not that is believed to be.
    const std::vector<Header> said = subject.sent();
    const bool asks = type != FrameType::notice && type != FrameType::acknowledgement;
    ASSERT_EQ(said.size(), asks ? 1u : 0u);
    if (!asks) continue;
    EXPECT_EQ(said[0].type, FrameType::difference);
    EXPECT_EQ(said[0].receiver_incarnation, first_incarnation_of_boot(1));
    EXPECT_EQ(said[0].sender_incarnation, first_incarnation_of_boot(2));
  }
  EXPECT_TRUE(subject.membership().joining());
}

// Each knows the other's first boot only, so the first frames both ways name the wrong one.
TEST(Engine, TwoWhoHaveBothComeBackFindEachOther) {
  Subject a({.nodes = 2, .self = 0, .seal = "siphash128", .boot = 1});
  Subject b({.nodes = 2, .self = 1, .seal = "siphash128", .boot = 3});
  for (std::int64_t ms = 0; ms < 900; ms += 10) {
    a.turn(at(ms));
    b.turn(at(ms));
    for (auto& frame : std::exchange(a.fabric.posted, {})) b.fabric.arrive(frame.used(), at(ms));
    for (auto& frame : std::exchange(b.fabric.posted, {})) a.fabric.arrive(frame.used(), at(ms));
  }
  for (const Subject* one : {&a, &b}) {
    EXPECT_EQ(one->membership().view().of({0}).incarnation, first_incarnation_of_boot(1));
    EXPECT_EQ(one->membership().view().of({1}).incarnation, first_incarnation_of_boot(3));
  }
}

TEST(Engine, WhoeverHasAnotherKeyLeavesNothingBehind) {
  Subject subject({.nodes = 40, .seal = "siphash128"});
  subject.turn(at(0));
  std::size_t in_turns = 0;
  for (std::uint32_t sender = 2; sender < 40; ++sender) {
    std::vector<std::byte> forged = subject.frame(subject.header(FrameType::heartbeat, sender, 1));
    forged.back() ^= std::byte{1};
    subject.fabric.arrive(forged, at(1));
    const std::size_t before = allocations();
    subject.turn(at(1));
    in_turns += allocations() - before;
  }
  EXPECT_EQ(in_turns, 0u);
  EXPECT_EQ(subject.drops().unverified, 38u);
}

TEST(Engine, OfANewLifeTheSequenceStartsAgain) {
  Subject subject;
  subject.hear(at(50), subject.frame(subject.header(FrameType::heartbeat, 0, 4)));
  Header reborn = subject.header(FrameType::heartbeat, 0, 1);
  reborn.sender_incarnation = first_incarnation_of_boot(1);
  subject.hear(at(60), subject.frame(reborn));
  EXPECT_EQ(subject.drops().outdated, 0u);
  EXPECT_EQ(subject.membership().view().of({0}).incarnation, first_incarnation_of_boot(1));
  // The old life is not listened to any more, whatever it counts to.
  subject.hear(at(70), subject.frame(subject.header(FrameType::heartbeat, 0, 9)));
  EXPECT_EQ(subject.drops().outdated, 1u);
}

TEST(Engine, OldNewsIsNewsAllTheSame) {
  Subject subject;
  subject.hear(at(1), subject.frame(subject.header(FrameType::heartbeat, 0, 9)));
  subject.hear(at(2), subject.frame(subject.header(FrameType::notice, 0, 3), {&kDeathOfThree, 1}));
  EXPECT_FALSE(subject.membership().view().live({3}));
  EXPECT_EQ(subject.drops().outdated, 0u);
}

// Of who sends news nothing is remembered, so it does not make a heartbeat old (2.5).
TEST(Engine, HeartbeatsAreComparedWithHeartbeats) {
  Subject subject;
  subject.hear(at(1), subject.frame(subject.header(FrameType::notice, 0, 9), {&kDeathOfThree, 1}));
  subject.hear(at(2), subject.frame(subject.header(FrameType::heartbeat, 0, 3)));
  EXPECT_EQ(subject.drops().outdated, 0u);
  subject.hear(at(3), subject.frame(subject.header(FrameType::heartbeat, 0, 3)));
  subject.hear(at(3), subject.frame(subject.header(FrameType::observe, 0, 2)));
  EXPECT_EQ(subject.drops().outdated, 2u);
}

// 2.5, 4.2: a notice moves the deadline of who has been heard before, but not a second time.
TEST(Engine, OtherFramesAreSignsOfLifeIfTheyAreNewer) {
  Subject subject;
  const auto news = subject.frame(subject.header(FrameType::notice, 0, 6), {&kDeathOfThree, 1});
  subject.hear(at(1), subject.frame(subject.header(FrameType::notice, 0, 4), {&kDeathOfThree, 1}));
  subject.hear(at(2), subject.frame(subject.header(FrameType::heartbeat, 0, 5)));
  subject.hear(at(500), news);
  subject.turn(at(1400));
  subject.hear(at(1400), news);
  subject.turn(at(1499));
  EXPECT_TRUE(subject.membership().view().live({0}));
  subject.turn(at(1500));
  EXPECT_FALSE(subject.membership().view().live({0}));
  subject.hear(at(1501), subject.frame(subject.header(FrameType::heartbeat, 0, 6)));
  EXPECT_EQ(subject.drops().outdated, 1u);
}

TEST(Engine, UsesTheSlotsThatItIsGiven) {
  std::array<FrameSlot, 3> slots{};
  Subject subject({.receive_slots = 2, .send_slots = 1, .slots = slots});
  subject.hear(at(50), subject.frame(subject.header(FrameType::heartbeat, 0, 1)));
  EXPECT_EQ(subject.drops(), DropCounts{});
  EXPECT_TRUE(slots[0].bytes[0] != std::byte{0} || slots[1].bytes[0] != std::byte{0});
}

// More frames wait than there are slots, and a deadline has passed while the process slept: it must
// read everything before it judges.
TEST(Engine, ReadsWhatWaitedBeforeItJudges) {
  for (const bool waiting : {true, false}) {
    Subject subject({.receive_slots = 1});
    subject.hear(at(50), subject.frame(subject.header(FrameType::heartbeat, 0, 1)));
    for (std::int64_t ms = 100; ms <= 1000; ms += 100) subject.turn(at(ms));
    for (std::uint64_t i = 0; i < 40; ++i) {
      subject.fabric.arrive(subject.frame(subject.header(FrameType::heartbeat, 2, 2 + i)), at(500));
    }
    if (waiting) {
      subject.fabric.arrive(subject.frame(subject.header(FrameType::heartbeat, 0, 2)), at(150));
    }
    subject.turn(at(1050));
    EXPECT_EQ(subject.membership().view().live({0}), waiting);
    // The arrival counts, not the turn that read it.
    subject.turn(at(1150));
    EXPECT_FALSE(subject.membership().view().live({0}));
  }
}

TEST(Engine, BackPressureDropsAndGoesOnWhenWritable) {
  Subject subject;
  subject.turn(at(0));
  subject.sent();
  subject.fabric.room = 1;
  subject.hear(at(1), subject.frame(subject.header(FrameType::notice, 0, 1), {&kDeathOfThree, 1}));
  // An acknowledgement and notices to 0 and 2 were due; one found room.
  EXPECT_EQ(subject.sent().size(), 1u);
  EXPECT_EQ(subject.drops().refused, 2u);
  subject.fabric.room = 100;
  EXPECT_EQ(subject.turn(at(200)), at(201));  // it naps, in case nobody ever says writable
  EXPECT_EQ(subject.sent().size(), 0u);
  subject.fabric.happen({EventKind::writable, Completion::ok, kNoPeer, 0, 0, at(250)});
  subject.turn(at(250));
  const std::vector<Header> after = subject.sent();
  const auto count = [&after](FrameType type) {
    return std::count_if(after.begin(), after.end(),
                         [type](const Header& header) { return header.type == type; });
  };
  EXPECT_EQ(count(FrameType::heartbeat), 1);
  EXPECT_EQ(count(FrameType::notice), 2);  // repeated: nobody has acknowledged them
}

TEST(Engine, WhoeverHasNoAddressIsSentNothing) {
  Subject subject;
  subject.fabric.reachable = false;
  subject.turn(at(0));
  EXPECT_EQ(subject.drops().refused, 1u);
  subject.fabric.reachable = true;
  subject.turn(at(100));
  EXPECT_EQ(subject.sent(FrameType::heartbeat), 1u);
}

// Without inline sending, frames lie in slots that are the fabric's until it says sent.
TEST(Engine, SendsFromSlotsWhereItCannotSendInline) {
  Subject subject({.inline_bytes_max = 0, .send_slots = 2});
  subject.turn(at(0));
  subject.turn(at(100));
  EXPECT_EQ(subject.fabric.pending(), 2u);
  subject.turn(at(200));  // no slot is free
  EXPECT_EQ(subject.drops().refused, 1u);
  subject.fabric.complete();
  const std::vector<Header> sent = subject.sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].sequence, 1u);  // as posted: nothing has written over it
  EXPECT_EQ(sent[1].sequence, 2u);
  for (std::int64_t ms = 300; ms < 2000; ms += 100) {
    subject.turn(at(ms));
    subject.fabric.complete();
  }
  EXPECT_EQ(subject.drops().refused, 1u);
  // Refused by the fabric, a slot is free again at once.
  subject.fabric.room = 0;
  for (std::int64_t ms = 2100; ms < 2500; ms += 100) {
    subject.turn(at(ms));
    subject.fabric.happen({EventKind::writable, Completion::ok, kNoPeer, 0, 0, at(ms)});
  }
  subject.sent();
  subject.fabric.room = 2;
  subject.turn(at(2600));
  EXPECT_GE(subject.fabric.pending(), 1u);
}

TEST(Engine, EndOfAWatchedProcessIsKnownAtOnce) {
  Subject subject({.nodes = 2, .per_node = 2, .self = 1});
  subject.turn(at(0));
  ASSERT_EQ(subject.fabric.watched.size(), 1u);
  EXPECT_EQ(subject.fabric.watched[0], Peer{0});
  subject.fabric.happen({EventKind::peer_down, Completion::ok, Peer{0}, 0, 0, at(10)});
  subject.turn(at(10));
  EXPECT_FALSE(subject.membership().view().live({0}));
  EXPECT_TRUE(subject.membership().agent());
  // Once told, it is not told again.
  subject.fabric.happen({EventKind::peer_down, Completion::ok, Peer{0}, 0, 0, at(20)});
  subject.turn(at(20));
  EXPECT_EQ(subject.membership().view().sequence(), 1u);
}

// As where no descriptor is left for it.
TEST(Engine, WatchesOnceTheSystemAllowsIt) {
  Subject subject({.nodes = 2, .per_node = 2, .self = 1});
  subject.fabric.reachable = false;
  EXPECT_EQ(subject.turn(at(5)), at(15));
  EXPECT_FALSE(subject.steady());
  EXPECT_EQ(subject.turn(at(16)), at(26));
  subject.fabric.reachable = true;
  EXPECT_EQ(subject.turn(at(25)), at(26));
  EXPECT_TRUE(subject.fabric.watched.empty());
  EXPECT_GT(subject.turn(at(26)), at(40));
  EXPECT_TRUE(subject.steady());
  EXPECT_EQ(subject.fabric.watched, std::vector{Peer{0}});
  subject.turn(at(40));
  EXPECT_EQ(subject.fabric.watched.size(), 1u);
  subject.fabric.happen({EventKind::peer_down, Completion::ok, Peer{0}, 0, 0, at(50)});
  subject.turn(at(50));
  EXPECT_FALSE(subject.membership().view().live({0}));
}

// It may still run for a while; its end is not that of the life after it.
TEST(Engine, WhoHasLeftIsNotWatchedAnyMoreOnceTheRankIsBack) {
  Subject subject({.nodes = 2, .per_node = 2, .self = 1});
  subject.turn(at(0));
  const MemberRun left{{0}, {0}, 1, MemberState::left};
  subject.hear(at(10), subject.frame(subject.header(FrameType::notice, 0, 1), {&left, 1}));
  EXPECT_TRUE(subject.fabric.detached.empty());
  Header reborn = subject.header(FrameType::heartbeat, 0, 1);
  reborn.sender_incarnation = first_incarnation_of_boot(1);
  subject.hear(at(20), subject.frame(reborn));
  EXPECT_EQ(subject.fabric.watched.size(), 2u);
  // Of the life before: the watch, and what frames were sent by.
  EXPECT_EQ(subject.fabric.detached.size(), 2u);
}

// As over adapters, which give each life another queue pair. A refutation is no new life.
TEST(Engine, EachLifeOfAProcessIsSentToItsOwnAddress) {
  Subject subject;
  const auto told = [&](std::uint64_t sequence, Incarnation incarnation) {
    const MemberRun back{{2}, incarnation, 1, MemberState::alive};
    const Time now = at(100 * static_cast<std::int64_t>(sequence));
    subject.hear(now, subject.frame(subject.header(FrameType::notice, 0, sequence), {&back, 1}));
    std::vector<std::uint32_t> places;
    for (FakeFabric::Frame& posted : std::exchange(subject.fabric.posted, {})) {
      Header header;
      EXPECT_EQ(decode_header(posted.used(), header), DecodeStatus::ok);
      if (header.receiver == ProcessId{2}) places.push_back(posted.to);
    }
    return places;
  };
  subject.turn(at(0));
  ASSERT_EQ(subject.fabric.posted.size(), 1u);
  EXPECT_EQ(std::exchange(subject.fabric.posted, {})[0].to, 2u);
  std::uint64_t sequence = 0;
  for (const std::uint32_t boot : {1u, 3u}) {
    const std::uint32_t before = boot == 1 ? 2 : 1002;
    subject.addresses.move({2});
    for (const Incarnation incarnation :
         {first_incarnation_of_boot(boot), next(first_incarnation_of_boot(boot))}) {
      const std::vector<std::uint32_t> places = told(++sequence, incarnation);
      ASSERT_FALSE(places.empty());
      for (const std::uint32_t place : places) EXPECT_EQ(place, before == 2 ? 1002u : 2002u);
    }
    EXPECT_EQ(subject.fabric.detached.back(), Peer{before});
  }
  EXPECT_EQ(subject.fabric.detached.size(), 2u);
}

// The acknowledgement of the news that there is a later life leaves before what is told to that
// life.
TEST(Engine, WhatWaitsIsSentBeforeAHandleIsLetGo) {
  Subject subject;
  subject.turn(at(0));
  ASSERT_EQ(std::exchange(subject.fabric.posted, {}).size(), 1u) << "process 2 has a handle";
  subject.addresses.move({2});
  const MemberRun back{{2}, first_incarnation_of_boot(1), 1, MemberState::alive};
  subject.hear(at(10), subject.frame(subject.header(FrameType::notice, 0, 1), {&back, 1}));
  EXPECT_EQ(subject.fabric.detached, std::vector<Peer>{Peer{2}});
  std::vector<std::uint32_t> places;
  for (const FakeFabric::Frame& posted : subject.fabric.posted) places.push_back(posted.to);
  ASSERT_GE(places.size(), 2u);
  EXPECT_EQ(places.front(), 0u);
  EXPECT_NE(std::find(places.begin(), places.end(), 1002u), places.end());
}

TEST(Engine, HeartbeatsAllocateNothing) {
  for (const std::string_view seal : {"none", "siphash128"}) {
    for (const std::uint32_t inline_bytes_max : {0u, 512u}) {
      Subject subject({.seal = seal, .inline_bytes_max = inline_bytes_max, .send_slots = 4});
      std::size_t in_turns = 0;
      for (std::uint64_t i = 1; i < 200; ++i) {
        const Time now = at(static_cast<std::int64_t>(100 * i));
        subject.fabric.arrive(subject.frame(subject.header(FrameType::heartbeat, 0, i)), now);
        const std::size_t before = allocations();
        subject.turn(now);
        if (i > 2) in_turns += allocations() - before;  // the first ones make the peers' entries
        subject.fabric.complete();
      }
      EXPECT_EQ(in_turns, 0u) << seal;
      EXPECT_EQ(subject.sent(FrameType::heartbeat), 199u);
      EXPECT_EQ(subject.drops(), DropCounts{});
      EXPECT_TRUE(subject.membership().changes().empty());
    }
  }
}

}  // namespace
}  // namespace holdfast
