// The event log and the sleep of a process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/run/event_log.hpp"
#include "hw/run/sleeper.hpp"

namespace holdfast::hw {
namespace {

std::string contents(int descriptor) {
  std::array<char, 4096> text;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(size)};
}

TEST(EventLog, EachChangeIsALineAtOnceAndReadsBack) {
  const Descriptor file(::memfd_create("log", MFD_CLOEXEC));
  EventLog log(file.get());
  const std::vector<Membership::Change> changes{{{7}, {{65536}, MemberState::failed}},
                                                {{0}, {{1}, MemberState::alive}}};
  log.write(Time{12'345'678'901}, changes);
  EXPECT_EQ(contents(file.get()),
            "monotonic_ns,process,incarnation,state\n"
            "12345678901,7,65536,failed\n"
            "12345678901,0,1,alive\n");
  log.write_notes("frames 5\nturns 6\n");
  ParsedLog parsed;
  ASSERT_TRUE(parse_event_log(contents(file.get()), parsed).is_ok());
  const std::vector<BeliefEvent> expected{{Time{12'345'678'901}, {7}, {65536}, MemberState::failed},
                                          {Time{12'345'678'901}, {0}, {1}, MemberState::alive}};
  EXPECT_EQ(parsed.events, expected);
  EXPECT_EQ(parsed.notes, "frames 5\nturns 6\n");
}

TEST(EventLog, WhatAKillCutOffIsLeftOut) {
  ParsedLog parsed;
  ASSERT_TRUE(
      parse_event_log("monotonic_ns,process,incarnation,state\n5,1,0,failed\n6,2,0,fai", parsed)
          .is_ok());
  EXPECT_EQ(parsed.events.size(), 1u);
}

TEST(EventLog, ABadLineIsNamed) {
  for (const char* bad : {"x,1,0,failed\n", "5,1,0,dead\n", "5,1,failed\n", "5,,0,alive\n"}) {
    ParsedLog parsed;
    const Status status = parse_event_log(std::string("5,1,0,alive\n") + bad, parsed);
    EXPECT_FALSE(status.is_ok()) << bad;
    EXPECT_NE(status.message().find("line 2"), std::string::npos) << status.message();
  }
}

TEST(EventLog, ALogThatCannotBeWrittenSaysSo) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EventLog log(full.get());
  EXPECT_FALSE(log.is_whole());
  log.write_notes("a\n");
  EXPECT_EQ(log.status().message(), "cannot write the event log: No space left on device");
  EventLog nowhere(-1);
  EXPECT_TRUE(nowhere.is_whole()) << "nobody wants it";
}

// A rail that has events while its eventfd is set.
class EventfdFabric final : public Fabric {
 public:
  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return {}; }
  Peer attach(const Address&, Service) override { return kNoPeer; }
  void detach(Peer) override {}
  void reset(Peer) override {}
  Region register_memory(std::span<std::byte>) override { return {}; }
  std::size_t post(std::span<const Operation>) override { return 0; }
  std::size_t offer(std::span<const ReceiveSlot>) override { return 0; }
  std::size_t poll(std::span<Event>) override { return 0; }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override {
    ++armed;
    if (arrives_after_arm) ::eventfd_write(event.get(), 1);
    return {!busy, event.get(), until};
  }

  Descriptor event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  bool busy = false;
  bool arrives_after_arm = false;
  Time until = Time::never();
  int armed = 0;

 private:
  Caps caps_;
};

class SleeperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> sockets{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
    near_ = Descriptor(sockets[0]);
    far_ = Descriptor(sockets[1]);
    ASSERT_TRUE(sleeper_.open({.lifeline = near_.get()}).is_ok());
  }

  // So long that a test which sleeps through it has failed.
  Time long_after() { return monotonic_now() + seconds(60); }

  Descriptor near_, far_;
  Sleeper sleeper_;
  EventfdFabric rail_;
  std::array<Fabric*, 1> rails_{&rail_};
};

TEST_F(SleeperTest, SleepsUntilTheInstantNotLess) {
  const Time until = monotonic_now() + milliseconds(20);
  EXPECT_EQ(sleeper_.sleep(until, rails_), Wake::work);
  EXPECT_GE(monotonic_now(), until);
  // And again: an alarm that has gone off must not wake twice.
  const Time later = monotonic_now() + milliseconds(20);
  EXPECT_EQ(sleeper_.sleep(later, rails_), Wake::work);
  EXPECT_GE(monotonic_now(), later);
}

TEST_F(SleeperTest, AnEventBetweenArmAndSleepWakes) {
  rail_.arrives_after_arm = true;
  const Time before = monotonic_now();
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::work);
  EXPECT_LT(monotonic_now(), before + seconds(30));
  EXPECT_EQ(rail_.armed, 1);
}

TEST_F(SleeperTest, ARailThatMustBePolledWakes) {
  rail_.until = monotonic_now() + milliseconds(20);
  const Time before = monotonic_now();
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::work);
  EXPECT_GE(monotonic_now(), rail_.until);
  EXPECT_LT(monotonic_now(), before + seconds(30));
}

// Of a file it is refused for ever, and of another descriptor while there is no memory.
TEST_F(SleeperTest, WithADescriptorThatIsNotWatchedItNapsAndAsksAgain) {
  Descriptor file(::memfd_create("rail", MFD_CLOEXEC));
  std::swap(rail_.event, file);
  const Time before = monotonic_now();
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::work);
  std::swap(rail_.event, file);
  rail_.arrives_after_arm = true;
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::work);
  EXPECT_LT(monotonic_now(), before + seconds(30));
}

TEST_F(SleeperTest, ABusyRailIsNoSleepButSignalsAreSeen) {
  rail_.busy = true;
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::work);
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::signal);
  // The signal is consumed: this program lives on, and the next sleep is an ordinary one.
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::work);
}

