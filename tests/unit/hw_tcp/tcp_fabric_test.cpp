// hw/tcp on loopback: peers that come back, that are slow, and that send what they should not.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/tcp/framing.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/hw/few_descriptors.hpp"

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
  // What one poll brings, of kPoll at most.
  static constexpr std::size_t kPoll = 16;
  std::vector<std::string> poll() {
    std::vector<std::string> texts;
    std::array<Event, kPoll> events;
    const std::size_t count = fabric_->poll(events);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(events[i].kind, EventKind::received);
      const auto& slot = memory_[events[i].cookie];
      texts.emplace_back(reinterpret_cast<const char*>(slot.data()), events[i].size);
      give(events[i].cookie);
    }
    return texts;
  }
  // What has come by now.
  std::vector<std::string> received() {
    std::vector<std::string> texts;
    for (;;) {
      std::vector<std::string> some = poll();
      std::move(some.begin(), some.end(), std::back_inserter(texts));
      if (some.size() < kPoll) return texts;
    }
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

// For what will never come.
void set_patience(const Descriptor& socket) {
  const timeval patience{2, 0};
  EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
}

void set_socket_option(const Descriptor& socket, int name) {
  const int yes = 1;
  EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, name, &yes, sizeof yes), 0);
}

// A port at which somebody listens who has nothing to do with the fabric.
class Door {
 public:
  // So many, and one more, may wait there; others get no answer.
  explicit Door(int waiting = 8) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketName any(UdpEndpoint{});
    EXPECT_EQ(::bind(listener_.get(), &any.any, any.size), 0);
    EXPECT_EQ(::listen(listener_.get(), waiting), 0);
    set_socket_option(listener_, SO_REUSEADDR);
    set_socket_option(listener_, SO_REUSEPORT);
    set_patience(listener_);
  }

  UdpEndpoint name() const { return local_name(listener_.get()); }
  Address address() const { return to_address(name()); }
  // Who comes in, and from where.
  Descriptor accept(UdpEndpoint& from) {
    SocketName name;
    name.size = sizeof name.v6;
    Descriptor accepted(::accept(listener_.get(), &name.any, &name.size));
    from = endpoint_of(name);
    return accepted;
  }
  bool has_visitor() const {
    pollfd listener{listener_.get(), POLLIN, 0};
    return ::poll(&listener, 1, 0) > 0;
  }

 private:
  Descriptor listener_;
};

// Anybody who connects and writes bytes.
class Stranger {
 public:
  explicit Stranger(End& to) : Stranger(to, nullptr) {}
  // Who leaves from its own door, as a fabric does.
  Stranger(End& to, const Door& own) : Stranger(to, &own) {}
  explicit Stranger(Descriptor accepted) : socket_(std::move(accepted)) {}

