// Recordings: a small engine on a real socket is recorded, then replayed, altered, damaged, cut
// off.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "hw/monotonic_clock.hpp"
#include "hw/record/recorder.hpp"
#include "hw/record/recording_writer.hpp"
#include "hw/record/replay.hpp"
#include "hw/record/replay_fabric.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

// Answers each frame with its bytes plus one, from a buffer until the send has completed. All slots
// have the same cookie, which a fabric must stand.
class Echo {
 public:
  Echo(Fabric& fabric, const Address& to) : fabric_(fabric) {
    region_ = fabric_.register_memory(memory_);
    peer_ = fabric_.attach(to, Service::datagram);
    EXPECT_EQ(offer(), 1u);
  }

  // `alteration` is added to the last byte that is sent.
  void turn(std::uint8_t alteration = 0) {
    std::array<Event, 4> events;
    const std::size_t count = fabric_.poll(events);
    for (const Event& event : std::span(events).first(count)) {
      if (event.kind != EventKind::received) continue;
      EXPECT_EQ(event.cookie, 7u);
      Operation operation;
      operation.peer = peer_;
      operation.region = region_;
      operation.data = memory_.data() + 64;
      operation.size = event.size;
      operation.cookie = 99;
      for (std::size_t i = 0; i < event.size; ++i) {
        memory_[64 + i] = std::byte(std::to_integer<unsigned>(memory_[i]) + 1);
      }
      auto& last = memory_[64 + event.size - 1];
      last = std::byte(std::to_integer<unsigned>(last) + alteration);
      EXPECT_EQ(fabric_.post({&operation, 1}), 1u);
      EXPECT_EQ(offer(), 1u);
    }
  }

 private:
  std::size_t offer() {
    const ReceiveSlot slot{region_, memory_.data(), 64, 7};
    return fabric_.offer({&slot, 1});
  }

  Fabric& fabric_;
  std::array<std::byte, 128> memory_{};
  Region region_;
  Peer peer_;
};

constexpr int kTurns = 12;

class RecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "record_test." + std::to_string(::getpid());
    opening_.configuration = "{\"name\": \"echo\"}";
    opening_.roster = {std::byte{1}, std::byte{2}};
    opening_.seed = 42;
    opening_.self = {3};
    opening_.incarnation = first_incarnation_of_boot(1);
    record();
  }
  void TearDown() override { std::remove(path_.c_str()); }

  // kTurns turns, a frame of five bytes before each.
  void record() {
    std::unique_ptr<UdpFabric> near, far;
    ASSERT_TRUE(UdpFabric::open(UdpOptions{}, near).is_ok());
    ASSERT_TRUE(UdpFabric::open(UdpOptions{}, far).is_ok());
    std::unique_ptr<RecordingWriter> writer;
    ASSERT_TRUE(RecordingWriter::create(path_, opening_, writer).is_ok());
    far_ = far->local_address();
    Recorder recorder(*near, *writer, 0);
    Echo echo(recorder, far_);
    const Peer to_near = far->attach(near->local_address(), Service::datagram);
    for (int turn = 0; turn < kTurns; ++turn) {
      std::array<std::byte, 5> frame;
      frame.fill(static_cast<std::byte>(turn));
      Operation operation;
      operation.inline_data = true;
      operation.peer = to_near;
      operation.data = frame.data();
      operation.size = frame.size();
      ASSERT_EQ(far->post({&operation, 1}), 1u);
      pollfd waiting{recorder.arm().descriptor, POLLIN, 0};
      if (waiting.fd >= 0) ::poll(&waiting, 1, 5000);
      writer->turn_begins(monotonic_now());
      echo.turn();
      writer->turn_ends();
    }
    ASSERT_TRUE(writer->status().is_ok());
    ASSERT_EQ(near->counters().frames_sent, std::uint64_t{kTurns});
  }

  std::string contents() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  // Replays with a fresh engine, which in turn `altered` sends another byte. Null: it does not
  // open.
  std::unique_ptr<Replay> replay(std::uint64_t altered = 0) {
    std::unique_ptr<Replay> opened;
    if (!Replay::open(path_, opened).is_ok()) return nullptr;
    ReplayFabric fabric(*opened, 0);
    Echo echo(fabric, far_);
    Time last{};
    for (Time now; opened->next_turn(now);) {
      EXPECT_GE(now, last);
      last = now;
      echo.turn(opened->turns() + 1 == altered ? 1 : 0);
    }
    return opened;
  }

  std::string path_;
  RecordingOpening opening_;
  Address far_;
};

// Where each block of a recording ends, from its documentation.
std::vector<std::size_t> block_ends(const std::string& bytes) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 12; at < bytes.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length |= std::size_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    at += 24 + length + 4;
    ends.push_back(at);
  }
  return ends;
}

