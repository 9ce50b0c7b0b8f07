// hw/tcp on loopback: peers that come back, that are slow, and that send what they should not.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kFrameBytes = 1'000;

std::unique_ptr<TcpFabric> open(UdpEndpoint local = {}, std::uint32_t incoming_max = 8) {
  TcpOptions options;
  options.local = local;
  options.frame_bytes_max = kFrameBytes;
  options.receive_depth = 64;
  options.incoming_max = incoming_max;
  options.send_buffer_bytes = 4'096;
  std::unique_ptr<TcpFabric> fabric;
  const Status status = TcpFabric::open(options, fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// One end with slots; frames are texts.
class End {
 public:
  explicit End(UdpEndpoint local = {}, std::uint32_t incoming_max = 8)
      : fabric_(open(local, incoming_max)) {
    for (std::size_t i = 0; i < 64; ++i) give(i);
  }

  TcpFabric& fabric() { return *fabric_; }
  const TcpCounters& counters() const { return fabric_->counters(); }
  Peer attach(const End& to) {
    return fabric_->attach(to.fabric_->local_address(), Service::datagram);
  }
  void send(Peer to, std::string text) {
    Operation operation;
    operation.inline_data = true;
    operation.peer = to;
    operation.data = reinterpret_cast<std::byte*>(text.data());
    operation.size = static_cast<std::uint32_t>(text.size());
    EXPECT_EQ(fabric_->post({&operation, 1}), 1u);
  }
  // What has come by now.
  std::vector<std::string> received() {
    std::vector<std::string> texts;
    std::array<Event, 16> events;
    for (std::size_t count = events.size(); count == events.size();) {
      count = fabric_->poll(events);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(events[i].kind, EventKind::received);
        const auto& slot = memory_[events[i].cookie];
        texts.emplace_back(reinterpret_cast<const char*>(slot.data()), events[i].size);
        give(events[i].cookie);
      }
    }
    return texts;
  }
  // What comes until there are so many, or for so long that they never will.
  std::vector<std::string> wait_for(std::size_t count) {
    std::vector<std::string> all;
    for (int attempt = 0; attempt < 2'000 && all.size() < count; ++attempt) {
      for (std::string& text : received()) all.push_back(std::move(text));
      if (all.size() < count) ::usleep(1'000);
    }
    return all;
  }

 private:
  void give(std::size_t i) {
    const ReceiveSlot slot{{}, memory_[i].data(), kFrameBytes, i};
    EXPECT_EQ(fabric_->offer({&slot, 1}), 1u);
  }

  std::unique_ptr<TcpFabric> fabric_;
  std::array<std::array<std::byte, kFrameBytes>, 64> memory_{};
};

// Anybody who connects and writes bytes.
class Stranger {
 public:
  explicit Stranger(End& to) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(kLoopback);
    name.sin_port = htons(to.fabric().endpoint().port);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  }
  bool write(const std::string& bytes) {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Whether the other side has ended the connection.
  bool is_ended() {
    timeval patience{2, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char byte = 0;
    const ssize_t got = ::recv(socket_.get(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  Descriptor socket_;
};

std::string prefixed(const std::string& frame) {
  std::string bytes(4, '\0');
  store_le(reinterpret_cast<std::byte*>(bytes.data()), static_cast<std::uint32_t>(frame.size()));
  return bytes + frame;
}

TEST(TcpFabric, ConnectionsLeaveFromTheAddressOfTheFabric) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketName any(UdpEndpoint{});
  ASSERT_EQ(::bind(listener.get(), &any.any, any.size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  End sender({kLoopback + 1, 0});
  const Address to = to_address(local_name(listener.get()));
  sender.send(sender.fabric().attach(to, Service::datagram), "frame");
  (void)sender.received();
  sockaddr_in from{};
  socklen_t size = sizeof from;
  const Descriptor accepted(::accept(listener.get(), reinterpret_cast<sockaddr*>(&from), &size));
  EXPECT_EQ(ntohl(from.sin_addr.s_addr), kLoopback + 1);
}

TEST(TcpFabric, FramesThatComeByteByByteAreWhole) {
  End receiver;
  Stranger stranger(receiver);
  std::vector<std::string> all;
  for (const char byte : prefixed("one") + prefixed("") + prefixed("three")) {
    EXPECT_TRUE(stranger.write({byte}));
    for (std::string& text : receiver.received()) all.push_back(std::move(text));
  }
  for (std::string& text : receiver.wait_for(3 - all.size())) all.push_back(std::move(text));
  EXPECT_EQ(all, (std::vector<std::string>{"one", "", "three"}));
}

TEST(TcpFabric, AFrameThatComesInTwoPartsBehindAnotherIsWhole) {
  End receiver;
  Stranger stranger(receiver);
  const std::string second = prefixed("second");
  EXPECT_TRUE(stranger.write(prefixed("first") + second.substr(0, 7)));
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"first"});
  EXPECT_TRUE(stranger.write(second.substr(7)));
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"second"});
}

TEST(TcpFabric, ALengthBeyondTheLimitEndsTheConnectionAndNoOther) {
  End receiver, sender;
  const Peer to = sender.attach(receiver);
  sender.send(to, "before");
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"before"});
  Stranger stranger(receiver);
  EXPECT_TRUE(stranger.write(prefixed(std::string(kFrameBytes, 'x'))));
  EXPECT_EQ(receiver.wait_for(1).size(), 1u) << "the largest that may be";
  EXPECT_TRUE(stranger.write(prefixed(std::string(kFrameBytes + 1, 'x'))));
  EXPECT_EQ(receiver.counters().impossible, 0u);
  sender.send(to, "after");
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"after"});
  EXPECT_TRUE(receiver.received().empty());
  EXPECT_TRUE(stranger.is_ended());
  EXPECT_EQ(receiver.counters().impossible, 1u);
}

