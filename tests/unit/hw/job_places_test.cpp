// What a launcher reserves for jobs of this machine.
#include "hw/launch/job_places.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {
namespace {

TEST(JobPlaces, EachRailHasAnAddressOfItsOwnForFramesAndForMessages) {
  for (const JobFabric fabric : {JobFabric::udp, JobFabric::tcp}) {
    JobPlaces places;
    ASSERT_TRUE(places.reserve(3, fabric, "", 1, std::vector<std::vector<Address>>(2)).is_ok());
    ASSERT_TRUE(places.reserve_messages().is_ok());
    const Assignment assignment = places.assignment({1}, 0);
    std::set<std::pair<std::size_t, std::uint16_t>> all;
    for (const auto* const rails : {&assignment.addresses, &assignment.message_addresses}) {
      ASSERT_EQ(rails->size(), 2u);
      for (std::uint32_t rail = 0; rail < 2; ++rail) {
        ASSERT_EQ((*rails)[rail].size(), 3u);
        for (const Address& address : (*rails)[rail]) {
          const auto endpoint = to_udp_endpoint(address);
          ASSERT_TRUE(endpoint);
          EXPECT_EQ(endpoint->ip, IpAddress(kLoopback + rail));
          all.insert({rail, endpoint->port});
        }
      }
    }
    EXPECT_EQ(all.size(), 12u);
  }
}

}  // namespace
}  // namespace holdfast::hw