  // What comes, up to so many bytes; less if the connection ends, or nothing more comes.
  std::string read(std::size_t bytes) {
    std::string text(bytes, '\0');
    set_patience(socket_);
    const ssize_t got = ::recv(socket_.get(), text.data(), bytes, MSG_WAITALL);
    return text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  bool write(const std::string& bytes) {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  void end() { EXPECT_EQ(::shutdown(socket_.get(), SHUT_WR), 0); }
  // Whether the other side has ended the connection.
  bool is_ended() {
    set_patience(socket_);
    char byte = 0;
    const ssize_t got = ::recv(socket_.get(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  Stranger(End& to, const Door* own) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (own != nullptr) {
      set_socket_option(socket_, SO_REUSEADDR);
      set_socket_option(socket_, SO_REUSEPORT);
      const SocketName here(own->name());
      EXPECT_EQ(::bind(socket_.get(), &here.any, here.size), 0);
    }
    const SocketName there(to.fabric().endpoint());
    EXPECT_EQ(::connect(socket_.get(), &there.any, there.size), 0);
  }

  Descriptor socket_;
};

// It holds whatever is open when it is made, and lives on.
class Child {
 public:
  Child() : pid_(::fork()) {
    EXPECT_GE(pid_, 0);
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  ~Child() {
    EXPECT_EQ(::kill(pid_, SIGKILL), 0);
    EXPECT_EQ(::waitpid(pid_, nullptr, 0), pid_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  pid_t pid_;
};

std::string on_the_stream(const std::string& frame) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  std::string bytes(kFramePrefixBytes, '\0');
  put_prefix(size, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes + frame + std::string(padding_bytes(size), '\0');
}

TEST(TcpFabric, ConnectionsLeaveFromTheEndpointOfTheFabric) {
  Door door;
  End sender({kLoopback + 1, 0});
  sender.send(sender.fabric().attach(door.address(), Service::datagram), "frame");
  (void)sender.received();
  UdpEndpoint from;
  const Descriptor accepted = door.accept(from);
  EXPECT_EQ(from, sender.fabric().endpoint());
}

// The other side's kernel may believe in the old one for a while.
TEST(TcpFabric, InPlaceOfABrokenConnectionComesOneFromAnotherPortOfTheSameAddress) {
  Door door;
  End sender({kLoopback + 1, 0});
  const Peer to = sender.fabric().attach(door.address(), Service::datagram);
  sender.send(to, "frame");
  UdpEndpoint from;
  (void)door.accept(from);
  for (int attempt = 0; attempt < 2'000 && !door.has_visitor(); ++attempt) {
    (void)sender.received();
    sender.send(to, "frame");
    ::usleep(1'000);
  }
  (void)door.accept(from);
  EXPECT_EQ(from.ip, IpAddress(kLoopback + 1));
  EXPECT_NE(from.port, sender.fabric().endpoint().port);
}

TEST(TcpFabric, WhatComesBackOverItsOwnConnectionIsHeard) {
  Door door;
  End sender;
  const Peer to = sender.fabric().attach(door.address(), Service::datagram);
  sender.send(to, "question");
  UdpEndpoint from;
  Stranger other(door.accept(from));
  EXPECT_EQ(other.read(kCacheLineBytes), on_the_stream("question"));
  EXPECT_TRUE(other.write(on_the_stream("answer")));
  EXPECT_EQ(sender.wait_for(1), std::vector<std::string>{"answer"});
}

TEST(TcpFabric, AnAnswerGoesOverTheConnectionThatBroughtTheQuestion) {
  for (const bool is_attached_before : {false, true}) {
    Door door;
    End end;
    Peer to;
    if (is_attached_before) to = end.fabric().attach(door.address(), Service::datagram);
    Stranger stranger(end, door);
    EXPECT_TRUE(stranger.write(on_the_stream("question")));
    EXPECT_EQ(end.wait_for(1), std::vector<std::string>{"question"});
    if (!is_attached_before) to = end.fabric().attach(door.address(), Service::datagram);
    end.send(to, "answer");
    EXPECT_EQ(stranger.read(kCacheLineBytes), on_the_stream("answer"));
    EXPECT_FALSE(door.has_visitor());
  }
}

TEST(TcpFabric, WhoHasConnectedMeanwhileIsSentToOverItsConnection) {
  Door door;
  End end;
  const Peer to = end.fabric().attach(door.address(), Service::datagram);
  Stranger stranger(end, door);
  end.send(to, "first word");
  EXPECT_EQ(stranger.read(kCacheLineBytes), on_the_stream("first word"));
  EXPECT_FALSE(door.has_visitor());
}

// It has the address, but not the port: it may be any program there.
TEST(TcpFabric, WhoComesFromAnotherPortIsNotAnswered) {
  for (const bool is_attached_before : {false, true}) {
    Door door;
    End end;
    Peer to;
    if (is_attached_before) to = end.fabric().attach(door.address(), Service::datagram);
    Stranger stranger(end);
    EXPECT_TRUE(stranger.write(on_the_stream("question")));
    EXPECT_EQ(end.wait_for(1), std::vector<std::string>{"question"});
    if (!is_attached_before) to = end.fabric().attach(door.address(), Service::datagram);
    end.send(to, "answer");
    UdpEndpoint from;
    Stranger answered(door.accept(from));
    EXPECT_EQ(answered.read(kCacheLineBytes), on_the_stream("answer"));
  }
}

TEST(TcpFabric, BothMaySendBeforeEitherHasHeardTheOther) {
  End first, second;
  const Peer to_second = first.attach(second), to_first = second.attach(first);
  for (int round = 0; round < 3; ++round) {
    first.send(to_second, "from the first");
    second.send(to_first, "from the second");
    EXPECT_EQ(first.wait_for(1), std::vector<std::string>{"from the second"});
    EXPECT_EQ(second.wait_for(1), std::vector<std::string>{"from the first"});
  }
  EXPECT_EQ(first.counters().lost + second.counters().lost, 0u);
}

// Of a connection that the other side has ended, and by which two frames were sent in vain.
TEST(TcpFabric, WhatHadComeIsHeardThoughNothingCanBeSentAnyMore) {
  Door door;
  End end;
  const Peer to = end.fabric().attach(door.address(), Service::datagram);
  {
    Stranger stranger(end, door);
    EXPECT_TRUE(stranger.write(on_the_stream("question")));
    EXPECT_EQ(end.wait_for(1).size(), 1u);
    EXPECT_TRUE(stranger.write(on_the_stream("last words")));
  }
  end.send(to, "is refused");
  end.send(to, "cannot leave");
  EXPECT_EQ(end.wait_for(1), std::vector<std::string>{"last words"});
}

// Its first request is not answered, as by a kernel that knows of another connection of these ends.
// It is not repeated then, though a child may hold its socket.
TEST(TcpFabric, WhatIsNotMadeAtOnceIsTriedFromAnotherPort) {
  for (const bool is_held : {false, true}) {
    Door door(0);
    End before, end;
    before.send(before.fabric().attach(door.address(), Service::datagram), "takes the place");
    const Peer to = end.fabric().attach(door.address(), Service::datagram);
    end.send(to, "first");
    const auto child = is_held ? std::make_unique<Child>() : nullptr;
    ::usleep(30'000);
    end.send(to, "second");
    UdpEndpoint from;
    (void)door.accept(from);
    EXPECT_EQ(from, before.fabric().endpoint());
    for (int attempt = 0; attempt < 5'000 && !door.has_visitor(); ++attempt) {
      EXPECT_TRUE(end.received().empty());
      ::usleep(1'000);
    }
    Stranger other(door.accept(from));
    EXPECT_NE(from.port, end.fabric().endpoint().port);
    EXPECT_TRUE(end.received().empty());
    const std::string both = on_the_stream("first") + on_the_stream("second");
    EXPECT_EQ(other.read(both.size()), both);
    EXPECT_EQ(end.counters().lost, 0u);
  }
}

TEST(TcpFabric, WithoutADescriptorLeftItGoesOn) {
  End end;
  Stranger stranger(end);
  {
    const FewDescriptors few(0);
    EXPECT_TRUE(end.received().empty());
    const Armed armed = end.fabric().arm();
    EXPECT_TRUE(armed.idle) << "who waits at the door keeps nobody awake";
    EXPECT_LE(armed.until, monotonic_now() + milliseconds(100));
  }
  EXPECT_TRUE(stranger.write(on_the_stream("after all")));
  EXPECT_EQ(end.wait_for(1), std::vector<std::string>{"after all"});
  EXPECT_EQ(end.fabric().arm().until, Time::never());
}

// It finds out when it connects.
TEST(TcpFabric, WithoutADescriptorLeftWhoHasNoSlotsSleeps) {
  const std::unique_ptr<TcpFabric> fabric = open();
  Door door;
  Operation operation;
  operation.inline_data = true;
  operation.peer = fabric->attach(door.address(), Service::datagram);
  {
    const FewDescriptors few(0);
    EXPECT_EQ(fabric->post({&operation, 1}), 1u);
  }
  EXPECT_EQ(fabric->counters().lost, 1u);
  std::array<Event, 1> events;
  EXPECT_EQ(fabric->poll(events), 0u);
  EXPECT_TRUE(fabric->arm().idle);
  EXPECT_EQ(fabric->arm().until, Time::never()) << "a poll would do nothing then";
}

TEST(TcpFabric, WhoSendsMuchKeepsNobodyElseWaiting) {
  End receiver, much, little;
  const Peer from_much = much.attach(receiver), from_little = little.attach(receiver);
  much.send(from_much, "much");
  little.send(from_little, "little");
  EXPECT_EQ(receiver.wait_for(2).size(), 2u);
  for (std::size_t i = 0; i < 10 * End::kPoll; ++i) much.send(from_much, "much");
  ::usleep(2'000);  // until they have come
  EXPECT_EQ(receiver.poll().size(), End::kPoll);
  little.send(from_little, "little");
  bool is_heard = false;
  for (int polls = 0; polls < 3 && !is_heard; ++polls) {
    for (const std::string& text : receiver.poll()) is_heard = is_heard || text == "little";
  }
  EXPECT_TRUE(is_heard);
}

TEST(TcpFabric, OneCanSendToItself) {
  End end;
  end.send(end.attach(end), "to myself");
  EXPECT_EQ(end.wait_for(1), std::vector<std::string>{"to myself"});
}

TEST(TcpFabric, WhoDetachesHearsWhatWasOnItsWayAndIsFoundAgain) {
  for (const bool makes_it : {true, false}) {
    End stays, leaves;
    const Peer to_leaves = stays.attach(leaves);
    Peer to_stays = leaves.attach(stays);
    if (makes_it) leaves.send(to_stays, "first");
    if (!makes_it) stays.send(to_leaves, "first");
    EXPECT_EQ((makes_it ? stays : leaves).wait_for(1).size(), 1u);
    leaves.send(to_stays, "last");
    stays.send(to_leaves, "on its way");
    leaves.fabric().detach(to_stays);
    EXPECT_EQ(leaves.wait_for(1), std::vector<std::string>{"on its way"});
    EXPECT_EQ(stays.wait_for(1), std::vector<std::string>{"last"});
    EXPECT_TRUE(stays.received().empty());
    stays.send(to_leaves, "later");
    EXPECT_EQ(leaves.wait_for(1), std::vector<std::string>{"later"});
    to_stays = leaves.attach(stays);
    leaves.send(to_stays, "again");
    EXPECT_EQ(stays.wait_for(1), std::vector<std::string>{"again"});
    EXPECT_EQ(stays.counters().lost + leaves.counters().lost, 0u);
  }
}

TEST(TcpFabric, WhoAttachesAgainAtOnceIsHeard) {
  End stays, leaves;
  const Peer before = leaves.attach(stays);
  leaves.send(before, "before");
  leaves.fabric().detach(before);
  leaves.send(leaves.attach(stays), "again");
  EXPECT_EQ(stays.wait_for(2), (std::vector<std::string>{"before", "again"}));
  EXPECT_EQ(leaves.counters().lost, 0u);
}

// Half of it has left: nothing that came after it over the same connection would be understood.
TEST(TcpFabric, WhoDetachesInTheMiddleOfAFrameEndsTheConnection) {
  Door door;
  End end;
  Stranger stranger(end, door);
  EXPECT_TRUE(stranger.write(on_the_stream("question")));
  EXPECT_EQ(end.wait_for(1).size(), 1u);
  const Peer to = end.fabric().attach(door.address(), Service::datagram);
  while (end.counters().lost == 0) end.send(to, std::string(kFrameBytes, 's'));
  end.fabric().detach(to);
  std::string all;
  for (std::string some = "."; !some.empty(); all += some) some = stranger.read(4'096);
  EXPECT_TRUE(stranger.is_ended());
}

// The kernel takes unread bytes for a reason to break off what it has not delivered yet.
TEST(TcpFabric, WhatWasSentArrivesThoughTheSenderEndsWithoutHavingReadAll) {
  End receiver;
  auto sender = std::make_unique<End>();
  const Peer to = sender->attach(receiver), back = receiver.attach(*sender);
  sender->send(to, "first");
  EXPECT_EQ(receiver.wait_for(1).size(), 1u);
  receiver.send(back, "not read");
  // More than the receiver's kernel takes before it is read, and less than both kernels do.
  constexpr std::size_t kFrames = 300;
  for (std::size_t i = 0; i < kFrames; ++i) sender->send(to, std::string(kFrameBytes, 's'));
  EXPECT_EQ(sender->counters().lost, 0u);
  sender.reset();
  EXPECT_EQ(receiver.wait_for(kFrames).size(), kFrames);
}

TEST(TcpFabric, FramesThatComeByteByByteAreWhole) {
  End receiver;
  Stranger stranger(receiver);
  std::vector<std::string> all;
  for (const char byte : on_the_stream("one") + on_the_stream("") + on_the_stream("three")) {
    EXPECT_TRUE(stranger.write({byte}));
    for (std::string& text : receiver.received()) all.push_back(std::move(text));
  }
  for (std::string& text : receiver.wait_for(3 - all.size())) all.push_back(std::move(text));
  EXPECT_EQ(all, (std::vector<std::string>{"one", "", "three"}));
}

TEST(TcpFabric, AFrameThatComesInTwoPartsBehindAnotherIsWhole) {
  End receiver;
  Stranger stranger(receiver);
  const std::string second = on_the_stream("second");
  EXPECT_TRUE(stranger.write(on_the_stream("first") + second.substr(0, 7)));
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"first"});
  EXPECT_TRUE(stranger.write(second.substr(7)));
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"second"});
}

// Of lengths that no buffer is a multiple of.
TEST(TcpFabric, FramesThatTheKernelTakesInPartsAreWholeAndInOrder) {
  End sender, receiver;
  const Peer to = sender.attach(receiver);
  std::uint64_t sent = 0, received = 0;
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t lost_before = sender.counters().lost;
    while (sender.counters().lost == lost_before) {
      std::string frame(100 + (sent * 37) % (kFrameBytes - 100), 'f');
      store_le(reinterpret_cast<std::byte*>(frame.data()), sent);
      sender.send(to, frame);
      if (sender.counters().lost == lost_before) ++sent;
    }
    for (int attempt = 0; attempt < 2'000 && received < sent; ++attempt) {
      for (const std::string& frame : receiver.received()) {
        ASSERT_EQ(frame.size(), 100 + (received * 37) % (kFrameBytes - 100));
        ASSERT_EQ(load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(frame.data())),
                  received++);
      }
      EXPECT_TRUE(sender.received().empty());
    }
    ASSERT_EQ(received, sent);
  }
}

TEST(TcpFabric, ALengthBeyondTheLimitEndsTheConnectionAndNoOther) {
  End receiver, sender;
  const Peer to = sender.attach(receiver);
  sender.send(to, "before");
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"before"});
  Stranger stranger(receiver);
  EXPECT_TRUE(stranger.write(on_the_stream(std::string(kFrameBytes, 'x'))));
  EXPECT_EQ(receiver.wait_for(1).size(), 1u) << "the largest that may be";
  EXPECT_TRUE(stranger.write(on_the_stream(std::string(kFrameBytes + 1, 'x'))));
  EXPECT_EQ(receiver.counters().impossible, 0u);
  sender.send(to, "after");
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"after"});
  EXPECT_TRUE(receiver.received().empty());
  EXPECT_TRUE(stranger.is_ended());
  EXPECT_EQ(receiver.counters().impossible, 1u);
}

TEST(TcpFabric, WhatIsNoPrefixEndsTheConnection) {
  End receiver;
  std::uint64_t ended = 0;
  for (std::size_t at = 4; at < kFramePrefixBytes; ++at) {
    Stranger stranger(receiver);
    std::string bytes = on_the_stream("frame");
    bytes[at] = 1;
    EXPECT_TRUE(stranger.write(bytes));
    for (int attempt = 0; attempt < 2'000 && receiver.counters().impossible == ended; ++attempt)
      EXPECT_TRUE(receiver.received().empty());
    EXPECT_EQ(receiver.counters().impossible, ++ended) << "byte " << at;
    EXPECT_TRUE(stranger.is_ended());
  }
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

TEST(TcpFabric, AConnectionThatHasEndedIsOverThoughAChildHoldsIt) {
  End end;
  Stranger stranger(end);
  EXPECT_TRUE(stranger.write(on_the_stream("heard")));
  EXPECT_EQ(end.wait_for(1), std::vector<std::string>{"heard"});
  const Child child;
  stranger.end();
  ::usleep(2'000);  // until that has come
  EXPECT_TRUE(end.received().empty());
  EXPECT_TRUE(stranger.is_ended());
  EXPECT_TRUE(end.fabric().arm().idle) << "it is told of again and again";
}

// Connections that others have made and its own; what has left arrives before the end.
TEST(TcpFabric, AnEarlierLifeIsOverThoughAChildHoldsItsSockets) {
  auto earlier = std::make_unique<End>();
  TcpOptions options;
  options.local = earlier->fabric().endpoint();
  Stranger stranger(*earlier);
  EXPECT_TRUE(stranger.write(on_the_stream("heard")));
  EXPECT_EQ(earlier->wait_for(1).size(), 1u);
  Door door;
  earlier->send(earlier->fabric().attach(door.address(), Service::datagram), "last words");
  UdpEndpoint from;
  Stranger other(door.accept(from));
  const Child child;
  earlier.reset();
  EXPECT_TRUE(stranger.is_ended());
  EXPECT_EQ(other.read(kCacheLineBytes), on_the_stream("last words"));
  EXPECT_TRUE(other.is_ended());
  std::unique_ptr<TcpFabric> later;
  const Status status = TcpFabric::open(options, later);
  EXPECT_TRUE(status.is_ok()) << status.message();
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
  EXPECT_TRUE(first.write(on_the_stream("heard")));
  EXPECT_EQ(receiver.wait_for(1), std::vector<std::string>{"heard"});
}

TEST(TcpFabric, RandomBytesHarmNobody) {
  End receiver({}, 64), sender;
  const Peer to = sender.attach(receiver);
  Random random(1, 2, 3);
  for (int round = 0; round < 200; ++round) {
    Stranger stranger(receiver);
    std::string bytes = random.below(2) == 0 ? on_the_stream("whole") : "";
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
