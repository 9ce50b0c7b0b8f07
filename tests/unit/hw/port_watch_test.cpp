// What the kernel tells of the interface below a UDP fabric, in a namespace whose rail is cut;
// skipped where the system does not allow it.
#include "hw/udp/port_watch.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>

#include <memory>
#include <thread>
#include <vector>

#include "hw/inject/host_network.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "tests/unit/hw/launched_program.hpp"

namespace holdfast::hw {
namespace {

constexpr Duration kPatience = seconds(10);

// Sleeps as whoever drives a fabric does, and looks only when it is woken. Empty: nothing came.
std::vector<EventKind> next_news(Fabric& fabric, Duration patience) {
  const Time latest = monotonic_now() + patience;
  std::vector<EventKind> found;
  while (found.empty() && monotonic_now() < latest) {
    const Armed armed = fabric.arm();
    pollfd waited{armed.descriptor, POLLIN, 0};
    if (armed.idle && ::poll(&waited, 1, 100) == 0) continue;
    Event events[4];
    const std::size_t count = fabric.poll(events);
    for (std::size_t i = 0; i < count; ++i) found.push_back(events[i].kind);
  }
  return found;
}

TEST(PortWatch, TellsACutAndItsEndAndNothingOfSilence) {
  std::unique_ptr<HostNetwork> network;
  Status status = HostNetwork::open(2, 2, network);
  if (not_possible_here(status)) GTEST_SKIP() << status.message();
  ASSERT_TRUE(status.is_ok()) << status.message();
  UdpOptions options;
  options.local = {HostNetwork::address(1, 1), 0};
  options.port = PortWatching::required;
  std::unique_ptr<UdpFabric> fabric;
  std::thread([&] {
    if (::setns(network->name_space(1), CLONE_NEWNET) == 0)
      status = UdpFabric::open(options, fabric);
  }).join();
  ASSERT_NE(fabric, nullptr) << status.message();
  EXPECT_TRUE(next_news(*fabric, milliseconds(50)).empty());

  ASSERT_TRUE(network->begin(1, 0, RailFault::cut).is_ok());  // another rail
  EXPECT_TRUE(next_news(*fabric, milliseconds(200)).empty());
  for (const RailFault fault : {RailFault::cut, RailFault::closed}) {
    ASSERT_TRUE(network->begin(1, 1, fault).is_ok());
    EXPECT_EQ(next_news(*fabric, kPatience), std::vector{EventKind::port_down});
    ASSERT_TRUE(network->end(1, 1, fault).is_ok());
    EXPECT_EQ(next_news(*fabric, kPatience), std::vector{EventKind::port_up});
  }
  status = network->begin(1, 1, RailFault::silent_to);
  if (status.is_ok()) {
    EXPECT_TRUE(next_news(*fabric, milliseconds(200)).empty());
  }
}

TEST(PortWatch, AnAddressOfNoInterfaceIsRefused) {
  UdpOptions options;
  options.local = {IpAddress(0u), 0};
  options.port = PortWatching::required;
  std::unique_ptr<UdpFabric> fabric;
  const Status status = UdpFabric::open(options, fabric);
  EXPECT_EQ(status.message(),
            "no interface has the address 0.0.0.0; only that of one interface can be watched");
}

}  // namespace
}  // namespace holdfast::hw
