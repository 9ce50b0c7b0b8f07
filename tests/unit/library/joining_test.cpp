// Everything that may be wrong when a process joins, one clear error each, within its time. The
// launcher is played by hand; a process joins once, so each attempt has a process of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <holdfast/holdfast.h>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "hw/launch/assignment.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/launch/job_places.hpp"
#include "hw/launch/programs.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kProcesses = 2;

class Joining : public ::testing::Test {
 protected:
  struct Said {
    int code = -1;
    std::string message;
    int messages = -1;  // what a look for messages gives after joining
    int requests = -1;  // what all that name no request give then
    bool has(const std::string& text) const { return message.find(text) != std::string::npos; }
  };

  void SetUp() override {
    NodeConfiguration configuration;
    configuration.roster = {.nodes = kProcesses, .per_node = 1};
    configuration.membership.detection.period = milliseconds(50);
    configuration.membership.detection.timeout = milliseconds(200);
    configuration.membership.retransmission_timeout = milliseconds(20);
    ASSERT_TRUE(places_.reserve(kProcesses, JobFabric::udp, text_of(configuration), 1).is_ok());
    std::array<int, 2> sockets{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    ours_ = Descriptor(sockets[0]);
    theirs_ = Descriptor(sockets[1]);
  }

  std::string variable() const {
    return "control=" + std::to_string(theirs_.get()) +
           " table=" + std::to_string(places_.table().descriptor());
  }

  // What the functions that take a request give for none, if it is one answer.
  static int status_of_no_request(holdfast_job* job) {
    holdfast_request none = HOLDFAST_NO_REQUEST;
    const int status = ::holdfast_test(job, &none, nullptr);
    const bool is_one = status == ::holdfast_wait(job, &none, -1, nullptr) &&
                        status == ::holdfast_cancel(job, none);
    return is_one ? status : -1;
  }

  // Joins in a child, with the launcher's variable as given, while `launcher` plays along here.
  Said join(
      const char* launcher_variable, std::int32_t timeout_ms,
      const std::function<void()>& launcher = [] {}) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ours_.close();
      if (launcher_variable == nullptr) {
        ::unsetenv(kLauncherVariable);
      } else {
        ::setenv(kLauncherVariable, launcher_variable, 1);
      }
      holdfast_job* job = nullptr;
      const int code = ::holdfast_join(timeout_ms, &job);
      const std::string sentence = ::holdfast_error();
      const holdfast_pattern any{HOLDFAST_ANY_SOURCE, 0, 0, 0};
      const int messages = job == nullptr ? -1 : ::holdfast_probe(job, &any, 0, nullptr);
      const int requests = job == nullptr ? -1 : status_of_no_request(job);
      const std::string answer = std::to_string(code) + " " + std::to_string(messages) + " " +
                                 std::to_string(requests) + " " + sentence;
      [[maybe_unused]] const ssize_t written = ::write(pipe[1], answer.data(), answer.size());
      ::_exit(0);
    }
    ::close(pipe[1]);
    theirs_.close();
    launcher();
    std::array<char, 1024> answer{};
    const ssize_t got = ::read(pipe[0], answer.data(), answer.size() - 1);
    EXPECT_GT(got, 0);
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    Said said;
    int sentence = 0;
    EXPECT_EQ(std::sscanf(answer.data(), "%d %d %d %n", &said.code, &said.messages, &said.requests,
                          &sentence),
              3);
    said.message = answer.data() + sentence;
    return said;
  }
  Said join(
      const std::function<void()>& launcher = [] {}, std::int32_t timeout_ms = 5000) {
    return join(variable().c_str(), timeout_ms, launcher);
  }

  // An assignment as the launcher sends it, for tampering.
  std::vector<std::byte> assignment_bytes(std::uint32_t boot = 0) {
    std::array<int, 2> sockets{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    const Descriptor in(sockets[0]), out(sockets[1]);
    EXPECT_TRUE(send_assignment(in.get(), places_.assignment({0}, boot)).is_ok());
    std::vector<std::byte> bytes(64 * 1024);
    const ssize_t got = ::recv(out.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
  }
  void say(std::span<const std::byte> bytes) {
    EXPECT_TRUE(send_bytes(ours_.get(), bytes).is_ok());
  }
  void start() {
    std::array<std::byte, 8> start_at{};  // long ago: at once
    say(start_at);
  }

  JobPlaces places_;
  Descriptor ours_, theirs_;
};

TEST_F(Joining, WithoutALauncherSaysHowToStart) {
  const Said said = join(nullptr, 5000);
  EXPECT_EQ(said.code, HOLDFAST_NOT_LAUNCHED);
  EXPECT_TRUE(said.has("holdfast launch -n 4 -- PROGRAM")) << said.message;
}

TEST_F(Joining, WithASpoiltVariableNamesIt) {
  for (const char* spoilt : {"", "control=3", "control=3 table=x", "control=3 table=5 more"}) {
    const Said said = join(spoilt, 5000);
    EXPECT_EQ(said.code, HOLDFAST_BAD_ASSIGNMENT) << spoilt;
    EXPECT_TRUE(said.has("HOLDFAST_LAUNCHER")) << said.message;
  }
}

TEST_F(Joining, WithClosedDescriptorsSaysWhoMayHaveClosedThem) {
  const Said said = join("control=1000 table=1001", 5000);
  EXPECT_EQ(said.code, HOLDFAST_NOT_LAUNCHED);
  EXPECT_TRUE(said.has("has closed them")) << said.message;
}

TEST_F(Joining, ASpoiltAssignmentIsRefused) {
  const std::vector<std::byte> good = assignment_bytes();
  for (const std::size_t at : {std::size_t{0}, std::size_t{11}, good.size() - 1}) {
    SetUp();
    std::vector<std::byte> spoilt = good;
    spoilt[at] ^= std::byte{0x7f};
    const Said said = join([&] { say(spoilt); });
    EXPECT_EQ(said.code, HOLDFAST_BAD_ASSIGNMENT) << at << ": " << said.message;
    EXPECT_FALSE(said.message.empty());
  }
}

TEST_F(Joining, AProcessHasOneRailToEight) {
  for (const std::size_t rails : {std::size_t{0}, std::size_t{9}}) {
    SetUp();
    Assignment assignment = places_.assignment({0}, 0);
    assignment.addresses.resize(rails, assignment.addresses.front());
    const Said said = join([&] { EXPECT_TRUE(send_assignment(ours_.get(), assignment).is_ok()); });
    EXPECT_EQ(said.code, HOLDFAST_BAD_ASSIGNMENT) << rails << ": " << said.message;
  }
}

TEST_F(Joining, AProcessHasAtMostEightRailsForMessages) {
  Assignment assignment = places_.assignment({0}, 0);
  assignment.message_addresses.resize(9, assignment.addresses.front());
  const Said said = join([&] { EXPECT_TRUE(send_assignment(ours_.get(), assignment).is_ok()); });
  EXPECT_EQ(said.code, HOLDFAST_BAD_ASSIGNMENT) << said.message;
}

TEST_F(Joining, ATimeThatIsNoneIsNamed) {
  ::setenv("HOLDFAST_UNREACHABLE", "soon", 1);
  const Said said = join([&] { say(assignment_bytes()); });
  ::unsetenv("HOLDFAST_UNREACHABLE");
  EXPECT_EQ(said.code, HOLDFAST_BAD_ASSIGNMENT);
  EXPECT_TRUE(said.has("HOLDFAST_UNREACHABLE is \"soon\"")) << said.message;
}

TEST_F(Joining, AnAssignmentThatIsCutShortIsWaitedForAndNoLonger) {
  const std::vector<std::byte> good = assignment_bytes();
  const Said said = join([&] { say(std::span(good).first(good.size() / 2)); }, 200);
  EXPECT_EQ(said.code, HOLDFAST_TIMED_OUT) << said.message;
}

TEST_F(Joining, WithoutALauncherThatAnswersItGivesUp) {
  EXPECT_EQ(join([] {}, 100).code, HOLDFAST_TIMED_OUT);
  SetUp();
  EXPECT_EQ(join([&] { ours_.close(); }).code, HOLDFAST_ABANDONED);
}

TEST_F(Joining, AJobOfAnotherWireVersionIsRefusedWithBothNamed) {
  std::vector<std::byte> other = assignment_bytes();
  other[6] = std::byte{kFrameVersion + 1};
  const Said said = join([&] { say(other); });
  EXPECT_EQ(said.code, HOLDFAST_WRONG_VERSION);
  EXPECT_TRUE(said.has("this build speaks wire version " + std::to_string(kFrameVersion) +
                       ", the job speaks " + std::to_string(kFrameVersion + 1)))
      << said.message;
}

// 4 was the last one without addresses for messages.
TEST_F(Joining, ALauncherOfAnotherVersionIsRefusedWithBothNamed) {
  const std::vector<std::byte> good = assignment_bytes();
  for (const int version : {4, kHandOverVersion + 4}) {
    SetUp();
    std::vector<std::byte> other = good;
    other[4] = static_cast<std::byte>(version);
    const Said said = join([&] { say(other); });
    EXPECT_EQ(said.code, HOLDFAST_WRONG_VERSION);
    EXPECT_TRUE(said.has("takes version " + std::to_string(kHandOverVersion)) &&
                said.has("gives version " + std::to_string(version)))
        << said.message;
  }
}

// Into a running job, in which another build answers: its frames come through a real socket.
TEST_F(Joining, FramesOfAnotherWireVersionAreNamedIfNobodyElseAnswers) {
  const std::vector<Address> addresses = places_.assignment({1}, 0).addresses.front();
  const UdpEndpoint local = to_udp_endpoint(addresses[1]).value();
  std::unique_ptr<UdpFabric> other;
  ASSERT_TRUE(UdpFabric::open({.local = local, .share_port = true}, other).is_ok());
  const Peer peer = other->attach(addresses[0], Service::datagram);
  const auto answer = [&] {
    say(assignment_bytes(1));
    start();
    std::array<std::byte, kFrameBytesMin> frame{};
    Header header;
    header.sender = {1};
    encode_header(header, frame.size(), frame.data());
    frame[header_at::kVersion] = std::byte{kFrameVersion + 1};
    Operation operation;
    operation.peer = peer;
    operation.inline_data = true;
    operation.data = frame.data();
    operation.size = static_cast<std::uint32_t>(frame.size());
    for (int i = 0; i < 20; ++i) {
      (void)other->post({&operation, 1});
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  const Said said = join(answer);
  EXPECT_EQ(said.code, HOLDFAST_WRONG_VERSION);
  EXPECT_TRUE(said.has("the job speaks " + std::to_string(kFrameVersion + 1))) << said.message;
}

// This assignment has no rails for messages.
TEST_F(Joining, AJobWithoutMessagesIsJoinedAndSaysSo) {
  const Said said = join([&] {
    say(assignment_bytes(1));
    start();
  });
  EXPECT_EQ(said.code, HOLDFAST_OK) << said.message;
  EXPECT_EQ(said.messages, HOLDFAST_NO_MESSAGES);
  EXPECT_EQ(said.requests, HOLDFAST_NO_MESSAGES) << "none can have begun";
}

TEST_F(Joining, AJobWithMessagesIsJoinedAndSaysSo) {
  ASSERT_TRUE(places_.reserve_messages().is_ok());
  const Said said = join([&] {
    say(assignment_bytes(1));
    start();
  });
  EXPECT_EQ(said.code, HOLDFAST_OK) << said.message;
  EXPECT_EQ(said.messages, HOLDFAST_TIMED_OUT);
  EXPECT_EQ(said.requests, HOLDFAST_INVALID);
}

// Without such frames it is alone, which is no error: the others may all be dead.
TEST_F(Joining, AJobInWhichNobodyAnswersIsJoined) {
  const Said said = join([&] {
    say(assignment_bytes(1));
    start();
  });
  EXPECT_EQ(said.code, HOLDFAST_OK) << said.message;
}

TEST_F(Joining, WrongArgumentsAreNamed) {
  EXPECT_EQ(join(variable().c_str(), -5).code, HOLDFAST_INVALID);
  EXPECT_EQ(::holdfast_join(1, nullptr), HOLDFAST_INVALID);
  EXPECT_NE(std::string(::holdfast_error()).find("job is NULL"), std::string::npos);
  holdfast_verdict verdict;
  EXPECT_EQ(::holdfast_next_verdict(nullptr, 0, &verdict), HOLDFAST_INVALID);
  EXPECT_EQ(::holdfast_view(nullptr, nullptr, 0, nullptr), HOLDFAST_INVALID);
  EXPECT_EQ(::holdfast_find_member(nullptr, 0, nullptr), HOLDFAST_INVALID);
  EXPECT_EQ(::holdfast_leave(nullptr, 0), HOLDFAST_INVALID);
  EXPECT_EQ(::holdfast_verdict_fd(nullptr), -1);
  EXPECT_STREQ(::holdfast_state_name(HOLDFAST_COMMITTED), "committed");
  EXPECT_STREQ(::holdfast_state_name(6), "unknown");
  EXPECT_STREQ(::holdfast_version(), HOLDFAST_VERSION);
}

}  // namespace
}  // namespace holdfast::hw
