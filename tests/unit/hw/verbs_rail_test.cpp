// Which process of a job gets which port, and addresses of which a part is known later. Ports are
// made up here; tests/vm has real ones.
#include "hw/launch/verbs_rail.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "hw/launch/assignment.hpp"
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
  const auto addresses = spread_over(by_network(ports), hosts, 1);
  ASSERT_EQ(addresses.size(), 1u);
  ASSERT_EQ(addresses.front().size(), hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i)
    EXPECT_EQ(addresses.front()[i], port_address(ports[hosts[i] % 3])) << i;
}

// Four ports, two rails: hosts 0 and 2 have the first two, host 1 the others.
TEST(VerbsRail, AHostsRailsAreAtPortsOfTheirOwn) {
  const std::array ports = {port_of(1), port_of(2), port_of(3), port_of(4)};
  const std::array<std::uint32_t, 3> hosts = {0, 1, 2};
  const auto addresses = spread_over(by_network(ports), hosts, 2);
  ASSERT_EQ(addresses.size(), 2u);
  for (std::size_t rail = 0; rail < 2; ++rail) {
    ASSERT_EQ(addresses[rail].size(), 3u);
    EXPECT_EQ(addresses[rail][0], port_address(ports[rail]));
    EXPECT_EQ(addresses[rail][1], port_address(ports[2 + rail]));
    EXPECT_EQ(addresses[rail][2], port_address(ports[rail]));
  }
}

// Else a port would be of one rail of one host and of another one of another, and where it dies
// these two have no rail in common.
TEST(VerbsRail, APortIsOfOneRail) {
  const std::array<std::uint32_t, 4> hosts = {0, 1, 2, 3};
  std::vector<VerbsPort> ports;
  for (std::uint8_t i = 0; i < 9; ++i) ports.push_back(port_of(i + 1));
  for (std::size_t count = 2; count <= ports.size(); ++count) {
    const auto addresses = spread_over(by_network(std::span(ports).first(count)), hosts, 2);
    for (const Address& first : addresses[0]) {
      for (const Address& second : addresses[1]) EXPECT_FALSE(first == second) << count;
    }
  }
}

// Two subnets of InfiniBand with two ports each: rails 0 and 2 are on the first, rail 1 on the
// second, where hosts have one port each.
TEST(VerbsRail, EachRailIsOnOneNetwork) {
  std::array ports = {port_of(1, 1), port_of(2, 1), port_of(3, 2), port_of(4, 2)};
  for (const std::size_t other : {1u, 3u}) ports[other].gid[0] = std::byte{0xfc};
  const PortsByNetwork networks = by_network(ports);
  ASSERT_EQ(networks.size(), 2u);
  const std::array<std::uint32_t, 2> hosts = {0, 1};
  const auto addresses = spread_over(networks, hosts, 3);
  ASSERT_EQ(addresses.size(), 3u);
  const auto at = [&](std::size_t i) { return port_address(ports[i]); };
  EXPECT_EQ(addresses[0], (std::vector{at(0), at(0)}));
  EXPECT_EQ(addresses[1], (std::vector{at(1), at(3)}));
  EXPECT_EQ(addresses[2], (std::vector{at(2), at(2)}));
}

TEST(VerbsRail, InfiniBandAndEthernetAreTwoNetworks) {
  const std::array ports = {port_of(1, 1), port_of(2), port_of(3)};
  const PortsByNetwork networks = by_network(ports);
  ASSERT_EQ(networks.size(), 2u);
  EXPECT_EQ(networks[0].size(), 1u);
  EXPECT_EQ(networks[1].size(), 2u);
}

// So many ports of Ethernet and of InfiniBand: the number of ports on each network that so many
// rails take turns at.
TEST(VerbsRail, ANetworkWithTooFewPortsIsLeftToTheOthers) {
  const auto sizes = [](std::size_t ethernet, std::size_t infiniband, std::size_t rails) {
    std::vector<VerbsPort> ports;
    for (std::size_t i = 0; i < ethernet; ++i) ports.push_back(port_of(1));
    for (std::size_t i = 0; i < infiniband; ++i) ports.push_back(port_of(1, 1));
    std::vector<std::size_t> found;
    for (const auto& network : networks_of_job(by_network(ports), rails))
      found.push_back(network.size());
    return found;
  };
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(sizes(1, 4, 1), (Sizes{4}));
  EXPECT_EQ(sizes(1, 4, 2), (Sizes{4, 1}));
  EXPECT_EQ(sizes(1, 4, 3), (Sizes{4, 1})) << "two of the three are on InfiniBand";
  EXPECT_EQ(sizes(1, 4, 4), (Sizes{4})) << "Ethernet has no port for a second rail";
  EXPECT_EQ(sizes(4, 1, 4), (Sizes{4}));
  EXPECT_EQ(sizes(1, 4, 5), Sizes{});
  EXPECT_EQ(sizes(2, 2, 3), (Sizes{2, 2}));
  EXPECT_EQ(sizes(0, 2, 2), (Sizes{2}));
  EXPECT_EQ(sizes(0, 1, 2), Sizes{});
  EXPECT_EQ(sizes(1, 1, 3), Sizes{}) << "each has enough for its share of three, and not of two";
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
  EXPECT_EQ(theirs.queue_pair({2}, 0), 0u);
  for (const std::uint32_t number : {17u, 0xff'fffeu}) {
    ours.set_queue_pair({2}, 0, number);
    EXPECT_EQ(theirs.queue_pair({2}, 0), number);
    EXPECT_FALSE(theirs.get({2}).has_value()) << "another fact of the same process";
  }
  ours.set_message_queue_pair({2}, 7, 99);
  EXPECT_EQ(theirs.message_queue_pair({2}, 7), 99u);
  EXPECT_EQ(theirs.message_queue_pair({2}, 6), 0u) << "of another rail";
  EXPECT_EQ(theirs.message_queue_pair({1}, 7), 0u);
  EXPECT_EQ(theirs.queue_pair({2}, 7), 0u) << "of frames";
  ours.set({2}, {100, 7});
  EXPECT_EQ(theirs.get({2}), (ProcessIdentity{100, 7}));
  EXPECT_EQ(theirs.queue_pair({2}, 0), 0xff'fffeu);
  EXPECT_EQ(theirs.queue_pair({1}, 0), 0u);
}

TEST(PlacedWord, SaysWhichRailAndWhere) {
  const Word word = placed_word(kMessagesPlaced, 7, 0xff'fffe);
  EXPECT_EQ(word.kind, kMessagesPlaced);
  EXPECT_EQ(rail_of(word), 7u);
  EXPECT_EQ(queue_pair_of(word), 0xff'fffeu);
  EXPECT_EQ(placed_word(kPlaced, 0, 17).number, 17u);
}

}  // namespace
}  // namespace holdfast::hw
