// Which process of a job gets which port, and addresses of which a part is known later. Ports are
// made up here; tests/vm has real ones.
#include "hw/launch/verbs_rail.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "hw/launch/job_address.hpp"
#include "hw/launch/process_table.hpp"
#include "hw/verbs/verbs_address.hpp"

namespace holdfast::hw {
namespace {

VerbsPort port_of(std::uint8_t last_byte, std::uint16_t lid = 0) {
  VerbsPort port{};
  port.device = "made_up";
  port.gid.fill(std::byte{0xfe});
  port.gid[15] = std::byte{last_byte};
  port.lid = lid;
  return port;
}

TEST(VerbsRail, HostsTakeTurnsAtThePorts) {
  const std::array ports = {port_of(1), port_of(2), port_of(3)};
  const std::array<std::uint32_t, 6> hosts = {0, 0, 1, 2, 3, 7};
  const std::vector<Address> addresses = spread_over(ports, hosts);
  ASSERT_EQ(addresses.size(), hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i)
    EXPECT_EQ(addresses[i], port_address(ports[hosts[i] % 3])) << i;
}

TEST(VerbsRail, AnAddressIsOneWhenItsQueuePairIsKnown) {
  const Address port = port_address(port_of(1, 0x1a4));
  EXPECT_FALSE(is_address_of(JobFabric::verbs, port));
  EXPECT_EQ(queue_pair_of(port), 0u);
  const Address whole = at_queue_pair(port, 77);
  EXPECT_TRUE(is_address_of(JobFabric::verbs, whole));
  EXPECT_FALSE(is_address_of(JobFabric::udp, whole));
  EXPECT_EQ(queue_pair_of(whole), 77u);
  EXPECT_EQ(at_queue_pair(whole, 0), port);
  EXPECT_EQ(text_of(whole), "GID fefe:fefe:fefe:fefe:fefe:fefe:fefe:fe01, LID 420, queue pair 77");
  EXPECT_EQ(queue_pair_of(at_queue_pair(port, 1)), 0u) << "for management";
}

TEST(ProcessTable, SaysWhereTheNewestLifeIsToWhoeverHasItsDescriptor) {
  ProcessTable ours, theirs;
  ASSERT_TRUE(ours.create(3).is_ok());
  ASSERT_TRUE(theirs.map(::dup(ours.descriptor()), 3).is_ok());
  EXPECT_EQ(theirs.queue_pair({2}), 0u);
  for (const std::uint32_t number : {17u, 0xff'fffeu}) {
    ours.set_queue_pair({2}, number);
    EXPECT_EQ(theirs.queue_pair({2}), number);
    EXPECT_FALSE(theirs.get({2}).has_value()) << "another fact of the same process";
  }
  ours.set_message_queue_pair({2}, 99);
  EXPECT_EQ(theirs.message_queue_pair({2}), 99u);
  EXPECT_EQ(theirs.message_queue_pair({1}), 0u);
  ours.set({2}, {100, 7});
  EXPECT_EQ(theirs.get({2}), (ProcessIdentity{100, 7}));
  EXPECT_EQ(theirs.queue_pair({2}), 0xff'fffeu);
  EXPECT_EQ(theirs.queue_pair({1}), 0u);
}

}  // namespace
}  // namespace holdfast::hw
