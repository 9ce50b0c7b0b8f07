// The port of a process that dies and comes back.
#include "hw/launch/reserved_port.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

TEST(ReservedPort, StaysUsableAndHearsNothing) {
  ReservedPort reserved;
  ASSERT_TRUE(reserved.reserve(ReservedPort::Kind::udp).is_ok());
  UdpOptions options;
  options.local.port = reserved.port();
  options.share_port = true;
  // A connected socket learns from ICMP whether anyone is at the port.
  const Descriptor probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(reserved.port());
  ASSERT_EQ(::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  for (int life = 0; life < 3; ++life) {
    std::byte frame{1};
    {
      std::unique_ptr<UdpFabric> process;
      const Status status = UdpFabric::open(options, process);
      ASSERT_TRUE(status.is_ok()) << status.message();
      std::byte memory{};
      const ReceiveSlot slot{{}, &memory, 1, 0};
      ASSERT_EQ(process->offer({&slot, 1}), 1u);
      ASSERT_EQ(::send(probe.get(), &frame, 1, 0), 1);
      pollfd waiting{process->arm().descriptor, POLLIN, 0};
      if (waiting.fd >= 0) ::poll(&waiting, 1, 5000);
      Event event;
      EXPECT_EQ(process->poll({&event, 1}), 1u);
    }
    ASSERT_EQ(::send(probe.get(), &frame, 1, 0), 1);
    pollfd waiting{probe.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 5000), 1) << "somebody has taken a frame for the dead";
    EXPECT_LT(::recv(probe.get(), &frame, 1, MSG_DONTWAIT), 0);
    EXPECT_EQ(errno, ECONNREFUSED);
  }
}

TEST(ReservedPort, IsOneOfTheAddressThatIsGiven) {
  const IpAddress ip(kLoopback + 1);
  ReservedPort reserved;
  ASSERT_TRUE(reserved.reserve(ReservedPort::Kind::udp, ip).is_ok());
  UdpOptions options;
  options.local = {ip, reserved.port()};
  std::unique_ptr<UdpFabric> process;
  EXPECT_FALSE(UdpFabric::open(options, process).is_ok()) << "it is somebody's";
  options.share_port = true;
  const Status status = UdpFabric::open(options, process);
  EXPECT_TRUE(status.is_ok()) << status.message();

  constexpr IpAddress kNobodys(0xc000'0201);  // 192.0.2.1, of documents
  const Status refused = ReservedPort().reserve(ReservedPort::Kind::tcp, kNobodys);
  EXPECT_NE(refused.message().find("cannot reserve a TCP port on 192.0.2.1: "), std::string::npos)
      << refused.message();
}

TEST(ReservedPort, OfTcpStaysUsableAndNobodyElseGetsIt) {
  ReservedPort reserved;
  ASSERT_TRUE(reserved.reserve(ReservedPort::Kind::tcp).is_ok());
  TcpOptions options;
  options.local.port = reserved.port();
  for (int life = 0; life < 3; ++life) {
    std::unique_ptr<TcpFabric> process;
    const Status status = TcpFabric::open(options, process);
    EXPECT_TRUE(status.is_ok()) << status.message();
  }
  const Descriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(reserved.port());
  EXPECT_NE(::connect(other.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0)
      << "between two lives nobody listens";
  const Descriptor thief(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_NE(::bind(thief.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
}

}  // namespace
}  // namespace holdfast::hw