TEST(HeldSignals, WakeWhoSleepsLater) {
  const HeldSignals held;
  ::kill(::getpid(), SIGTERM);
  Sleeper later;
  ASSERT_TRUE(later.open({}).is_ok());
  EXPECT_EQ(later.sleep(monotonic_now() + seconds(30), {}), Wake::signal);
}

TEST_F(SleeperTest, TheEndOfTheLauncherWakes) {
  far_.close();
  EXPECT_EQ(sleeper_.sleep(long_after(), rails_), Wake::abandoned);
}

TEST_F(SleeperTest, TheBellWakesAndIsSilentThen) {
  const Descriptor bell(::eventfd(0, EFD_NONBLOCK));
  Sleeper sleeper;
  ASSERT_TRUE(sleeper.open({.signals = false, .bell = bell.get()}).is_ok());
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(bell.get(), &one, sizeof one), 8);
  EXPECT_EQ(sleeper.sleep(long_after(), rails_), Wake::work);
  const Time until = monotonic_now() + milliseconds(20);
  EXPECT_EQ(sleeper.sleep(until, rails_), Wake::work);
  EXPECT_GE(monotonic_now(), until);
}

TEST_F(SleeperTest, WhoPollsIsWokenByTheSameAndDoesNotSleep) {
  Sleeper polling;
  ASSERT_TRUE(polling.open({.signals = false, .lifeline = near_.get(), .polls = true}).is_ok());
  rusage before{}, after{};
  ::getrusage(RUSAGE_THREAD, &before);
  const Time until = monotonic_now() + milliseconds(20);
  EXPECT_EQ(polling.sleep(until, rails_), Wake::work);
  EXPECT_GE(monotonic_now(), until);
  rail_.arrives_after_arm = true;
  EXPECT_EQ(polling.sleep(long_after(), rails_), Wake::work);
  EXPECT_LT(monotonic_now(), until + seconds(30));
  ::getrusage(RUSAGE_THREAD, &after);
  EXPECT_EQ(after.ru_nvcsw, before.ru_nvcsw) << "it has given its processor away";
  eventfd_t events = 0;
  ASSERT_EQ(::eventfd_read(rail_.event.get(), &events), 0);
  rail_.arrives_after_arm = false;
  far_.close();
  EXPECT_EQ(polling.sleep(long_after(), rails_), Wake::abandoned);
}

TEST_F(SleeperTest, AnInstantThatHasPassedIsNoSleep) {
  EXPECT_EQ(sleeper_.sleep(monotonic_now(), rails_), Wake::work);
  EXPECT_EQ(rail_.armed, 0);
}

}  // namespace
}  // namespace holdfast::hw
