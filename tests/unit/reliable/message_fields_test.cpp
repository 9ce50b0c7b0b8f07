// What decoding asks of each field of a message frame whose checksum is right: a sender that means
// it, or one who knows how checksums are made.
#include <gtest/gtest.h>

#include <initializer_list>

#include "message_examples.hpp"

namespace holdfast::reliable {
namespace {

struct Field {
  std::size_t at;
  std::size_t bytes;
  std::uint64_t value;
};

struct Case {
  const char* what;
  std::initializer_list<Field> fields;
  std::size_t payload;  // bytes that follow the header
  Status status;
};

Status status_of(const Frame& frame, bool sealed = false) {
  MessageHeader header;
  return decode_message_header(frame, kConnection, sealed, header);
}

// The example of a type with other fields and payload, and a checksum that fits them.
void expect(Type type, const Case& expected) {
  Frame frame = example(type).frame;
  frame.resize(48 + expected.payload);
  for (const Field& field : expected.fields) put(frame, field.at, field.value, field.bytes);
  check_in(frame);
  EXPECT_EQ(status_of(frame), expected.status)
      << expected.what << ", type " << static_cast<int>(type);
}

constexpr std::uint64_t kMost = ~std::uint64_t{0};

TEST(MessageFields, LengthMagicVersionAndTypeComeBeforeTheChecksum) {
  for (const Example& whole : examples()) {
    for (std::size_t bytes = 0; bytes < 48; ++bytes) {
      const Frame cut(whole.frame.begin(),
                      whole.frame.begin() + static_cast<std::ptrdiff_t>(bytes));
      EXPECT_EQ(status_of(cut), Status::too_short);
      EXPECT_EQ(sender_of_message_frame(cut), kNoProcess);
    }
    const Field spoiled[] = {{0, 2, 0x4648}, {2, 1, 1}, {3, 1, 0}, {3, 1, 9}, {3, 1, 255}};
    const Status expected[] = {Status::bad_magic, Status::bad_version, Status::bad_type,
                               Status::bad_type, Status::bad_type};
    for (std::size_t i = 0; i < std::size(spoiled); ++i) {
      Frame frame = whole.frame;
      put(frame, spoiled[i].at, spoiled[i].value, spoiled[i].bytes);
      EXPECT_EQ(status_of(frame), expected[i]);
      EXPECT_EQ(status_of(frame, true), expected[i]);
      EXPECT_EQ(sender_of_message_frame(frame), kNoProcess);
    }
  }
}

TEST(MessageFields, NobodySendsNothing) {
  for (const Example& whole : examples()) {
    Frame frame = whole.frame;
    put(frame, 4, kNoProcess.value, 4);
    check_in(frame);
    EXPECT_EQ(status_of(frame), Status::bad_fields);
  }
}

TEST(MessageFields, APayloadIsOfTheTypesThatHaveOne) {
  const Type bare[] = {Type::request, Type::acknowledgement, Type::grant, Type::probe,
                       Type::answer};
  for (const Type type : bare) {
    expect(type, {"none", {}, 0, Status::ok});
    expect(type, {"a byte", {}, 1, Status::bad_length});
    Frame frame = example(type).frame;
    frame.push_back(std::byte{0});
    EXPECT_EQ(status_of(frame, true), Status::bad_length);
  }
}

// Bytes of the message at 28.
TEST(MessageFields, AnEagerPayloadIsPartOfItsMessage) {
  const Case cases[] = {
      {"some of it", {{28, 8, 1000}}, 10, Status::ok},
      {"all of it", {{28, 8, 10}}, 10, Status::ok},
      {"a byte more than there is", {{28, 8, 9}}, 10, Status::bad_length},
      {"nothing of it", {{28, 8, 1}}, 0, Status::bad_length},
      {"all of an empty one", {{28, 8, 0}}, 0, Status::ok},
      {"a byte of an empty one", {{28, 8, 0}}, 1, Status::bad_length},
      {"some of the longest", {{28, 8, kMost}}, 10, Status::ok},
  };
  for (const Case& each : cases) expect(Type::eager, each);
}

TEST(MessageFields, ARequestHasNoPayloadToCheck) {
  expect(Type::request, {"an empty message", {{28, 8, 0}}, 0, Status::ok});
  expect(Type::request, {"the longest", {{28, 8, kMost}}, 0, Status::ok});
  expect(Type::request, {"a checksum", {{40, 4, 1}}, 0, Status::bad_fields});
}

// Offset at 20, bytes of the virtual fragment at 28, of each fragment at 32, index at 36.
TEST(MessageFields, AFragmentLiesWhereTheGeometrySays) {
  const Case cases[] = {
      {"first", {{36, 1, 0}}, 100, Status::ok},
      {"first, a byte short", {{36, 1, 0}}, 99, Status::bad_length},
      {"first, a byte more", {{36, 1, 0}}, 101, Status::bad_length},
      {"second", {{36, 1, 1}}, 100, Status::ok},
      {"second, as long as the last", {{36, 1, 1}}, 7, Status::bad_length},
      {"last", {{36, 1, 2}}, 7, Status::ok},
      {"last, a byte short", {{36, 1, 2}}, 6, Status::bad_length},
      {"last, empty", {{36, 1, 2}}, 0, Status::bad_length},
      {"last, as long as the others", {{36, 1, 2}}, 100, Status::bad_length},
      {"beyond the last", {{36, 1, 3}}, 7, Status::bad_fields},
      {"beyond the last, empty", {{36, 1, 3}}, 0, Status::bad_fields},
      {"a last one as long as the others", {{28, 4, 300}, {36, 1, 2}}, 100, Status::ok},
      {"an empty one behind it", {{28, 4, 300}, {36, 1, 3}}, 0, Status::bad_fields},
      {"the only one", {{28, 4, 7}, {36, 1, 0}}, 7, Status::ok},
      {"the 64th", {{28, 4, 6400}, {36, 1, 63}}, 100, Status::ok},
      {"one of 65", {{28, 4, 6401}, {36, 1, 0}}, 100, Status::bad_fields},
      {"the 65th", {{28, 4, 6401}, {36, 1, 64}}, 1, Status::bad_fields},
      {"no bytes", {{28, 4, 0}, {36, 1, 0}}, 0, Status::bad_fields},
      {"fragments of no bytes", {{32, 4, 0}, {36, 1, 0}}, 0, Status::bad_fields},
      {"no bytes of nothing", {{28, 4, 0}, {32, 4, 0}, {36, 1, 0}}, 0, Status::bad_fields},
      {"the largest",
       {{28, 4, 0xffffffff}, {32, 4, 0xffffffff}, {36, 1, 1}},
       7,
       Status::bad_fields},
      {"64 times as much is no more than 2^32",
       {{28, 4, 0xffffffff}, {32, 4, 0x03ffffff}},
       7,
       Status::bad_fields},
      {"up to the end", {{20, 8, kMost - 207}}, 7, Status::ok},
      {"a byte beyond the end", {{20, 8, kMost - 206}}, 7, Status::bad_fields},
      {"around the end", {{20, 8, kMost}}, 7, Status::bad_fields},
      {"zero at 37", {{37, 1, 1}}, 7, Status::bad_fields},
      {"zero at 38", {{38, 1, 0x80}}, 7, Status::bad_fields},
      {"zero at 39", {{39, 1, 1}}, 7, Status::bad_fields},
  };
  for (const Type type : {Type::fragment, Type::data}) {
    for (const Case& each : cases) expect(type, each);
  }
}

// Rail at 28, and what the mask is of.
TEST(MessageFields, AnAcknowledgementIsOfOneOfEightRails) {
  const Case cases[] = {
      {"the first rail", {{28, 1, 0}}, 0, Status::ok},
      {"the eighth", {{28, 1, 7}}, 0, Status::ok},
      {"a ninth", {{28, 1, 8}}, 0, Status::bad_fields},
      {"any", {{28, 1, 32}}, 0, Status::bad_fields},
      {"of a virtual fragment", {{28, 1, 128 + 7}}, 0, Status::ok},
      {"and with all before it", {{28, 1, 128 + 64 + 7}}, 0, Status::ok},
      {"and on a ninth rail", {{28, 1, 128 + 64 + 8}}, 0, Status::bad_fields},
      {"all before what is no virtual fragment", {{28, 1, 64 + 7}}, 0, Status::bad_fields},
      {"everything", {{28, 1, 255}}, 0, Status::bad_fields},
  };
  for (const Case& each : cases) expect(Type::acknowledgement, each);
}

TEST(MessageFields, AMaskOfMessagesBeginsAtTheirDistance) {
  const struct {
    std::uint32_t all_before;
    std::uint16_t distance;
    std::uint32_t message;
  } cases[] = {{0, 0, 0}, {5, 0, 5}, {5, 65535, 65540}, {0xffffffff, 1, 0}, {0xffff0001, 65535, 0}};
  for (const auto& [all_before, distance, message] : cases) {
    Frame frame = example(Type::acknowledgement).frame;
    put(frame, 8, all_before, 4);
    put(frame, 12, distance, 2);
    put(frame, 28, 3, 1);
    check_in(frame);
    MessageHeader header;
    ASSERT_EQ(decode_message_header(frame, kConnection, false, header), Status::ok);
    EXPECT_EQ(header.all_before, all_before);
    EXPECT_FALSE(header.of_fragments);
    EXPECT_FALSE(header.before_it);
    EXPECT_EQ(header.rail, 3);
    EXPECT_EQ(header.message, message);
    EXPECT_EQ(header.virtual_fragment, 0u);
  }
}

TEST(MessageFields, AGrantIsFinalOrNot) {
  const Case cases[] = {
      {"not", {{24, 1, 0}}, 0, Status::ok},
      {"final", {{24, 1, 1}}, 0, Status::ok},
      {"something else", {{24, 1, 2}}, 0, Status::bad_fields},
      {"anything else", {{24, 1, 129}}, 0, Status::bad_fields},
      {"zero at 26", {{26, 1, 1}}, 0, Status::bad_fields},
      {"zero at 31", {{31, 1, 1}}, 0, Status::bad_fields},
  };
  for (const Case& each : cases) expect(Type::grant, each);
}

TEST(MessageFields, AProbeHasZerosWhereTheTableSays) {
  const Case cases[] = {
      {"the eighth rail", {{25, 1, 7}}, 0, Status::ok},
      {"a ninth", {{25, 1, 8}}, 0, Status::bad_fields},
      {"zero at 12", {{12, 1, 1}}, 0, Status::bad_fields},
      {"zero at 15", {{15, 1, 1}}, 0, Status::bad_fields},
      {"failed, not left", {{26, 1, 0x20}, {27, 1, 0x10}}, 0, Status::bad_fields},
      {"zero at 29", {{29, 1, 1}}, 0, Status::bad_fields},
      {"zero at 31", {{31, 1, 1}}, 0, Status::bad_fields},
  };
  for (const Type type : {Type::probe, Type::answer}) {
    for (const Case& each : cases) expect(type, each);
  }
  expect(Type::probe, {"all left and failed", {{26, 3, 0xffffff}}, 0, Status::ok});
  expect(Type::answer, {"left, of an answer", {{26, 1, 1}}, 0, Status::bad_fields});
  expect(Type::answer, {"leavings, of an answer", {{28, 1, 1}}, 0, Status::bad_fields});
}

TEST(MessageFields, NothingFollowsTheChecksumInASealsPlace) {
  const Type sealed[] = {Type::acknowledgement, Type::grant, Type::probe, Type::answer};
  for (const Type type : sealed) {
    for (std::size_t at = 36; at < 48; ++at)
      expect(type, {"zero of the seal", {{at, 1, 1}}, 0, Status::bad_checksum});
  }
}

// Where the seal has been verified the fields are looked at all the same.
TEST(MessageFields, ASealDoesNotMakeFieldsRight) {
  const struct {
    Type type;
    Field field;
  } cases[] = {{Type::acknowledgement, {28, 1, 8}},
               {Type::grant, {24, 1, 2}},
               {Type::probe, {25, 1, 8}},
               {Type::answer, {12, 1, 1}}};
  for (const auto& [type, field] : cases) {
    Frame frame = example(type).frame;
    put(frame, field.at, field.value, field.bytes);
    EXPECT_EQ(status_of(frame, true), Status::bad_fields);
  }
}

TEST(MessageFields, NumbersWrapAround) {
  EXPECT_TRUE(is_before(1, 2));
  EXPECT_FALSE(is_before(2, 1));
  EXPECT_FALSE(is_before(5, 5));
  EXPECT_TRUE(is_before(0xffffffff, 0));
  EXPECT_TRUE(is_before(0xfffffff0, 0x7fffffef));
  EXPECT_FALSE(is_before(0, 0xffffffff));
}

}  // namespace
}  // namespace holdfast::reliable
