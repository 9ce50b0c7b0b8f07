// A running engine is asked by good readers, slow ones, many, and hostile ones; it goes on turning
// whatever they do, and a good reader is answered among them.
#include "hw/status/status_server.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hw/launch/engine_program.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/run/process_loop.hpp"
#include "hw/status/ask_processes.hpp"
#include "hw/status/shown_process.hpp"
#include "hw/status/status_places.hpp"
#include "hw/status/take_status.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kJob = 0xabc;
const std::string kQuestion = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr Duration kLong = seconds(30);  // so long that a test which waits for it has failed

class Nowhere final : public AddressBook {
 public:
  Address address(std::size_t, ProcessId) const override {
    return to_address(UdpEndpoint{kLoopback, 9});
  }
};

class NoLog final : public BeliefLog {
  void write(Time, std::span<const Membership::Change>) override {}
};

// What comes until the other end closes, or nothing more in so long.
std::string whole_answer(int socket) {
  std::string text;
  std::array<char, 4096> part;
  pollfd waiting{socket, POLLIN, 0};
  while (::poll(&waiting, 1, static_cast<int>(kLong / milliseconds(1))) > 0) {
    const ssize_t got = ::recv(socket, part.data(), part.size(), 0);
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ADD_FAILURE() << "the connection stays open";
  return text;
}

// Process 0 of two, of which the other is never heard; on a thread, until the lifeline is cut.
class RunningProcess {
 public:
  RunningProcess() {
    EXPECT_TRUE(UdpFabric::open({}, udp).is_ok());
    counted = std::make_unique<CountingFabric>(*udp);
    shown = std::make_unique<ShownProcess>(kJob, ProcessId{0}, 2, std::vector{counted.get()});
  }
  void run() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline.data()), 0);
    NodeConfiguration configuration;
    configuration.roster = {.nodes = 2, .per_node = 1};
    configuration.membership.detection.period = milliseconds(5);
    configuration.membership.detection.timeout = milliseconds(50);
    text = text_of(configuration);
    rails = {counted.get()};
    const NodeStart start{text, {0}, 2, 0, 1, kJob, {}, rails, addresses};
    EXPECT_TRUE(make_engine_program(start, program).is_ok());
    thread = std::thread([this] {
      LoopOptions options;
      options.lifeline = lifeline[0];
      options.watcher = &shown->watcher();
      NoLog log;
      LoopEnd end;
      EXPECT_TRUE(run_process(program->engine(), rails, log, options, end).is_ok());
    });
  }
  ~RunningProcess() {
    if (!thread.joinable()) return;
    ::close(lifeline[1]);
    thread.join();
    ::close(lifeline[0]);
  }

  std::unique_ptr<UdpFabric> udp;
  std::unique_ptr<CountingFabric> counted;
  std::unique_ptr<ShownProcess> shown;
  Nowhere addresses;
  std::string text;
  std::array<Fabric*, 1> rails{};
  std::unique_ptr<NodeProgram> program;
  std::array<int, 2> lifeline{-1, -1};
  std::thread thread;
};

class Server : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/holdfast-server-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
    ::setenv(kRuntimeVariable, name, 1);
    ::unsetenv(kMetricsVariable);
  }
  void TearDown() override {
    process.reset();
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "the socket has not been removed";
    std::filesystem::remove_all(folder);
  }
  void open(bool running = true, const ShowMessageRails& messages = {}) {
    process = std::make_unique<RunningProcess>();
    const Status status = process->shown->open(-1, messages);
    ASSERT_TRUE(status.is_ok()) << status.message();
    ASSERT_EQ(process->shown->warning(), "");
    if (running) process->run();
  }
  // Waits while as many are connected as the kernel lets wait.
  Descriptor connect() {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string path = place_of(folder, kJob, {0}).path;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    return socket;
  }
  std::string ask(const std::string& bytes) {
    const Descriptor socket = connect();
    EXPECT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return whole_answer(socket.get());
  }
  ProcessStatus look() {
    const auto answers = ask_processes(status_places(folder), kLong);
    EXPECT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].kind, Answer::Kind::shown) << answers[0].complaint;
    return answers[0].status;
  }
  void expect_good_answer() {
    const std::string page = ask(kQuestion);
    EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n")) << page;
    EXPECT_NE(page.find("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
              std::string::npos);
    EXPECT_NE(page.find("\nholdfast_processes{job_id=\"00000abc\",process=\"0\"} 2\n"),
              std::string::npos)
        << page;
  }

  std::string folder;
  std::unique_ptr<RunningProcess> process;
};

TEST_F(Server, ShowsWhatTheEngineDoes) {
  open();
  expect_good_answer();
  ProcessStatus status = look();
  const std::uint64_t turns = status.turns;
  const Time until = monotonic_now() + kLong;
  while (status.beliefs.empty() && monotonic_now() < until) status = look();
  ASSERT_EQ(status.beliefs.size(), 1u);
  EXPECT_EQ(status.beliefs[0].record.state, MemberState::failed);
  EXPECT_EQ(status.verdicts.own, 1u);
  EXPECT_GT(status.turns, turns);
  EXPECT_EQ(status.rails.size(), 1u);
  EXPECT_GT(status.rails[0].frames_sent, 0u);
  EXPECT_EQ(status.rails[0].bytes_sent % 16, 0u);
  EXPECT_EQ(status.rails[0].address, text_of_address(process->udp->local_address()));
  EXPECT_EQ(status.pid, ::getpid());
  EXPECT_LE(status.control_cpu, status.cpu);
}

