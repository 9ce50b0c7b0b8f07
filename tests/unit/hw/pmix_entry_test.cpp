// What a process puts into PMIx is what the others read there; what is none of the job's changes
// nothing.
#include "hw/launch/pmix_entry.hpp"

#include <gtest/gtest.h>

#include "hw/udp/udp_address.hpp"
#include "stack/several_rails.hpp"

namespace holdfast::hw {
namespace {

Introduction introduction_of(std::uint16_t rank) {
  Introduction made;
  for (const int rail : {0, 100}) {
    const auto port = static_cast<std::uint16_t>(7000 + rail + rank);
    made.self.addresses.push_back(to_address(UdpEndpoint{kLoopback, port}));
    const auto messages = static_cast<std::uint16_t>(8000 + rail + rank);
    made.messages.push_back(to_address(UdpEndpoint{kLoopback, messages}));
  }
  made.self.process = {1000 + rank, 99};
  made.processes = 2;
  return made;
}

TEST(PmixEntry, SaysWhereFramesAndMessagesArrive) {
  MetJob given, met;
  given.number = 77;
  given.key.bytes[3] = std::byte{5};
  for (std::uint16_t rank = 0; rank < 2; ++rank) {
    const auto entry = encode_pmix_entry(introduction_of(rank), rank == 0 ? given : MetJob{});
    ASSERT_TRUE(read_pmix_entry(entry, rank, introduction_of(1), met).is_ok());
    EXPECT_EQ(met.members.back(), introduction_of(rank).self);
    EXPECT_EQ(met.messages.back(), introduction_of(rank).messages);
  }
  EXPECT_EQ(met.members.size(), 2u);
  EXPECT_EQ(met.messages.size(), 2u);
  EXPECT_EQ(met.number, 77u);
  EXPECT_EQ(met.key.bytes, given.key.bytes);
}

TEST(PmixEntry, OfAnotherBuildIsRefusedAndASpoiltOneIsNone) {
  MetJob met;
  auto entry = encode_pmix_entry(introduction_of(0), {});
  const auto read = [&] { return read_pmix_entry(entry, 0, introduction_of(1), met); };
  entry.pop_back();
  EXPECT_EQ(read().fault, MeetingFault::failed);
  entry = encode_pmix_entry(introduction_of(0), {});
  entry[4] = std::byte{3};  // as it was when each had one rail
  EXPECT_EQ(read().fault, MeetingFault::refused);
  EXPECT_NE(read().message.find("process 0 is of another build"), std::string::npos);
  Introduction larger = introduction_of(0);
  larger.processes = 3;
  entry = encode_pmix_entry(larger, {});
  EXPECT_EQ(read().fault, MeetingFault::refused);
  EXPECT_TRUE(met.members.empty() && met.messages.empty());
}

TEST(PmixEntry, OfAnotherNumberOfRailsIsRefusedByName) {
  MetJob met;
  const auto read = [&](const Introduction& theirs) {
    return read_pmix_entry(encode_pmix_entry(theirs, {}), 0, introduction_of(1), met);
  };
  Introduction theirs = introduction_of(0);
  theirs.self.addresses.pop_back();
  theirs.messages.pop_back();
  EXPECT_EQ(read(theirs).fault, MeetingFault::refused);
  EXPECT_EQ(read(theirs).message,
            "process 0 has 1 rail and this process has 2; every process of a job brings an address "
            "for each of its rails");
  theirs = introduction_of(0);
  theirs.messages.clear();
  EXPECT_EQ(read(theirs).fault, MeetingFault::failed);
  for (const std::size_t rails : {std::size_t{0}, SeveralRails::kRailsMax + 1}) {
    theirs = introduction_of(0);
    theirs.self.addresses.resize(rails, theirs.messages[0]);
    EXPECT_EQ(read(theirs).fault, MeetingFault::failed);
  }
  theirs = introduction_of(0);
  theirs.messages.resize(9, theirs.messages[0]);
  EXPECT_EQ(read(theirs).fault, MeetingFault::failed);
  EXPECT_TRUE(met.members.empty() && met.messages.empty());
}

}  // namespace
}  // namespace holdfast::hw
