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
#include "tests/unit/stack/fake_fabric.hpp"

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
  EXPECT_FALSE(replayed->difference()->damaged);
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
    EXPECT_TRUE(replayed->difference()->damaged) << "byte " << byte;
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

// A recording whose blocks are taken apart, altered and put together again with good checksums.
class Forgery {
 public:
  struct Call {
    CallKind kind;
    std::uint8_t rail;
    std::vector<std::byte> arguments, results;
  };
  struct Block {
    std::int64_t now;
    std::vector<Call> calls;
  };

  explicit Forgery(const std::string& recording) {
    const auto bytes = std::as_bytes(std::span(recording));
    start_ = recording.substr(0, 12);
    std::size_t begin = 12;
    for (const std::size_t end : block_ends(recording)) {
      ByteReader from(bytes.subspan(begin, end - begin));
      const auto length = from.get<std::uint32_t>();
      from.get<std::uint64_t>();
      Block& block = blocks.emplace_back();
      block.now = static_cast<std::int64_t>(from.get<std::uint64_t>());
      from.get<std::uint32_t>();
      ByteReader calls(from.get_bytes(length));
      while (!calls.at_end()) {
        Call& call = block.calls.emplace_back();
        call.kind = static_cast<CallKind>(calls.get<std::uint8_t>());
        call.rail = calls.get<std::uint8_t>();
        const auto arguments = calls.get<std::uint32_t>();
        const auto results = calls.get<std::uint32_t>();
        const auto copy = [&](std::size_t count) {
          const auto part = calls.get_bytes(count);
          return std::vector<std::byte>(part.begin(), part.end());
        };
        call.arguments = copy(arguments);
        call.results = copy(results);
      }
      begin = end;
    }
  }

  Call& call(std::size_t block, CallKind kind) {
    for (Call& call : blocks[block].calls) {
      if (call.kind == kind) return call;
    }
    ADD_FAILURE() << "block " << block << " has no " << name_of(kind);
    return blocks[block].calls.front();
  }

