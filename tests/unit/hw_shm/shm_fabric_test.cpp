// hw/shm between real processes: those that are killed, those that come back, and memory that says
// what it should not.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/claim_lane.hpp"
#include "hw/shm/shm_address.hpp"
#include "hw/shm/shm_fabric.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/hw/few_descriptors.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrames = 8;  // of a lane
constexpr std::size_t kFrameBytes = 256;

// The same in the children of this process.
std::string name_of(const char* end) {
  static const std::string base = "holdfast-test-" + std::to_string(::getpid()) + "-";
  return base + end;
}

std::string path_of(const std::string& name) {
  return "/dev/shm/" + name;
}

// What one who was killed has left.
void tidy_up(const std::string& name) {
  std::filesystem::remove(path_of(name));
  std::filesystem::remove(path_of(name + ".bell"));
}

std::unique_ptr<ShmFabric> open(const std::string& name, std::uint32_t lanes = 4) {
  ShmOptions options;
  options.name = name;
  options.geometry = {.lanes = lanes, .frames = kFrames, .frame_bytes = kFrameBytes};
  options.receive_depth = 64;
  std::unique_ptr<ShmFabric> fabric;
  const Status status = ShmFabric::open(options, fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// One end with slots; frames are numbers.
class End {
 public:
  explicit End(const std::string& name, std::uint32_t lanes = 4) : fabric_(open(name, lanes)) {
    for (std::size_t i = 0; i < 64; ++i) give(i);
  }

  ShmFabric& fabric() { return *fabric_; }
  const ShmCounters& counters() const { return fabric_->counters(); }

  Peer attach(const std::string& name) {
    return fabric_->attach(to_shm_address(name), Service::datagram);
  }
  void send(Peer to, std::uint32_t number) {
    Operation operation;
    operation.inline_data = true;
    operation.peer = to;
    operation.data = reinterpret_cast<std::byte*>(&number);
    operation.size = sizeof number;
    EXPECT_EQ(fabric_->post({&operation, 1}), 1u);
  }
  // What has come, in order.
  std::vector<std::uint32_t> received() {
    std::vector<std::uint32_t> numbers;
    std::array<Event, 16> events;
    for (std::size_t count = events.size(); count == events.size();) {
      count = fabric_->poll(events);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(events[i].kind, EventKind::received);
        std::uint32_t number = 0;
        if (events[i].size == sizeof number) {
          std::memcpy(&number, memory_[events[i].cookie].data(), sizeof number);
        }
        numbers.push_back(number);
        give(events[i].cookie);
      }
    }
    return numbers;
  }

 private:
  void give(std::size_t i) {
    const ReceiveSlot slot{{}, memory_[i].data(), kFrameBytes, i};
    EXPECT_EQ(fabric_->offer({&slot, 1}), 1u);
  }

  std::unique_ptr<ShmFabric> fabric_;
  std::array<std::array<std::byte, kFrameBytes>, 64> memory_{};
};

// A process that does `work`, says so, and waits to be killed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    (void)name_of("");
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      (void)!::write(pipe[1], "r", 1);
      for (;;) ::pause();
    }
    ::close(pipe[1]);
    char ready = 0;
    EXPECT_EQ(::read(pipe[0], &ready, 1), 1) << "the child died early";
    ::close(pipe[0]);
  }
  ~Child() { kill(); }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

TEST(ShmFabric, AnotherProcessSendsAndItsFramesOutliveIt) {
  End receiver(name_of("r"));
  Child sender([] {
    auto& end = *new End(name_of("s"));  // is not tidied up
    const Peer to = end.attach(name_of("r"));
    for (std::uint32_t i = 1; i <= 3; ++i) end.send(to, i);
  });
  sender.kill();
  EXPECT_EQ(receiver.received(), (std::vector<std::uint32_t>{1, 2, 3}));
  tidy_up(name_of("s"));
}

// The only lane of the receiver's, claimed for good: nothing is tidied up.
ShmSegment& claimed_for_good() {
  static ShmSegment segment;
  EXPECT_TRUE(ShmSegment::open("/dev/shm", name_of("r"), segment));
  EXPECT_EQ(claim_lane(segment, *identify(::getpid())), 0u);
  return segment;
}

// Whoever cannot find out whether a claimant lives does not write into his frames.
TEST(ShmFabric, WithoutADescriptorLeftNobodysLaneIsTaken) {
  End receiver(name_of("r"), 1);
  ShmSegment segment;
  ASSERT_TRUE(ShmSegment::open("/dev/shm", name_of("r"), segment));
  ASSERT_EQ(claim_lane(segment, *identify(::getpid())), 0u);
  ProcessIdentity other = *identify(::getpid());
  other.start_ticks += 1;
  {
    const FewDescriptors few(0);
    EXPECT_EQ(claim_lane(segment, other), std::nullopt);
  }
  give_back_lane(segment, 0);
  EXPECT_EQ(claim_lane(segment, other), 0u);
  EXPECT_EQ(claim_lane(segment, *identify(::getpid())), 0u) << "it is of nobody who runs";
}

