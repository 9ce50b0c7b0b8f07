// Messages on the rails of a job, between hosts that are network namespaces: what the kernel tells
// of a rail counts, though nothing is sent that could be missed. Skipped where namespaces are not
// allowed.
#include "hw/launch/socket_rail.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "hw/inject/host_network.hpp"
#include "hw/monotonic_clock.hpp"
#include "stack/reliable/endpoint.hpp"
#include "tests/unit/hw/launched_program.hpp"

namespace holdfast::hw {
namespace {

using reliable::RailHealth;

constexpr Duration kPatience = seconds(20);
constexpr std::uint16_t kPort = 7711;
constexpr std::uint32_t kRails = 2;

class HostAddresses final : public AddressBook {
 public:
  static UdpEndpoint endpoint(std::size_t rail, std::uint32_t host) {
    return {IpAddress(HostNetwork::address(host, static_cast<std::uint32_t>(rail))), kPort};
  }
  Address address(std::size_t rail, ProcessId process) const override {
    return to_address(endpoint(rail, process.value));
  }
};

// One process of two, each on a host of its own.
struct End {
  std::vector<std::unique_ptr<Fabric>> fabrics;
  std::unique_ptr<reliable::Endpoint> endpoint;

  // On its host.
  Status open(JobFabric kind, std::uint32_t self, const AddressBook& addresses) {
    std::vector<Fabric*> rails;
    for (std::uint32_t rail = 0; rail < kRails; ++rail) {
      if (Status status = open_socket_rail(kind, HostAddresses::endpoint(rail, self),
                                           PortOwner::rail, 8, fabrics.emplace_back());
          !status.is_ok())
        return status;
      rails.push_back(fabrics.back().get());
    }
    reliable::EndpointOptions options;
    options.self = {self};
    options.limits.peers = 1;
    endpoint = std::make_unique<reliable::Endpoint>(options, rails, addresses);
    EXPECT_TRUE(endpoint->connect({1 - self}, {}, monotonic_now()));
    return Status::ok();
  }
};

struct SocketRail : ::testing::TestWithParam<JobFabric> {
  void SetUp() override {
    Status status = HostNetwork::open(2, kRails, network);
    if (not_possible_here(status)) GTEST_SKIP() << status.message();
    ASSERT_TRUE(status.is_ok()) << status.message();
    for (std::uint32_t i = 0; i < 2; ++i) {
      enter(i);
      status = ends[i].open(GetParam(), i, addresses);
      ASSERT_TRUE(status.is_ok()) << status.message();
    }
  }
  void TearDown() override { EXPECT_EQ(::setns(outside.get(), CLONE_NEWNET), 0); }

  // Connections are made when something is sent, from where the thread is then.
  void enter(std::uint32_t host) { ASSERT_EQ(::setns(network->name_space(host), CLONE_NEWNET), 0); }

  // As end 1 judges its rails.
  RailHealth health(std::size_t rail) const { return ends[1].endpoint->health({0}, rail); }

  // False: it was not so in time. Both take turns, and how end 1 judges its rail 0 is noted.
  template <class Condition>
  bool turn_until(const Condition& is_so) {
    const Time latest = monotonic_now() + kPatience;
    while (!is_so()) {
      const Time now = monotonic_now();
      if (now >= latest) return false;
      for (std::uint32_t i = 0; i < 2; ++i) {
        enter(i);
        (void)ends[i].endpoint->turn(now);
      }
      const RailHealth now_judged = health(0);
      if (judged.empty() || judged.back() != now_judged) judged.push_back(now_judged);
    }
    return true;
  }

  // From end 0 to end 1.
  bool message_arrives() {
    std::array<std::byte, 64> sent{std::byte{7}}, got{};
    const Time now = monotonic_now();
    EXPECT_NE(ends[1].endpoint->receive({}, got, 0, now), reliable::kNoRequest);
    enter(0);
    EXPECT_NE(ends[0].endpoint->send({1}, 0, 0, sent, 0, now), reliable::kNoRequest);
    std::size_t completed = 0;
    return turn_until([&] {
             std::array<reliable::Completed, 2> done;
             for (End& end : ends) completed += end.endpoint->completed(done);
             return completed == 2;
           }) &&
           got == sent;
  }

  Descriptor outside{::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
  HostAddresses addresses;
  std::unique_ptr<HostNetwork> network;
  std::array<End, 2> ends;
  std::vector<RailHealth> judged;
};

TEST_P(SocketRail, AnIdleRailIsLeftWhenItIsCutAndTakenBackAfterProbation) {
  ASSERT_TRUE(message_arrives());
  ASSERT_EQ(judged, std::vector{RailHealth::up});
  ASSERT_TRUE(network->begin(1, 0, RailFault::cut).is_ok());
  ASSERT_TRUE(turn_until([&] { return health(0) == RailHealth::down; }));
  EXPECT_EQ(judged, (std::vector{RailHealth::up, RailHealth::down}));  // and was not suspected
  EXPECT_EQ(health(1), RailHealth::up);
  EXPECT_TRUE(message_arrives());

  ASSERT_TRUE(network->end(1, 0, RailFault::cut).is_ok());
  ASSERT_TRUE(turn_until([&] { return health(0) == RailHealth::up; }));
  EXPECT_EQ(judged[judged.size() - 2], RailHealth::probation);
  EXPECT_TRUE(message_arrives());
}

INSTANTIATE_TEST_SUITE_P(Fabrics, SocketRail, ::testing::Values(JobFabric::udp, JobFabric::tcp),
                         [](const ::testing::TestParamInfo<JobFabric>& fabric) {
                           return fabric.param == JobFabric::udp ? "udp" : "tcp";
                         });

}  // namespace
}  // namespace holdfast::hw