  std::string recording() const {
    ByteWriter all;
    all.put_bytes(std::as_bytes(std::span(start_)));
    std::uint64_t turn = 0;
    for (const Block& block : blocks) {
      ByteWriter payload;
      for (const Call& call : block.calls) {
        payload.put(static_cast<std::uint8_t>(call.kind));
        payload.put(call.rail);
        payload.put(static_cast<std::uint32_t>(call.arguments.size()));
        payload.put(static_cast<std::uint32_t>(call.results.size()));
        payload.put_bytes(call.arguments);
        payload.put_bytes(call.results);
      }
      ByteWriter header;
      header.put(static_cast<std::uint32_t>(payload.bytes().size()));
      header.put(turn++);
      header.put(static_cast<std::uint64_t>(block.now));
      all.put_bytes(header.bytes());
      all.put(crc32_of(header.bytes()));
      all.put_bytes(payload.bytes());
      all.put(crc32_of(payload.bytes()));
    }
    const auto bytes = all.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::vector<Block> blocks;

 private:
  std::string start_;
};

// Offsets in an event, and where the one that brings a frame lies in the results of a poll: what
// was sent before may have ended as well.
constexpr std::size_t kEventBytes = 26, kSizeAt = 6, kCookieAt = 10, kTimeAt = 18;
std::byte* received(std::vector<std::byte>& results) {
  std::byte* event = &results[8];
  while (*event != std::byte{1}) event += kEventBytes;
  return event;
}

// As of a heartbeat that has no way to its observer.
TEST_F(RecordTest, AnInlineFrameThatFailsIsReplayed) {
  const auto fail = [](Fabric& fabric) {
    std::byte frame{1};
    Operation operation;
    operation.inline_data = true;
    operation.data = &frame;
    operation.size = 1;
    operation.cookie = 55;
    EXPECT_EQ(fabric.post({&operation, 1}), 1u);
    std::array<Event, 2> events;
    ASSERT_EQ(fabric.poll(events), 1u);
    EXPECT_EQ(events[0].completion, Completion::local_error);
    EXPECT_EQ(events[0].cookie, 55u);
  };
  {
    FakeFabric failing;
    failing.fails = true;
    std::unique_ptr<RecordingWriter> writer;
    ASSERT_TRUE(RecordingWriter::create(path_, opening_, writer).is_ok());
    Recorder recorder(failing, *writer, 0);
    writer->turn_begins(monotonic_now());
    fail(recorder);
    writer->turn_ends();
  }
  std::unique_ptr<Replay> opened;
  ASSERT_TRUE(Replay::open(path_, opened).is_ok());
  ReplayFabric fabric(*opened, 0);
  Time now;
  ASSERT_TRUE(opened->next_turn(now));
  fail(fabric);
  EXPECT_FALSE(opened->next_turn(now));
  EXPECT_FALSE(opened->difference());
}

TEST_F(RecordTest, WhatAForgerHasAnsweredIsNamedAndEndsTheReplay) {
  constexpr std::size_t kTurn = 4;
  struct Case {
    CallKind kind;
    void (*alter)(std::vector<std::byte>& results);
    const char* why;
  };
  const Case cases[] = {
      {CallKind::offer, [](auto& r) { r[0] = std::byte{0}; }, "not as many slots taken"},
      {CallKind::offer, [](auto& r) { r[7] = std::byte{1}; }, "not as many slots taken"},
      {CallKind::post, [](auto& r) { r[0] = std::byte{2}; }, "more operations accepted"},
      {CallKind::poll, [](auto& r) { r[0] = std::byte{5}; }, "more events than were asked for"},
      {CallKind::poll, [](auto& r) { r[7] = std::byte{0x80}; }, "more events than were asked for"},
      {CallKind::poll, [](auto& r) { *received(r) = std::byte{99}; }, "an event of no known kind"},
      {CallKind::poll, [](auto& r) { *received(r) = std::byte{0}; },
       "ended that was not under way"},
      {CallKind::poll, [](auto& r) { received(r)[kSizeAt] = std::byte{65}; }, "cut off or longer"},
      {CallKind::poll, [](auto& r) { received(r)[kSizeAt + 3] = std::byte{255}; },
       "cut off or longer"},
      {CallKind::poll, [](auto& r) { r.insert(r.end(), 60, std::byte{}); },
       "bytes after its events"},
      {CallKind::poll,
       [](auto& r) {
         received(r)[kSizeAt] = std::byte{65};
         r.insert(r.end(), 60, std::byte{});
       },
       "cut off or longer"},
      {CallKind::poll, [](auto& r) { received(r)[kCookieAt] = std::byte{1}; },
       "a slot that was not offered"},
      {CallKind::poll, [](auto& r) { received(r)[kCookieAt + 7] = std::byte{1}; },
       "was not offered"},
      {CallKind::poll, [](auto& r) { received(r)[kTimeAt + 7] = std::byte{0x80}; },
       "that no clock shows"},
      {CallKind::poll, [](auto& r) { received(r)[kTimeAt + 7] = std::byte{0x40}; },
       "that no clock shows"},
      {CallKind::poll, [](auto& r) { r.resize(20); }, "does not decode"},
  };
  const std::string good = contents();
  for (const Case& one : cases) {
    Forgery forgery(good);
    one.alter(forgery.call(kTurn, one.kind).results);
    overwrite(forgery.recording());
    const auto replayed = replay();
    ASSERT_NE(replayed, nullptr) << one.why;
    ASSERT_TRUE(replayed->difference()) << one.why;
    EXPECT_TRUE(replayed->difference()->damaged);
    EXPECT_EQ(replayed->difference()->turn, kTurn);
    const std::string& message = replayed->difference()->message;
    EXPECT_NE(message.find(one.why), std::string::npos) << message;
    EXPECT_NE(message.find(name_of(one.kind)), std::string::npos) << message;
    EXPECT_EQ(replayed->turns(), kTurn - 1);
  }
}

TEST_F(RecordTest, ATurnThatIsBeforeTheLastOrAtNoTimeIsNone) {
  const std::string good = contents();
  for (const std::int64_t now : {std::int64_t{1}, std::int64_t{-1}, INT64_MAX}) {
    Forgery forgery(good);
    forgery.blocks[6].now = now;
    overwrite(forgery.recording());
    const auto replayed = replay();
    ASSERT_TRUE(replayed && replayed->difference()) << now;
    EXPECT_TRUE(replayed->difference()->damaged);
    EXPECT_EQ(replayed->difference()->turn, 6u);
  }
}

TEST_F(RecordTest, NoNumberInARecordingSizesMemory) {
  Forgery forgery(contents());
  std::vector<std::byte>& rail = forgery.call(0, CallKind::rail).results;
  std::fill_n(rail.begin() + 12, 4, std::byte{0xff});  // receive_depth
  overwrite(forgery.recording());
  const auto replayed = replay();
  ASSERT_NE(replayed, nullptr);
  EXPECT_EQ(replayed->rails()[0].caps.receive_depth, 0xffff'ffff);
  EXPECT_FALSE(replayed->difference());
}

TEST_F(RecordTest, ABeginningThatDoesNotDecodeIsRefused) {
  const std::string good = contents();
  for (const CallKind kind : {CallKind::opening, CallKind::rail}) {
    for (const int more : {-1, 1}) {
      Forgery forgery(good);
      std::vector<std::byte>& results = forgery.call(0, kind).results;
      results.resize(results.size() + static_cast<std::size_t>(more));
      overwrite(forgery.recording());
      std::unique_ptr<Replay> opened;
      const Status status = Replay::open(path_, opened);
      ASSERT_FALSE(status.is_ok());
      EXPECT_NE(status.message().find(path_), std::string::npos);
      EXPECT_NE(status.message().find("does not decode"), std::string::npos);
    }
  }
}

TEST_F(RecordTest, WhatIsNoRecordingIsRefusedByName) {
  overwrite("something else entirely, of some length");
  std::unique_ptr<Replay> opened;
  const Status status = Replay::open(path_, opened);
  EXPECT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find(path_), std::string::npos);
  EXPECT_FALSE(Replay::open(path_ + ".absent", opened).is_ok());
}

TEST_F(RecordTest, AFullDiskStopsTheRecordingWhichSaysSo) {
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
