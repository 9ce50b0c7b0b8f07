// The directory of a job on shared memory, and what is done about those of killed launchers.
#include "hw/launch/shared_directory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "hw/watch/process_identity.hpp"

namespace holdfast::hw {
namespace {

std::string name_for(const ProcessIdentity& owner, const std::string& number) {
  return "/dev/shm/holdfast-" + std::to_string(::geteuid()) + "-" + std::to_string(owner.pid) +
         "-" + std::to_string(owner.start_ticks) + "-" + number;
}

// As a launcher that is killed leaves it.
std::string left_behind(const ProcessIdentity& owner, const std::string& number) {
  const std::string path = name_for(owner, number);
  std::filesystem::create_directory(path);
  std::ofstream(path + "/process-0") << "a segment";
  return path;
}

TEST(SharedDirectory, IsItsOwnersOnlyAndGoneWithIt) {
  std::string path;
  {
    SharedDirectory directory, another;
    ASSERT_TRUE(directory.make().is_ok());
    ASSERT_TRUE(another.make().is_ok());
    path = directory.path();
    EXPECT_NE(path, another.path());
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    std::ofstream(path + "/process-0") << "a segment";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SharedDirectory, ThoseOfLaunchersThatWereKilledAreRemovedAndNoOthers) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const ProcessIdentity launcher = *identify(child);
  const std::string of_the_living = left_behind(launcher, "1");
  const std::string of_the_dead = left_behind({launcher.pid, launcher.start_ticks + 1}, "1");
  const std::string foreign = "/dev/shm/holdfast-test-" + std::to_string(::getpid());
  std::filesystem::create_directory(foreign);
  {
    SharedDirectory directory;
    ASSERT_TRUE(directory.make().is_ok());
  }
  EXPECT_TRUE(std::filesystem::exists(of_the_living));
  EXPECT_FALSE(std::filesystem::exists(of_the_dead));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  {
    SharedDirectory directory;
    ASSERT_TRUE(directory.make().is_ok());
  }
  EXPECT_FALSE(std::filesystem::exists(of_the_living));
  EXPECT_TRUE(std::filesystem::remove(foreign)) << "not every holdfast-… is a launcher's";
}

}  // namespace
}  // namespace holdfast::hw