TEST(TcpFabric, WhoComesBackAtAnAddressIsFound) {
  End sender;
  auto receiver = std::make_unique<End>();
  const UdpEndpoint place = receiver->fabric().endpoint();
  const Peer to = sender.attach(*receiver);
  sender.send(to, "first life");
  EXPECT_EQ(receiver->wait_for(1).size(), 1u);
  receiver.reset();
  End second(place);
  std::vector<std::string> all;
  for (int attempt = 0; attempt < 200 && all.empty(); ++attempt) {
    EXPECT_TRUE(sender.received().empty());  // it hears that the connection has gone
    sender.send(to, "second life");
    ::usleep(2'000);
    all = second.received();
  }
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), "second life");
}

TEST(TcpFabric, NobodyThereLosesTheFrameAndNothingElse) {
  End sender, receiver;
  auto gone = std::make_unique<End>();
  const Peer to_gone = sender.attach(*gone), to = sender.attach(receiver);
  gone.reset();
  for (int i = 0; i < 5; ++i) {
    sender.send(to_gone, "nobody hears this");
    sender.send(to, "somebody hears this");
  }
  EXPECT_EQ(receiver.wait_for(5).size(), 5u);
  EXPECT_TRUE(sender.received().empty());
  EXPECT_EQ(sender.counters().lost, 5u);
}

TEST(TcpFabric, WhoDoesNotReadLosesItsOwnFramesOnly) {
  End sender, slow, receiver;
  const Peer to_slow = sender.attach(slow), to = sender.attach(receiver);
  for (int i = 0; i < 100'000 && sender.counters().lost == 0; ++i) {
    sender.send(to_slow, std::string(kFrameBytes, 's'));
  }
  ASSERT_GT(sender.counters().lost, 0u);
  sender.send(to, "still heard");
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"still heard"});
}

TEST(TcpFabric, ConnectionsBeyondTheLimitAreEnded) {
  End receiver({}, 2);
  Stranger first(receiver), second(receiver), third(receiver);
  EXPECT_TRUE(receiver.received().empty());
  EXPECT_TRUE(third.is_ended());
  EXPECT_EQ(receiver.counters().refused, 1u);
  EXPECT_TRUE(first.write(prefixed("heard")));
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"heard"});
}

TEST(TcpFabric, RandomBytesHarmNobody) {
  End receiver({}, 64), sender;
  const Peer to = sender.attach(receiver);
  Random random(1, 2, 3);
  for (int round = 0; round < 200; ++round) {
    Stranger stranger(receiver);
    std::string bytes = random.below(2) == 0 ? prefixed("whole") : "";
    for (std::uint64_t i = random.below(64); i > 0; --i) {
      bytes.push_back(static_cast<char>(random.below(256)));
    }
    (void)stranger.write(bytes);
    sender.send(to, "honest");
    bool heard = false;
    for (int attempt = 0; attempt < 2'000 && !heard; ++attempt) {
      for (const std::string& text : receiver.received()) heard |= text == "honest";
    }
    ASSERT_TRUE(heard) << round;
  }
  EXPECT_GT(receiver.counters().impossible, 0u);
}

TEST(TcpFabric, APortThatIsTakenIsNamed) {
  End first;
  TcpOptions options;
  options.local = first.fabric().endpoint();
  std::unique_ptr<TcpFabric> second;
  EXPECT_EQ(TcpFabric::open(options, second).message(),
            "cannot listen at TCP socket 127.0.0.1:" + std::to_string(options.local.port) +
                ": Address already in use");
}

}  // namespace
}  // namespace holdfast::hw