TEST_F(RecordTest, AReplayIsEqualToTheEnd) {
  const auto replayed = replay();
  ASSERT_NE(replayed, nullptr);
  EXPECT_FALSE(replayed->difference()) << replayed->difference()->message;
  EXPECT_FALSE(replayed->truncated());
  EXPECT_EQ(replayed->turns(), std::uint64_t{kTurns});
  EXPECT_EQ(replayed->opening(), opening_);
  ASSERT_EQ(replayed->rails().size(), 1u);
  EXPECT_TRUE(replayed->rails()[0].caps.datagram);
}

TEST_F(RecordTest, OneOtherByteStopsAtItsTurnAndIsNamed) {
  const auto replayed = replay(5);
  ASSERT_NE(replayed, nullptr);
  ASSERT_TRUE(replayed->difference());
  EXPECT_EQ(replayed->difference()->turn, 5u);
  EXPECT_EQ(replayed->difference()->call, 1u);  // after the poll
  EXPECT_EQ(replayed->turns(), 4u);
  EXPECT_NE(replayed->difference()->message.find("operation 0, byte 4 of its frame"),
            std::string::npos)
      << replayed->difference()->message;
}

TEST_F(RecordTest, AnyFlippedBitStopsTheReplayAtItsTurn) {
  const std::string good = contents();
  const std::vector<std::size_t> ends = block_ends(good);
  ASSERT_EQ(ends.size(), kTurns + 1u);
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte * 5 % 8)));
    overwrite(bad);
    const auto replayed = replay();
    std::size_t turn = 0;
    while (byte >= ends[turn]) ++turn;
    if (turn == 0) {
      EXPECT_EQ(replayed, nullptr) << "byte " << byte;
      continue;
    }
    ASSERT_NE(replayed, nullptr) << "byte " << byte;
    ASSERT_TRUE(replayed->difference()) << "byte " << byte;
    EXPECT_EQ(replayed->difference()->turn, turn) << "byte " << byte;
    EXPECT_EQ(replayed->turns(), turn - 1) << "byte " << byte;
  }
}

TEST_F(RecordTest, ACutOffRecordingReplaysUpToItsLastWholeTurn) {
  const std::string good = contents();
  const std::vector<std::size_t> ends = block_ends(good);
  for (std::size_t size = 0; size <= good.size(); ++size) {
    overwrite(good.substr(0, size));
    const auto replayed = replay();
    std::size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= size) ++whole;
    if (whole == 0) {
      EXPECT_EQ(replayed, nullptr) << size;
      continue;
    }
    ASSERT_NE(replayed, nullptr) << size;
    EXPECT_FALSE(replayed->difference()) << size;
    EXPECT_EQ(replayed->turns(), whole - 1) << size;
    EXPECT_EQ(replayed->truncated(), ends[whole - 1] != size) << size;
  }
}

TEST_F(RecordTest, AnEngineThatDoesLessOrMoreDiffers) {
  std::unique_ptr<Replay> opened;
  ASSERT_TRUE(Replay::open(path_, opened).is_ok());
  ReplayFabric fabric(*opened, 0);
  Echo echo(fabric, far_);
  Time now;
  ASSERT_TRUE(opened->next_turn(now));
  EXPECT_FALSE(opened->next_turn(now)) << "a turn without calls is not the recorded one";
  EXPECT_EQ(opened->difference()->turn, 1u);

  ASSERT_TRUE(Replay::open(path_, opened).is_ok());
  ReplayFabric again(*opened, 0);
  Echo echo_again(again, far_);
  ASSERT_TRUE(opened->next_turn(now));
  echo_again.turn();
  EXPECT_FALSE(opened->difference());
  echo_again.turn();
  ASSERT_TRUE(opened->difference());
  EXPECT_NE(opened->difference()->message.find("no more calls"), std::string::npos);
}

TEST_F(RecordTest, WhatIsNoRecordingIsRefusedByName) {
  overwrite("something else entirely, of some length");
  std::unique_ptr<Replay> opened;
  const Status status = Replay::open(path_, opened);
  EXPECT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find(path_), std::string::npos);
  EXPECT_FALSE(Replay::open(path_ + ".absent", opened).is_ok());
}

TEST_F(RecordTest, AFullDiskStopsTheRecordingNotTheProcess) {
  std::unique_ptr<RecordingWriter> writer;
  EXPECT_FALSE(RecordingWriter::create("/dev/full", opening_, writer).is_ok());
  ASSERT_TRUE(RecordingWriter::create(path_, opening_, writer).is_ok());
  // From here on no file of this process may grow beyond 200 bytes.
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit tight{200, limit.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &tight);
  for (int turn = 0; turn < 50; ++turn) {
    writer->turn_begins(Time{turn});
    writer->turn_ends();
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  EXPECT_FALSE(writer->status().is_ok());
  EXPECT_NE(writer->status().message().find(path_), std::string::npos);
  std::unique_ptr<Replay> opened;
  ASSERT_TRUE(Replay::open(path_, opened).is_ok());
  for (Time now; opened->next_turn(now);) {
  }
  EXPECT_FALSE(opened->difference());
  EXPECT_TRUE(opened->truncated());
}

}  // namespace
}  // namespace holdfast::hw
