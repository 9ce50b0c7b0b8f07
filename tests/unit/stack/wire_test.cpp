// The wire format: each field at its offset as the specification's table has it, every rejection,
// and frames that have been tampered with at random.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/wire/frame.hpp"

namespace holdfast {
namespace {

using Frame = std::vector<std::byte>;

// Written here byte by byte from the specification's table, not with the product's encoder.
void put(Frame& frame, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) frame[at + i] = std::byte(value >> (8 * i) & 0xff);
}

const Header kHeader{.type = FrameType::notice,
                     .seal = SealAlgorithm::siphash128,
                     .job = 0x01020304,
                     .sender = {5},
                     .sender_incarnation = {0x10001},
                     .receiver = {9},
                     .receiver_incarnation = {0x20002},
                     .sequence = 0x1122334455667788,
                     .digest = 0x99aabbccddeeff00};
const std::array<Run, 2> kRuns{
    {{{3}, {0x10000}, 4, MemberState::failed}, {{11}, {7}, 1, MemberState::committed}}};
constexpr std::uint32_t kProcesses = 12;

Body body_with(std::span<const Run> runs) {
  Body body;
  body.after = 40;
  body.upto = 42;
  body.answer_wanted = true;
  body.runs = runs;
  return body;
}

Frame by_hand() {
  Frame frame(48 + 20 + 2 * 12 + 16);
  put(frame, 0, 0x4648, 2);
  put(frame, 2, 3, 1);
  put(frame, 3, 3, 1);
  put(frame, 4, frame.size(), 2);
  put(frame, 6, 1, 1);
  put(frame, 8, 0x01020304, 4);
  put(frame, 12, 5, 4);
  put(frame, 16, 0x10001, 4);
  put(frame, 20, 9, 4);
  put(frame, 24, 0x20002, 4);
  put(frame, 32, 0x1122334455667788, 8);
  put(frame, 40, 0x99aabbccddeeff00, 8);
  put(frame, 48, 40, 8);
  put(frame, 56, 42, 8);
  put(frame, 64, 1, 2);
  put(frame, 66, 2, 2);
  put(frame, 68, 3, 4);
  put(frame, 72, 0x10000, 4);
  put(frame, 76, 4, 2);
  put(frame, 78, 3, 1);
  put(frame, 80, 11, 4);
  put(frame, 84, 7, 4);
  put(frame, 88, 1, 2);
  put(frame, 90, 5, 1);
  return frame;
}

// The name of a broadcast lies between the fixed part and the runs.
Frame named_by_hand() {
  Frame frame = by_hand();
  frame.insert(frame.begin() + 68, 16, std::byte{0});
  put(frame, 4, frame.size(), 2);
  put(frame, 64, 9, 2);
  put(frame, 68, 10, 4);
  put(frame, 72, 0x30004, 4);
  put(frame, 76, 0xa1b2c3d4, 4);
  put(frame, 80, 1, 1);
  return frame;
}
constexpr Broadcast kBroadcast{{10}, {0x30004}, 0xa1b2c3d4, 1};

Frame encoded(const Header& header, const Body& body) {
  // What lies in the buffer from before must not shine through.
  Frame frame(kFrameBytesMax, std::byte{0xee});
  frame.resize(encode_frame(header, body, frame));
  return frame;
}

struct Decoded {
  DecodeStatus status;
  Header header;
  std::array<Run, kRunsMax> runs;
  Body body;
};

void decode(std::span<const std::byte> frame, Decoded& to, std::uint32_t processes = kProcesses) {
  to.status = decode_header(frame, to.header);
  if (to.status != DecodeStatus::ok) return;
  to.status = decode_body(frame, to.header.type, processes, to.runs, to.body);
}

DecodeStatus status_of(const Frame& frame) {
  Decoded decoded;
  decode(frame, decoded);
  return decoded.status;
}

struct Spoiled {
  const char* what;
  std::size_t at;
  std::size_t bytes;
  std::uint64_t value;
  DecodeStatus status;
};

TEST(Wire, EncodesAsTheTableSays) {
  EXPECT_EQ(encoded(kHeader, body_with(kRuns)), by_hand());
}

TEST(Wire, DecodesWhatTheTableSays) {
  Decoded decoded;
  decode(by_hand(), decoded);
  ASSERT_EQ(decoded.status, DecodeStatus::ok);
  EXPECT_EQ(decoded.header, kHeader);
  EXPECT_EQ(decoded.body.after, 40u);
  EXPECT_EQ(decoded.body.upto, 42u);
  EXPECT_TRUE(decoded.body.answer_wanted);
  EXPECT_FALSE(decoded.body.sender_joining);
  ASSERT_EQ(decoded.body.runs.size(), 2u);
  EXPECT_EQ(decoded.body.runs[0], kRuns[0]);
  EXPECT_EQ(decoded.body.runs[1], kRuns[1]);
}

TEST(Wire, NamesABroadcastWhereTheTableSays) {
  Body body = body_with(kRuns);
  body.broadcast = kBroadcast;
  EXPECT_EQ(encoded(kHeader, body), named_by_hand());
  Decoded decoded;
  decode(named_by_hand(), decoded);
  ASSERT_EQ(decoded.status, DecodeStatus::ok);
  EXPECT_EQ(decoded.body.broadcast, kBroadcast);
  ASSERT_EQ(decoded.body.runs.size(), 2u);
  EXPECT_EQ(decoded.body.runs[1], kRuns[1]);
  decode(by_hand(), decoded);
  EXPECT_FALSE(decoded.body.broadcast.named());
}

TEST(Wire, EveryFieldOfABroadcastIsChecked) {
  const Spoiled cases[] = {
      {"starter beyond the last process", 68, 4, kProcesses, DecodeStatus::bad_body},
      {"nobody for a starter", 68, 4, 0xffffffff, DecodeStatus::bad_body},
      {"cube", 80, 1, 2, DecodeStatus::bad_body},
      {"zero at 81", 81, 1, 1, DecodeStatus::bad_padding},
      {"zero at 83", 83, 1, 1, DecodeStatus::bad_padding},
      {"no flag for it", 64, 2, 1, DecodeStatus::bad_length},
      {"difference", 3, 1, 5, DecodeStatus::bad_body},
      {"join", 3, 1, 6, DecodeStatus::bad_body},
  };
  for (const Spoiled& spoiled : cases) {
    Frame frame = named_by_hand();
    put(frame, spoiled.at, spoiled.value, spoiled.bytes);
    EXPECT_EQ(status_of(frame), spoiled.status) << spoiled.what;
  }
  Frame acknowledgement = named_by_hand();
  put(acknowledgement, 3, 4, 1);
  EXPECT_EQ(status_of(acknowledgement), DecodeStatus::ok);
}

TEST(Wire, EveryTypeSurvivesTheRoundTrip) {
  for (int type = 1; type <= 6; ++type) {
    Header header = kHeader;
    header.type = static_cast<FrameType>(type);
    for (const bool flag : {false, true}) {
      Body body = body_with({});
      body.answer_wanted = flag;
      body.sender_joining = !flag;
      body.more_follows = flag;
      const Frame frame = encoded(header, body);
      EXPECT_EQ(frame.size(), type <= 2 ? 64u : 84u);
      Decoded decoded;
      decode(frame, decoded);
      ASSERT_EQ(decoded.status, DecodeStatus::ok) << type;
      EXPECT_EQ(decoded.header, header);
      if (type <= 2) continue;
      EXPECT_EQ(decoded.body.answer_wanted, flag);
      EXPECT_EQ(decoded.body.sender_joining, !flag);
      EXPECT_EQ(decoded.body.more_follows, flag);
    }
  }
}

TEST(Wire, AFullFrameHolds35RunsOr34AndAName) {
  EXPECT_EQ(kRunsOfBroadcastMax, (512u - 48 - 16 - 20 - 16) / 12);
  EXPECT_EQ(kRunsMax, (512u - 48 - 16 - 20) / 12);
  std::vector<holdfast::Run> runs;
  for (std::uint32_t i = 0; i < kRunsMax; ++i) runs.push_back({{i}, {i}, 1, MemberState::alive});
  const Frame frame = encoded(kHeader, body_with(runs));
  EXPECT_LE(frame.size(), kFrameBytesMax);
  Decoded decoded;
  decode(frame, decoded, kRunsMax);
  ASSERT_EQ(decoded.status, DecodeStatus::ok);
  EXPECT_TRUE(std::equal(runs.begin(), runs.end(), decoded.body.runs.begin()));
  decode(frame, decoded, kRunsMax - 1);  // the last run is of a process that does not exist
  EXPECT_EQ(decoded.status, DecodeStatus::bad_body);
}

TEST(Wire, EveryFieldIsChecked) {
  const Spoiled cases[] = {
      {"magic", 0, 2, 0x4649, DecodeStatus::bad_magic},
      {"version below", 2, 1, 2, DecodeStatus::bad_version},
      {"version above", 2, 1, 4, DecodeStatus::bad_version},
      {"type below", 3, 1, 0, DecodeStatus::bad_type},
      {"type above", 3, 1, 7, DecodeStatus::bad_type},
      {"length one less", 4, 2, by_hand().size() - 1, DecodeStatus::bad_length},
      {"length one more", 4, 2, by_hand().size() + 1, DecodeStatus::bad_length},
      {"seal", 6, 1, 3, DecodeStatus::bad_seal_algorithm},
      {"zero at 7", 7, 1, 1, DecodeStatus::bad_padding},
      {"zero at 28", 28, 4, 0x01000000, DecodeStatus::bad_padding},
      {"after beyond upto", 48, 8, 43, DecodeStatus::bad_body},
      {"flags", 64, 2, 16, DecodeStatus::bad_padding},
      {"a name that is not there", 64, 2, 8, DecodeStatus::bad_length},
      {"a run fewer than there are", 66, 2, 1, DecodeStatus::bad_length},
      {"a run more than there are", 66, 2, 3, DecodeStatus::bad_length},
      {"a run that ends beyond the last process", 80, 4, 12, DecodeStatus::bad_body},
      {"a run whose end overflows", 80, 4, 0xffffffff, DecodeStatus::bad_body},
      {"a run too long", 76, 2, 10, DecodeStatus::bad_body},
      {"an empty run", 76, 2, 0, DecodeStatus::bad_body},
      {"state", 78, 1, 6, DecodeStatus::bad_body},
      {"zero of a run", 79, 1, 1, DecodeStatus::bad_body},
  };
  for (const Spoiled& spoiled : cases) {
    Frame frame = by_hand();
    put(frame, spoiled.at, spoiled.value, spoiled.bytes);
    EXPECT_EQ(status_of(frame), spoiled.status) << spoiled.what;
  }
  Frame frame = by_hand();
  put(frame, 76, 9, 2);  // processes 3 to 11: as far as a run may go
  EXPECT_EQ(status_of(frame), DecodeStatus::ok);
}

TEST(Wire, LengthsAreChecked) {
  const Frame whole = by_hand();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const Frame part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_EQ(status_of(part), bytes < 64 ? DecodeStatus::too_short : DecodeStatus::bad_length);
  }
  Frame too_long(kFrameBytesMax + 1);
  std::copy(whole.begin(), whole.end(), too_long.begin());
  put(too_long, 4, too_long.size(), 2);
  EXPECT_EQ(status_of(too_long), DecodeStatus::bad_length);
  // A heartbeat has no body, a notice must have one.
  Frame heartbeat = whole;
  put(heartbeat, 3, 1, 1);
  EXPECT_EQ(status_of(heartbeat), DecodeStatus::bad_length);
  for (std::size_t bytes = 64; bytes < 84; ++bytes) {
    Frame notice(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    put(notice, 4, bytes, 2);
    EXPECT_EQ(status_of(notice), DecodeStatus::bad_length) << bytes;
  }
}

// Whatever arrives, decoding neither reads beyond the frame (the sanitizers look) nor lets anything
// through that is out of bounds.
TEST(Wire, TamperedFramesDecodeToNothingOrToSomethingInBounds) {
  Random random(1, 0x77697265, 0);
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    Frame frame = i % 2 == 0 ? by_hand() : named_by_hand();
    const std::uint64_t changes = 1 + random.below(3);
    for (std::uint64_t k = 0; k < changes; ++k) {
      frame[random.below(frame.size())] = std::byte(random.below(256));
    }
    if (random.below(4) == 0) {
      frame.resize(random.below(frame.size() + 100));
      if (frame.size() >= 6) put(frame, 4, frame.size(), 2);
    }
    frame.shrink_to_fit();
    Decoded decoded;
    decode(frame, decoded);
    if (decoded.status != DecodeStatus::ok) continue;
    ++accepted;
    EXPECT_LE(decoded.body.after, decoded.body.upto);
    EXPECT_LE(decoded.body.runs.size(), kRunsMax);
    if (decoded.body.broadcast.named()) {
      EXPECT_LT(decoded.body.broadcast.starter.value, kProcesses);
      EXPECT_LT(decoded.body.broadcast.cube, kCubesMax);
    }
    for (const holdfast::Run& run : decoded.body.runs) {
      EXPECT_GE(run.count, 1);
      EXPECT_LE(std::uint64_t{run.first.value} + run.count, kProcesses);
      EXPECT_LE(run.state, kLastMemberState);
    }
    // What is accepted is canonical: encoded again it is the same frame, but for the seal.
    Frame again = encoded(decoded.header, decoded.body);
    std::copy(frame.end() - 16, frame.end(), again.end() - 16);
    EXPECT_EQ(again, frame);
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace holdfast
