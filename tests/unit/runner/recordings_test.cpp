// Folders of recordings: who is in the way of a new run, and what a resumed replicate takes away.
#include "experiments/runner/recordings.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/runner/temporary_folder.hpp"

namespace holdfast::runner {
namespace {

namespace fs = std::filesystem;

TEST(Recordings, AFolderOfAnyReplicateThatIsNotEmptyIsFound) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(found_recordings(folder.path()), "");
  EXPECT_EQ(found_recordings(folder.file("absent")), "");
  fs::create_directories(folder.file("0-0"));
  fs::create_directories(folder.file("notes"));
  std::ofstream(folder.file("notes/1")) << "mine";
  std::ofstream(folder.file("README")) << "mine";
  EXPECT_EQ(found_recordings(folder.path()), "") << "what is no replicate's is in nobody's way";
  fs::create_directories(folder.file("3-17"));
  std::ofstream(folder.file("3-17/process-0.boot-0.csv")) << "at";
  EXPECT_EQ(found_recordings(folder.path()), recordings_of(folder.path(), {3, 17}));
}

TEST(Recordings, AReplicateThatBeginsAgainLeavesNothingOfTheAttemptBefore) {
  const test::TemporaryFolder folder;
  const std::string place = recordings_of(folder.path(), {0, 1});
  ASSERT_TRUE(begin_recordings(folder.path(), "this", {0, 1}).is_ok());
  for (const char* name : {"process-0.boot-0.recording", "process-0.boot-0.csv",
                           "process-0.boot-1.recording", "process-9.boot-0.csv", "notes.txt"})
    std::ofstream(place + "/" + name) << "before";
  ASSERT_TRUE(begin_recordings(folder.path(), "this", {0, 1}).is_ok());
  EXPECT_EQ(test::content_of(place + "/notes.txt"), "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(place), {}), 1);
}

TEST(Recordings, NothingIsTakenFromAnotherRun) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(are_of(folder.path(), "this")) << "there are none";
  ASSERT_TRUE(begin_recordings(folder.path(), "this", {0, 0}).is_ok());
  const std::string recording = folder.file("0-0/process-0.boot-0.recording");
  std::ofstream(recording) << "precious";
  EXPECT_EQ(run_of(folder.path()), "this");
  EXPECT_TRUE(are_of(folder.path(), "this"));
  for (const char* run : {"another", ""}) {
    EXPECT_FALSE(are_of(folder.path(), run));
    for (const Job job : {Job{0, 0}, Job{0, 1}}) {
      const Status status = begin_recordings(folder.path(), run, job);
      EXPECT_NE(status.message().find("0-0 is of another run"), std::string::npos)
          << status.message();
    }
  }
  EXPECT_EQ(test::content_of(recording), "precious");
  EXPECT_FALSE(fs::exists(folder.file("0-1")));
  fs::remove(folder.file(kRunFile));
  EXPECT_FALSE(are_of(folder.path(), "this")) << "nobody's are not this run's";
  fs::remove(recording);
  EXPECT_TRUE(begin_recordings(folder.path(), "another", {0, 0}).is_ok());
  EXPECT_EQ(run_of(folder.path()), "another");
}

TEST(Recordings, AllOfAFolderAreFoundInTheOrderOfTheirNumbers) {
  const test::TemporaryFolder folder;
  for (const Job job : {Job{10, 0}, Job{2, 11}, Job{2, 9}})
    ASSERT_TRUE(begin_recordings(folder.path(), "this", job).is_ok());
  for (const char* name : {"10-0/process-0.boot-0", "2-9/process-10.boot-0", "2-9/process-9.boot-1",
                           "2-9/process-9.boot-0", "2-11/process-0.boot-0"}) {
    std::ofstream(folder.file(name) + std::string(".recording")) << "recorded";
    std::ofstream(folder.file(name) + std::string(".csv")) << "said";
  }
  std::vector<std::string> found;
  ASSERT_TRUE(find_recordings(folder.path(), found).is_ok());
  EXPECT_EQ(found, (std::vector<std::string>{
                       "2-9/process-9.boot-0.recording", "2-9/process-9.boot-1.recording",
                       "2-9/process-10.boot-0.recording", "2-11/process-0.boot-0.recording",
                       "10-0/process-0.boot-0.recording"}));
  found.clear();
  ASSERT_TRUE(find_recordings(recordings_of(folder.path(), {2, 9}), found).is_ok());
  EXPECT_EQ(found.size(), 3u);
}

TEST(Recordings, AFolderWithoutOneIsNamed) {
  const test::TemporaryFolder folder;
  std::vector<std::string> found;
  for (const std::string& place : {folder.path(), folder.file("absent")}) {
    const Status status = find_recordings(place, found);
    EXPECT_FALSE(status.is_ok());
    EXPECT_EQ(status.message().find(place), 0u) << status.message();
  }
}

TEST(Recordings, AFolderThatCannotBeMadeIsNamed) {
  const Status status = begin_recordings("/proc/holdfast", "this", {0, 0});
  EXPECT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("/proc/holdfast/0-0: cannot make"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::runner
