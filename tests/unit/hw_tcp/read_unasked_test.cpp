// One short frame after the other from the same peer, which is then read without asking the kernel
// who has something: whoever else has is heard all the same. How often the kernel is asked is
// counted by an epoll_wait of our own.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <array>
#include <memory>

#include "hw/lately.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/tcp/tcp_fabric.hpp"

namespace {

int asked = 0;  // times

}  // namespace

// This is found before libc's by the linker.
extern "C" int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
  using Function = int (*)(int, epoll_event*, int, int);
  static const auto kernel = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "epoll_wait"));
  ++asked;
  return kernel(epoll, events, count, timeout);
}

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrameBytes = 64 << 10;  // more than is read at a time
constexpr std::size_t kSlots = 4;
constexpr int kEnough = 12;  // frames, until it is a dialogue
constexpr Duration kPatience = seconds(5);

std::unique_ptr<TcpFabric> open() {
  TcpOptions options;
  options.frame_bytes_max = kFrameBytes;
  std::unique_ptr<TcpFabric> fabric;
  EXPECT_TRUE(TcpFabric::open(options, fabric).is_ok());
  return fabric;
}

class Sender {
 public:
  explicit Sender(const TcpFabric& to)
      : fabric_(open()), to_(fabric_->attach(to.local_address(), Service::datagram)) {}
  // Its first byte says who it is.
  void send(std::byte who, std::uint32_t bytes = 1) {
    frame_[0] = who;
    Operation operation;
    operation.inline_data = true;
    operation.peer = to_;
    operation.data = frame_.data();
    operation.size = bytes;
    EXPECT_EQ(fabric_->post({&operation, 1}), 1u);
  }

 private:
  std::unique_ptr<TcpFabric> fabric_;
  Peer to_;
  std::array<std::byte, kFrameBytes> frame_{};
};

class ReadUnasked : public ::testing::Test {
 protected:
  ReadUnasked() {
    for (std::size_t i = 0; i < kSlots; ++i) give(i);
  }
  void give(std::size_t i) {
    const ReceiveSlot slot{{}, memory_[i].data(), kFrameBytes, i};
    EXPECT_EQ(receiver_->offer({&slot, 1}), 1u);
  }
  // Whether one poll has brought a frame of that sender.
  bool hears(std::byte who) {
    std::array<Event, kSlots> events;
    bool any = false;
    const std::size_t count = receiver_->poll(events);
    for (std::size_t i = 0; i < count; ++i) {
      any = any || memory_[events[i].cookie][0] == who;
      give(events[i].cookie);
    }
    return any;
  }
  void wait_for(std::byte who) {
    const Time latest = monotonic_now() + kPatience;
    while (!hears(who)) ASSERT_LT(monotonic_now(), latest) << int(who);
  }
  // Polls in vain for so long and so often, and returns in how many polls the kernel was asked; all
  // of them are in `polls`.
  int polls_in_vain(int& polls) {
    asked = polls = 0;
    for (const Time begun = monotonic_now();
         polls < 1'000 || monotonic_now() - begun < 50 * kLately; ++polls)
      EXPECT_FALSE(hears(kOne));
    return asked;
  }
  void talk(Sender& sender) {
    for (int i = 0; i < kEnough; ++i) {
      sender.send(kOne);
      wait_for(kOne);
    }
  }

  static constexpr std::byte kOne{1}, kOther{2};
  std::unique_ptr<TcpFabric> receiver_ = open();
  std::array<std::array<std::byte, kFrameBytes>, kSlots> memory_{};
};

TEST_F(ReadUnasked, TheKernelIsAskedNowAndThen) {
  Sender one(*receiver_);
  one.send(kOne);
  wait_for(kOne);
  int polls = 0;
  EXPECT_EQ(polls_in_vain(polls), polls);  // it has said nothing yet
  talk(one);
  const int times = polls_in_vain(polls);
  EXPECT_LT(times, polls);
  EXPECT_GT(times, 0);
}

TEST_F(ReadUnasked, ALongFrameEndsIt) {
  Sender one(*receiver_);
  talk(one);
  one.send(kOne, kFrameBytes);
  wait_for(kOne);
  int polls = 0;
  EXPECT_EQ(polls_in_vain(polls), polls);
}

TEST_F(ReadUnasked, OthersAreHeardAndEndIt) {
  Sender one(*receiver_), other(*receiver_);
  other.send(kOther);
  wait_for(kOther);
  talk(one);
  other.send(kOther);
  wait_for(kOther);
  int polls = 0;
  EXPECT_EQ(polls_in_vain(polls), polls);
}

TEST_F(ReadUnasked, WhoIsNewIsHeard) {
  Sender one(*receiver_);
  talk(one);
  Sender other(*receiver_);
  other.send(kOther);
  wait_for(kOther);
}

TEST_F(ReadUnasked, WhoHasNotLookedLatelyHearsOthersAtOnce) {
  Sender one(*receiver_), other(*receiver_);
  other.send(kOther);
  wait_for(kOther);
  talk(one);
  other.send(kOther);
  for (const Time begun = monotonic_now(); monotonic_now() - begun < 100 * kLately;) {
  }
  asked = 0;
  const bool is_heard = hears(kOther);
  EXPECT_GT(asked, 0);
  if (!is_heard) wait_for(kOther);
}

TEST_F(ReadUnasked, WhoAsksForALookHasIt) {
  Sender one(*receiver_);
  for (int i = 0; i < 20; ++i) {
    talk(one);
    asked = 0;
    receiver_->look_anew();
    EXPECT_FALSE(hears(kOther));
    EXPECT_GT(asked, 0);
  }
}

TEST_F(ReadUnasked, AConnectionThatEndsIsLeft) {
  {
    Sender one(*receiver_);
    talk(one);
  }
  int polls = 0;
  polls_in_vain(polls);  // it hears of the end
  EXPECT_EQ(polls_in_vain(polls), polls);
  Sender other(*receiver_);
  other.send(kOther);
  wait_for(kOther);
}

}  // namespace
}  // namespace holdfast::hw
