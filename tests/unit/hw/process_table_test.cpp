// The table of processes: what the launcher writes its processes read, and a file that is too short
// is refused instead of ending whoever looks behind its end.
#include "hw/launch/process_table.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace holdfast::hw {
namespace {

TEST(ProcessTable, WhatIsWrittenIsRead) {
  ProcessTable written, read;
  ASSERT_TRUE(written.create(3).is_ok());
  ASSERT_TRUE(read.map(::dup(written.descriptor()), 3).is_ok());
  EXPECT_FALSE(read.get({1}));
  written.set({1}, {4'194'303, 123'456'789'012});
  EXPECT_EQ(read.get({1}), (ProcessIdentity{4'194'303, 123'456'789'012}));
  EXPECT_FALSE(read.get({2}));
}

TEST(ProcessTable, AFileThatIsTooShortIsRefused) {
  const int memory = ::memfd_create("short", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(memory, 4096), 0);
  ProcessTable table;
  const Status status = table.map(memory, 513);
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("too short for a job of 513"), std::string::npos);
  EXPECT_FALSE(ProcessTable().map(-1, 1).is_ok());
}

}  // namespace
}  // namespace holdfast::hw