TEST(ShmFabric, TheLaneOfOneWhoWasKilledInTheMiddleOfAFrameIsTakenByTheNext) {
  End receiver(name_of("r"), 1), next(name_of("n"));
  const Peer from_next = next.attach(name_of("r"));
  Child killed([] {
    claimed_for_good().cell(0, 0).size = 0xffff'ffff;  // half a frame, not published
  });
  next.send(from_next, 1);
  EXPECT_EQ(next.counters().unreachable, 1u) << "the only lane is taken";
  killed.kill();
  ::usleep(2'000);
  next.send(from_next, 2);
  EXPECT_EQ(receiver.received(), std::vector<std::uint32_t>{2});
}

// Who takes its lane would else write the same cell once more, and be taken for a sender behind.
TEST(ShmFabric, WhatWasPublishedByOneWhoWasKilledBeforeItSaidSoComesBeforeWhatFollows) {
  End receiver(name_of("r"), 1), next(name_of("n"));
  const Peer from_next = next.attach(name_of("r"));
  Child killed([] {
    const ShmSegment& segment = claimed_for_good();
    for (std::uint32_t i = 0; i < 2; ++i) {
      ShmCell& cell = segment.cell(0, i);
      cell.size = sizeof i;
      std::memcpy(ShmSegment::frame_of(cell), &i, sizeof i);
      cell.published.store(i + 1);
    }
  });
  killed.kill();
  ::usleep(2'000);
  next.send(from_next, 2);
  next.send(from_next, 3);
  EXPECT_EQ(receiver.received(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(receiver.counters().corrupt, 0u);
}

TEST(ShmFabric, WhoComesBackUnderAnAddressIsFound) {
  const std::string name = name_of("r");
  End sender(name_of("s"));
  const Peer to = sender.attach(name);
  sender.send(to, 1);
  EXPECT_EQ(sender.counters().unreachable, 1u);
  {
    Child first([&] { new End(name); });
    ::usleep(2'000);
    sender.send(to, 2);
    EXPECT_EQ(sender.counters().frames_sent, 1u);
  }
  EXPECT_TRUE(std::filesystem::exists(path_of(name))) << "it had no time to tidy up";
  End second(name);
  ::usleep(2'000);
  sender.send(to, 3);
  EXPECT_EQ(second.received(), std::vector<std::uint32_t>{3});
}

TEST(ShmFabric, ANameIsOnePersons) {
  const auto first = open(name_of("r"));
  ShmOptions options;
  options.name = name_of("r");
  std::unique_ptr<ShmFabric> second;
  const Status status = ShmFabric::open(options, second);
  EXPECT_FALSE(status.is_ok());
  EXPECT_EQ(status.message(), "shared memory " + path_of(options.name) +
                                  ": a process that runs has this name; expected one of its own "
                                  "for each");
  EXPECT_EQ(second, nullptr);
}

// Empty, as somebody may have put it there who waits for its mapping.
TEST(ShmFabric, AFileThatOthersMayWriteToIsNeitherTakenNorOpened) {
  const std::string path = path_of(name_of("r"));
  std::ofstream(path).close();
  std::filesystem::permissions(path, std::filesystem::perms(0620));
  ShmOptions options;
  options.name = name_of("r");
  std::unique_ptr<ShmFabric> fabric;
  EXPECT_EQ(
      ShmFabric::open(options, fabric).message(),
      "shared memory " + path +
          ": something is there that others may write to; expected nothing, or a file of this "
          "user that is for nobody else; remove it");
  std::filesystem::remove(path);

  End receiver(name_of("r")), sender(name_of("s"));
  std::filesystem::permissions(path, std::filesystem::perms(0620));
  sender.send(sender.attach(name_of("r")), 1);
  EXPECT_EQ(sender.counters().unreachable, 1u);
}

TEST(ShmFabric, ADirectoryThatIsNotThereIsNamed) {
  ShmOptions options;
  options.name = "x";
  options.directory = "/dev/shm/no-such-directory";
  std::unique_ptr<ShmFabric> fabric;
  EXPECT_EQ(ShmFabric::open(options, fabric).message(),
            "shared memory /dev/shm/no-such-directory/x: cannot open: No such file or directory");
}

TEST(ShmFabric, NothingIsLeftOfWhoEndsInOrder) {
  { End end(name_of("r")); }
  EXPECT_FALSE(std::filesystem::exists(path_of(name_of("r"))));
  EXPECT_FALSE(std::filesystem::exists(path_of(name_of("r.bell"))));
}

TEST(ShmFabric, AFullLaneLosesItsOwnFramesOnly) {
  End receiver(name_of("r")), slow(name_of("s")), other(name_of("o"));
  const Peer from_slow = slow.attach(name_of("r")), from_other = other.attach(name_of("r"));
  for (std::uint32_t i = 0; i < kFrames + 3; ++i) slow.send(from_slow, i);
  EXPECT_EQ(slow.counters().full, 3u);
  other.send(from_other, 77);
  const auto all = receiver.received();
  ASSERT_EQ(all.size(), kFrames + 1);
  EXPECT_EQ(all.back(), 77u) << "in order of their sending";
  slow.send(from_slow, 1);
  EXPECT_EQ(slow.counters().full, 3u) << "there is room again";
}

TEST(ShmFabric, WithoutALaneLeftNobodyElseIsHarmed) {
  End receiver(name_of("r"), 1), first(name_of("1")), second(name_of("2"));
  const Peer from_first = first.attach(name_of("r"));
  first.send(from_first, 1);
  second.send(second.attach(name_of("r")), 2);
  EXPECT_EQ(second.counters().unreachable, 1u);
  EXPECT_EQ(receiver.received(), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(receiver.received().empty());
  first.fabric().detach(from_first);
  ::usleep(2'000);
  second.send(second.attach(name_of("r")), 3);
  EXPECT_EQ(receiver.received(), std::vector<std::uint32_t>{3}) << "the lane was given back";
}

TEST(ShmFabric, FilesThatAreNoSegmentsAreNobody) {
  const std::string path = path_of(name_of("r"));
  End sender(name_of("s"));
  const Peer to = sender.attach(name_of("r"));
  const auto is_nobody = [&] {
    const std::uint64_t before = sender.counters().unreachable;
    ::usleep(2'000);
    sender.send(to, 1);
    std::filesystem::remove_all(path);
    return sender.counters().unreachable == before + 1;
  };
  for (const std::string& content : {std::string("short"), std::string(1 << 20, 'x')}) {
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    EXPECT_TRUE(is_nobody());
  }
  std::filesystem::create_directory(path);
  EXPECT_TRUE(is_nobody());
  std::filesystem::create_symlink("/etc/passwd", path);
  EXPECT_TRUE(is_nobody());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(is_nobody());
}

// Whoever may write to a segment may write anything: whatever it says, the owner takes no frame
// longer than its slot, ends each poll, and serves others afterwards.
TEST(ShmFabric, ASegmentThatSaysWhatItShouldNotHarmsNobody) {
  End receiver(name_of("r")), sender(name_of("s"));
  const Peer to = sender.attach(name_of("r"));
  sender.send(to, 1);  // gives lane 0 its memory
  EXPECT_EQ(receiver.received().size(), 1u);
  ShmSegment spoilt;
  ASSERT_TRUE(ShmSegment::open("/dev/shm", name_of("r"), spoilt));
  ASSERT_EQ(claim_lane(spoilt, *identify(::getpid())), 1u);
  Random random(1, 2, 3);
  for (int round = 0; round < 2'000; ++round) {
    ShmLane& lane = spoilt.lane(1);
    const std::uint32_t ahead = static_cast<std::uint32_t>(random.below(3 * kFrames));
    if (random.below(4) == 0) {
      lane.tail.store(static_cast<std::uint32_t>(random.below(1ull << 32)));
    } else {
      lane.tail.store(lane.head.load() + ahead);
    }
    const std::uint32_t shown = static_cast<std::uint32_t>(random.below(kFrames + 1));
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      const std::uint32_t number = lane.head.load() + i;
      spoilt.cell(1, number).published.store(i < shown ? number + 1 : number);
      spoilt.cell(1, i).size = static_cast<std::uint32_t>(
          random.below(2) == 0 ? random.below(2 * kFrameBytes) : random.below(1ull << 32));
      spoilt.cell(1, i).sent_ns = static_cast<std::int64_t>(random.below(~0ull));
    }
    for (auto& word : spoilt.header().pending) word.store(random.below(~0ull));
    EXPECT_LE(receiver.received().size(), kFrames);
    sender.send(to, 2);
    const auto honest = receiver.received();
    ASSERT_FALSE(honest.empty());
    EXPECT_EQ(honest.back(), 2u);
  }
  EXPECT_GT(receiver.counters().corrupt, 0u);
  EXPECT_GT(receiver.counters().truncated, 0u);
}

// Two threads as two processes would be, for the thread sanitizer; nothing is lost that there was
// room for, nothing comes twice, and who sleeps is woken.
TEST(ShmFabric, ASenderAndAReceiverAtFullSpeed) {
  constexpr std::uint32_t kNumbers = 50'000;
  End receiver(name_of("r"));
  std::atomic<std::uint64_t> lost{~std::uint64_t{0}};
  std::thread sender([&] {
    End end(name_of("s"));
    const Peer to = end.attach(name_of("r"));
    for (std::uint32_t i = 1; i <= kNumbers; ++i) end.send(to, i);
    lost = end.counters().full;
  });
  std::vector<std::uint32_t> all;
  for (int idle = 0; idle < 200;) {
    const auto some = receiver.received();
    all.insert(all.end(), some.begin(), some.end());
    idle = some.empty() && lost != ~std::uint64_t{0} ? idle + 1 : 0;
    if (!some.empty()) continue;
    const Armed armed = receiver.fabric().arm();
    if (!armed.idle) continue;
    pollfd bell{armed.descriptor, POLLIN, 0};
    ::poll(&bell, 1, 1);
  }
  sender.join();
  EXPECT_EQ(all.size() + lost, kNumbers);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

}  // namespace
}  // namespace holdfast::hw
