// Who is asked may end before it answers: that is told from who is there and does not answer.
#include "hw/status/ask_processes.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace holdfast::hw {
namespace {

constexpr Duration kLong = seconds(30);  // so long that a test which waits for it has failed

class AskProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/holdfast-ask-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
    ASSERT_TRUE(listen_at(place_of(folder, 1, {0}), listening).is_ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  Answer::Kind ask() {
    const auto answers = ask_processes(status_places(folder), kLong);
    EXPECT_EQ(answers.size(), 1u);
    return answers.empty() ? Answer::Kind::odd : answers[0].kind;
  }
  void await_question() const {
    pollfd waiting{listening.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, static_cast<int>(kLong / milliseconds(1))), 1);
  }

  std::string folder;
  Descriptor listening;
};

TEST_F(AskProcesses, WhoEndsWithTheQuestionBeforeItIsGone) {
  std::thread process([&] {
    await_question();
    listening.close();  // as exit does, with the question in its backlog
  });
  EXPECT_EQ(ask(), Answer::Kind::gone);
  process.join();
  EXPECT_TRUE(status_places(folder).empty());
}

TEST_F(AskProcesses, WhoHangsUpAndGoesOnListeningIsThere) {
  std::thread process([&] {
    await_question();
    Descriptor(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC)).close();
  });
  EXPECT_EQ(ask(), Answer::Kind::silent);
  process.join();
  EXPECT_EQ(status_places(folder).size(), 1u);
}

}  // namespace
}  // namespace holdfast::hw
