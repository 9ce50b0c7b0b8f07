// A network is found by any address in it, and what is none of this machine's is said.
#include "hw/launch/local_ip.hpp"

#include <gtest/gtest.h>

#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {
namespace {

std::string found(const std::string& text) {
  IpAddress ip = 0u;
  const std::string wrong = find_local_ip(text, ip);
  return wrong.empty() ? text_of(ip) : wrong;
}

TEST(LocalIp, IsAnAddressOrOneInANetworkOfThisMachine) {
  EXPECT_EQ(found("127.0.0.9"), "127.0.0.9");
  EXPECT_EQ(found("127.200.0.0/8"), "127.0.0.1");
  EXPECT_EQ(found("127.0.0.0/31"), "127.0.0.1");
}

TEST(LocalIp, WhatHasNoneIsSaid) {
  const std::string none = "is a network in which this machine has no address that is up";
  EXPECT_EQ(found("127.0.0.2/31"), none);
  EXPECT_EQ(found("240.0.0.0/4"), none);      // reserved: no machine has one
  EXPECT_EQ(found("ff00::/8"), none);         // of groups, not of machines
  EXPECT_EQ(found("::127.0.0.1/120"), none);  // of the other version
}

TEST(LocalIp, WhatIsNoPlaceIsSaid) {
  for (const char* text :
       {"10.1.0.0/0", "10.1.0.0/33", "10.1.0.0/", "10.1.0.0/8x", "10.1.0.0/-8"}) {
    EXPECT_NE(found(text).find("expected 1 to 32 after the slash"), std::string::npos) << text;
  }
  EXPECT_NE(found("fd00::/129").find("expected 1 to 128"), std::string::npos);
  EXPECT_EQ(found("here/8"), "is no IPv4 or IPv6 address");
  EXPECT_EQ(found("0.0.0.0"), "is every address of a machine; expected one of them");
}

}  // namespace
}  // namespace holdfast::hw
