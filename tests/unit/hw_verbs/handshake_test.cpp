// Two ends of a handshake over a network that loses, repeats and holds back, while their processes
// attach, reset, detach and start again as they like. PROTOCOL 11.
#include "hw/verbs/handshake.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

using State = ConnectionState;
using Event = ConnectionEvent;

VerbsEndpoint endpoint(std::uint32_t number) {
  VerbsEndpoint made;
  made.gid[0] = static_cast<std::byte>(number);
  made.queue_pair = number;
  return made;
}

// What really was: which attempt had which queue pair, and was joined to which.
struct Truth {
  std::map<std::uint64_t, QueuePairFacts> facts;
  std::set<std::pair<std::uint64_t, std::uint64_t>> joined;
  std::uint64_t attempts = 0;
};

class End {
 public:
  End(std::uint32_t number, Truth& truth) : self_(endpoint(number)), truth_(truth) {}

  // A process that starts again at the same address.
  void start_again() {
    said.clear();
    told_attached = told_down = false;
    state_ = State::free;
    handshake_ = {};
  }

  State state() const { return state_; }
  const Handshake& handshake() const { return handshake_; }
  bool told_attached = false;
  bool told_down = false;

  void happen(Event event) {
    const State from = state_;
    const auto to = after(state_, event);
    ASSERT_TRUE(to.has_value()) << static_cast<int>(state_) << " " << static_cast<int>(event);
    state_ = *to;
    if (state_ == State::asking && from != State::linked) {
      const std::uint64_t attempt = mix64(++truth_.attempts);
      const QueuePairFacts facts{static_cast<std::uint32_t>(100 + truth_.attempts),
                                 static_cast<std::uint32_t>(attempt & 0xff'ffff), 3, 1};
      truth_.facts[attempt] = facts;
      handshake_.begin(self_, attempt, truth_.attempts, facts);
      say(handshake_.repeated(state_));
    } else if (state_ == State::linked) {
      ASSERT_EQ(handshake_.peer(), truth_.facts.at(handshake_.peer_attempt()));
      truth_.joined.insert({handshake_.attempt(), handshake_.peer_attempt()});
    } else if (state_ == State::attached) {
      ASSERT_EQ(truth_.joined.count({handshake_.peer_attempt(), handshake_.attempt()}), 1u)
          << "attached before the peer could receive";
      told_attached = true;
    } else if (state_ == State::down) {
      told_down = true;
    } else if (state_ != State::asking) {
      if (const auto farewell = handshake_.farewell()) say(*farewell);
    }
  }

  void receive(const HandshakeFrame& frame) {
    if (state_ == State::free || state_ == State::leaving) {
      if (const auto answer = Handshake::to_stranger(self_, frame)) say(*answer);
      return;
    }
    const Handshake::Reaction reaction = handshake_.handle(state_, frame);
    if (reaction.first) happen(*reaction.first);
    if (reaction.second) happen(*reaction.second);
    if (reaction.answer) say(*reaction.answer);
  }

  void tick() {
    if (state_ == State::asking || state_ == State::linked) say(handshake_.repeated(state_));
    if (state_ == State::failing || state_ == State::restarting || state_ == State::leaving)
      happen(Event::drained);
  }

  std::vector<HandshakeFrame> said;

 private:
  void say(const HandshakeFrame& frame) {
    ASSERT_EQ(decode_handshake(encode(frame)), frame);
    said.push_back(frame);
  }

  VerbsEndpoint self_;
  Truth& truth_;
  State state_ = State::free;
  Handshake handshake_;
};

class HandshakeTest : public ::testing::Test {
 protected:
  // Everything that is said arrives, in order, until nobody says anything.
  void exchange() {
    for (int round = 0; round < 100 && !(a.said.empty() && b.said.empty()); ++round) {
      const auto from_a = std::exchange(a.said, {});
      const auto from_b = std::exchange(b.said, {});
      for (const HandshakeFrame& frame : from_a) b.receive(frame);
      for (const HandshakeFrame& frame : from_b) a.receive(frame);
    }
    EXPECT_TRUE(a.said.empty() && b.said.empty()) << "answers that never end";
  }
  void expect_attached_to_each_other() {
    EXPECT_EQ(a.state(), State::attached);
    EXPECT_EQ(b.state(), State::attached);
    EXPECT_EQ(a.handshake().peer_attempt(), b.handshake().attempt());
    EXPECT_EQ(b.handshake().peer_attempt(), a.handshake().attempt());
  }

  Truth truth;
  End a{2, truth};
  End b{3, truth};
};

TEST_F(HandshakeTest, OneAfterTheOtherTakesFourFrames) {
  a.happen(Event::attach);
  a.said.clear();  // nobody was there to hear it
  b.happen(Event::attach);
  std::size_t frames = 0;
  while (!(a.said.empty() && b.said.empty())) {
    frames += a.said.size() + b.said.size();
    const auto from_a = std::exchange(a.said, {});
    const auto from_b = std::exchange(b.said, {});
    for (const HandshakeFrame& frame : from_a) b.receive(frame);
    for (const HandshakeFrame& frame : from_b) a.receive(frame);
  }
  EXPECT_EQ(frames, 4u);
  expect_attached_to_each_other();
}

TEST_F(HandshakeTest, BothAtOnceMakeOneConnection) {
  a.happen(Event::attach);
  b.happen(Event::attach);
  exchange();
  expect_attached_to_each_other();
}

TEST_F(HandshakeTest, APeerThatBeganAnewEndsTheConnection) {
  a.happen(Event::attach);
  b.happen(Event::attach);
  exchange();
  b.start_again();
  b.happen(Event::attach);
  exchange();
  EXPECT_EQ(a.state(), State::failing);
  a.happen(Event::drained);
  EXPECT_TRUE(a.told_down);
  a.happen(Event::reset);
  a.happen(Event::drained);
  exchange();
  expect_attached_to_each_other();
}

// What was said in an earlier attempt does not come back to life.
TEST_F(HandshakeTest, LateFramesOfAnEarlierAttemptChangeNothing) {
  a.happen(Event::attach);
  b.happen(Event::attach);
  std::vector<HandshakeFrame> late;  // all that b says in its first attempt
  const auto b_speaks = [&] {
    const auto said = std::exchange(b.said, {});
    late.insert(late.end(), said.begin(), said.end());
    return said;
  };
  for (const HandshakeFrame& frame : std::exchange(a.said, {})) b.receive(frame);
  for (const HandshakeFrame& frame : b_speaks()) a.receive(frame);
  ASSERT_EQ(a.state(), State::linked);
  for (const HandshakeFrame& frame : std::exchange(a.said, {})) b.receive(frame);
  ASSERT_EQ(b.state(), State::attached);
  b.happen(Event::reset);
  b_speaks();  // lost, as is what it said before that it was attached
  b.happen(Event::drained);
  exchange();
  expect_attached_to_each_other();
  const std::uint64_t now = b.handshake().attempt();
  for (const HandshakeFrame& frame : late) {
    if (frame.attempt != now) a.receive(frame);
  }
  EXPECT_EQ(a.state(), State::attached);
}

TEST_F(HandshakeTest, WhoIsGoneIsAskedForAgain) {
  a.happen(Event::attach);
  b.happen(Event::attach);
  for (const HandshakeFrame& frame : std::exchange(a.said, {})) b.receive(frame);
  for (const HandshakeFrame& frame : std::exchange(b.said, {})) a.receive(frame);
  ASSERT_EQ(a.state(), State::linked);
  b.start_again();  // without a word, and without wanting a
  a.tick();
  exchange();
  EXPECT_EQ(a.state(), State::asking) << "b has said that there is nothing";
  EXPECT_FALSE(a.told_down);
  b.happen(Event::attach);
  exchange();
  expect_attached_to_each_other();
  b.happen(Event::detach);
  exchange();
  EXPECT_EQ(a.state(), State::failing);
}

// Strangers do not know an end's attempt; whatever else they say, no state changes.
TEST_F(HandshakeTest, WhoDoesNotKnowTheAttemptChangesNothing) {
  Random random(3, 1, 4);
  const auto forge = [&](End& end, std::uint64_t attempt) {
    HandshakeFrame forged;
    forged.says = static_cast<Says>(1 + random.below(4));
    forged.sender = endpoint(3);
    forged.attempt = attempt;
    forged.order = random.next();
    forged.heard = random.next() | 1;
    if (forged.says != Says::gone) forged.pair = {77, 1, 3, 1};
    end.receive(forged);
    EXPECT_LE(end.said.size(), 1u) << "at most one answer for a frame";
    end.said.clear();
  };
  a.happen(Event::attach);
  a.said.clear();
  for (int i = 0; i < 1000; ++i) forge(a, random.next() | 1);
  EXPECT_EQ(a.state(), State::asking);
  b.happen(Event::attach);
  exchange();
  expect_attached_to_each_other();
  for (int i = 0; i < 1000; ++i) forge(a, i % 2 == 0 ? random.next() | 1 : b.handshake().attempt());
  expect_attached_to_each_other();
}

class AnyHandshake : public HandshakeTest, public ::testing::WithParamInterface<int> {};

TEST_P(AnyHandshake, EndsInOneConnectionWhenTheNetworkCalmsDown) {
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    Random random(seed, 1, static_cast<std::uint64_t>(GetParam()));
    truth = {};
    a.start_again();
    b.start_again();
    std::vector<HandshakeFrame> to_a, to_b;  // on their way
    const auto step = [&](End& end, std::vector<HandshakeFrame>& arriving,
                          std::vector<HandshakeFrame>& leaving, bool wild) {
      const std::uint64_t what = random.below(20);
      if (wild && what == 0 && end.state() != State::free && end.state() != State::leaving) {
        end.happen(Event::detach);
      } else if (wild && what == 1 && end.state() != State::free && end.state() != State::leaving) {
        end.happen(Event::reset);
      } else if (what == 2 && end.state() == State::free) {
        end.happen(Event::attach);
      } else if (what == 3 && end.state() == State::down) {
        end.happen(Event::reset);
      } else if (what < 6) {
        end.tick();
      } else if (!arriving.empty()) {
        const std::size_t which = random.below(arriving.size());
        const HandshakeFrame frame = arriving[which];
        const bool stays = wild && random.below(4) == 0;
        if (!stays) arriving.erase(arriving.begin() + static_cast<std::ptrdiff_t>(which));
        if (!(wild && random.below(4) == 0)) end.receive(frame);
      }
      for (const HandshakeFrame& frame : std::exchange(end.said, {})) leaving.push_back(frame);
    };
    for (int i = 0; i < 400; ++i) {
      step(a, to_a, to_b, true);
      step(b, to_b, to_a, true);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
    const auto is_calm = [&] {
      return a.state() == State::attached && b.state() == State::attached && to_a.empty() &&
             to_b.empty();
    };
    for (int i = 0; i < 4000 && !is_calm(); ++i) {
      step(a, to_a, to_b, false);
      step(b, to_b, to_a, false);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
    expect_attached_to_each_other();
    EXPECT_TRUE(to_a.empty() && to_b.empty()) << "frames that never end";
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Handshake, AnyHandshake, ::testing::Range(0, 4));

}  // namespace
}  // namespace holdfast::hw
