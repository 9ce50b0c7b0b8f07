// Sockets with names: found while somebody listens, cleared away when nobody does.
#include "hw/status/status_places.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast::hw {
namespace {

class Places : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/holdfast-places-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void touch(const std::string& name) { std::ofstream(folder + "/" + name) << "x"; }

  std::string folder;
};

TEST_F(Places, AreFoundInOrderAndOnlyTheUserCanConnect) {
  Descriptor second, first;
  ASSERT_TRUE(listen_at(place_of(folder, 0xff, {10}), second).is_ok());
  ASSERT_TRUE(listen_at(place_of(folder, 0xff, {2}), first).is_ok());
  for (const char* other : {"job-000000ff.process-3.sock.123", "job-ff.process-3.sock",
                            "job-000000ff.process-.sock", "job-000000FF.process-1.sock", "else"}) {
    touch(other);
  }
  const auto places = status_places(folder);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].job, 0xffu);
  EXPECT_EQ(places[0].process.value, 2u);
  EXPECT_EQ(places[1].process.value, 10u);
  struct stat found {};
  ASSERT_EQ(::stat(places[0].path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(Places, OfTheDeadAreClearedAwayAndThoseOfTheLivingStay) {
  Descriptor alive;
  ASSERT_TRUE(listen_at(place_of(folder, 1, {0}), alive).is_ok());
  {
    Descriptor dead;
    ASSERT_TRUE(listen_at(place_of(folder, 1, {1}), dead).is_ok());
  }
  ASSERT_EQ(status_places(folder).size(), 2u);
  remove_dead_places(folder);
  ASSERT_EQ(status_places(folder).size(), 1u);
  EXPECT_EQ(status_places(folder)[0].process.value, 0u);
  bool gone = true;
  EXPECT_TRUE(connect_to(place_of(folder, 1, {0}), gone).is_open());
  EXPECT_FALSE(gone);
  EXPECT_FALSE(connect_to(place_of(folder, 1, {1}), gone).is_open());
  EXPECT_TRUE(gone);
}

// The next life of a process listens where the one that was killed did.
TEST_F(Places, GiveWayToTheNextLife) {
  Descriptor before, after;
  ASSERT_TRUE(listen_at(place_of(folder, 1, {0}), before).is_ok());
  before.close();
  ASSERT_TRUE(listen_at(place_of(folder, 1, {0}), after).is_ok());
  bool gone = true;
  EXPECT_TRUE(connect_to(place_of(folder, 1, {0}), gone).is_open());
}

TEST_F(Places, AFolderOfOthersIsRefused) {
  EXPECT_TRUE(check_status_folder(folder).is_ok());
  EXPECT_TRUE(check_status_folder(folder + "/not-yet").is_ok());
  ASSERT_TRUE(make_status_folder(folder + "/new").is_ok());
  struct stat found {};
  ASSERT_EQ(::stat((folder + "/new").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  ASSERT_EQ(::chmod(folder.c_str(), 0750), 0);
  EXPECT_NE(check_status_folder(folder).message().find("chmod 700"), std::string::npos);
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  touch("file");
  EXPECT_FALSE(make_status_folder(folder + "/file").is_ok());
  // A link could lead into somebody else's folder.
  std::filesystem::create_directory_symlink(folder + "/new", folder + "/link");
  EXPECT_FALSE(make_status_folder(folder + "/link").is_ok());
}

TEST_F(Places, ATooLongPathIsSaid) {
  Descriptor listening;
  const Status status = listen_at(place_of(std::string(200, 'a'), 1, {0}), listening);
  EXPECT_NE(status.message().find(kRuntimeVariable), std::string::npos) << status.message();
}

TEST(MetricsPlace, IsALoopbackAddressAndAPortForEachProcess) {
  LoopbackPort place;
  ASSERT_TRUE(parse_metrics_place("127.0.0.1:9100", {7}, place).is_ok());
  EXPECT_EQ(place.port, 9107);
  EXPECT_EQ(place.name.ss_family, AF_INET);
  ASSERT_TRUE(parse_metrics_place("[::1]:65535", {0}, place).is_ok());
  EXPECT_EQ(place.name.ss_family, AF_INET6);
  for (const char* wrong : {"", "9100", ":9100", "0.0.0.0:9100", "10.0.0.1:9100", "[::]:9100",
                            "::1:9100", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
                            "127.0.0.1:91x", "localhost:9100", "127.0.0.1:-1"}) {
    EXPECT_FALSE(parse_metrics_place(wrong, {0}, place).is_ok()) << wrong;
  }
  EXPECT_NE(parse_metrics_place("127.0.0.1:65530", {6}, place).message().find("no port left"),
            std::string::npos);
}

}  // namespace
}  // namespace holdfast::hw