TEST_F(Server, ShowsMessagesAsTheyAreAtEachLook) {
  std::atomic<std::uint64_t> looks{0};
  open(true, [&](std::vector<MessageRailStatus>& rails) {
    rails.assign(1, MessageRailStatus{});
    rails[0].fragments_given_up = ++looks;
  });
  for (std::uint64_t seen = 0; seen < 3;) {
    const ProcessStatus status = look();
    ASSERT_EQ(status.message_rails.size(), 1u);
    EXPECT_GE(status.message_rails[0].fragments_given_up, seen);
    seen = status.message_rails[0].fragments_given_up;
    EXPECT_LE(seen, looks.load());
    std::this_thread::sleep_for(
        std::chrono::milliseconds(25));  // what is known stays fresh so long
  }
}

TEST_F(Server, AnswersWithTheCodeOfWhatIsWrong) {
  open();
  for (const auto& [question, code] : std::vector<std::pair<std::string, std::string>>{
           {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found"},
           {"POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed"},
           {"GET /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"},
           {"GET /metrics HTTP/3.0\r\n\r\n", "505 HTTP Version Not Supported"},
           {"GET /" + std::string(3 * kHttpHeadBytesMax, 'a'), "414 URI Too Long"},
           {std::string("\x16\x03\x01"), "400 Bad Request"}}) {
    EXPECT_TRUE(ask(question).starts_with("HTTP/1.1 " + code + "\r\n")) << question.substr(0, 80);
  }
  const std::string head = ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << "a body";
}

TEST_F(Server, AHundredAtATimeAreAnswered) {
  open();
  std::atomic<int> answered{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 100; ++i) {
    readers.emplace_back([&] { answered += ask(kQuestion).starts_with("HTTP/1.1 200 OK\r\n"); });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(answered, 100);
}

// Those who say nothing, half a question, or do not read, hold all the places until their time is
// up. The engine turns on, and the next good reader is answered.
TEST_F(Server, WhoHoldsAPlaceLosesIt) {
  open();
  const std::uint64_t turns = look().turns;
  std::vector<Descriptor> idle;
  for (std::size_t i = 0; i < StatusServer::kReadersMax; ++i) {
    idle.push_back(connect());
    if (i % 2 == 0) {
      EXPECT_EQ(::send(idle.back().get(), "GET /met", 8, MSG_NOSIGNAL), 8);
    }
  }
  expect_good_answer();
  EXPECT_GT(look().turns, turns + 50);
  for (std::size_t i = 0; i < idle.size(); ++i) {
    EXPECT_EQ(whole_answer(idle[i].get()).starts_with("HTTP/1.1 408 Request Timeout\r\n"),
              i % 2 == 0);
  }
}

TEST_F(Server, AByteAtATimeIsEnough) {
  open();
  const Descriptor socket = connect();
  for (const char byte : kQuestion) {
    ASSERT_EQ(::send(socket.get(), &byte, 1, MSG_NOSIGNAL), 1);
  }
  EXPECT_TRUE(whole_answer(socket.get()).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(Server, GarbageChangesNothing) {
  open();
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bytes(random() % 6000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const Descriptor socket = connect();
    // The server may have heard enough before all of it has left.
    (void)!::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (i % 3 > 0) ::shutdown(socket.get(), SHUT_WR);
    if (i % 3 > 1) whole_answer(socket.get());
  }
  expect_good_answer();
}

TEST_F(Server, AnEngineThatDoesNotTurnIsNotWaitedForForEver) {
  open(false);
  EXPECT_TRUE(ask(kQuestion).starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  const auto answers = ask_processes(status_places(folder), milliseconds(10));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, Answer::Kind::silent);
  process->run();  // and it is found once it does
  expect_good_answer();
}

TEST_F(Server, OverTcpOnlyWhenAskedFor) {
  // A port that was free a moment ago.
  Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(kLoopback);
  ASSERT_EQ(::bind(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  name.sin_port = htons(local_name(probe.get()).port);
  const std::string place = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
  ::setenv(kMetricsVariable, place.c_str(), 1);
  process = std::make_unique<RunningProcess>();
  EXPECT_NE(process->shown->open().message().find("Address already in use"), std::string::npos);
  probe.close();
  open();
  Descriptor reader(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(reader.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  // More than is asked for: the answer must survive what nobody reads.
  const std::string question = kQuestion + std::string(20'000, 'x');
  ASSERT_GT(::send(reader.get(), question.data(), question.size(), MSG_NOSIGNAL), 0);
  ::shutdown(reader.get(), SHUT_WR);
  EXPECT_TRUE(whole_answer(reader.get()).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(Server, AMetricsPlaceThatIsNoneIsSaid) {
  ::setenv(kMetricsVariable, "0.0.0.0:9100", 1);
  process = std::make_unique<RunningProcess>();
  EXPECT_NE(process->shown->open().message().find("expected a loopback address"),
            std::string::npos);
}

TEST_F(Server, AProcessThatCannotBeLookedAtRunsOn) {
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  process = std::make_unique<RunningProcess>();
  EXPECT_TRUE(process->shown->open().is_ok());
  EXPECT_NE(process->shown->warning().find("chmod 700"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::hw
