// The rendezvous of processes that nobody has launched: what is said there counts only if it was
// made with the job's key for that connection, and whatever else comes changes nothing.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "hw/descriptor.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/joined_node.hpp"
#include "hw/launch/met_addresses.hpp"
#include "hw/launch/rendezvous.hpp"
#include "hw/launch/rendezvous_frames.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/hw/few_descriptors.hpp"

namespace holdfast::hw {
namespace {

const Address kWatchedAt = to_address(ProcessIdentity{100, 7});

JobKey key_of(std::uint8_t byte) {
  JobKey key;
  key.bytes.fill(std::byte{byte});
  return key;
}

Introduction introduction_of(std::uint32_t rank) {
  Introduction introduction;
  introduction.self = {
      {to_address(UdpEndpoint{kLoopback, static_cast<std::uint16_t>(1000 + rank)})},
      {static_cast<std::int32_t>(100 + rank), 7},
      host_identity()};
  introduction.processes = 3;
  introduction.key = key_of(1);
  return introduction;
}

Claim claim_of(std::uint32_t rank) {
  return {rank, 3, Digest{}, introduction_of(rank).self};
}

JobMember member_with(std::size_t rails) {
  JobMember member = introduction_of(0).self;
  for (std::uint16_t port = 2000; member.addresses.size() < rails; ++port) {
    member.addresses.push_back(to_address(UdpEndpoint{kLoopbackV6, port}));
  }
  return member;
}

std::array<std::byte, kClaimBytes> sealed_claim(std::span<const std::byte> body) {
  // An answer of this kind has the mac of a claim.
  const auto answer = encode_answer(AnswerKind{'c'}, body, key_of(1), {});
  std::array<std::byte, kClaimBytes> claim;
  std::copy(answer.begin() + kAnswerHeadBytes, answer.end(), claim.begin());
  return claim;
}

TEST(RendezvousFrames, AClaimIsForOneKeyAndOneConnection) {
  Nonces nonces;
  nonces.process.fill(std::byte{5});
  nonces.host.fill(std::byte{6});
  const auto bytes = encode_claim(claim_of(2), key_of(1), nonces);
  Claim claim;
  EXPECT_EQ(decode_claim(bytes, key_of(1), nonces, claim), ClaimFault::none);
  EXPECT_EQ(claim.rank, 2u);
  EXPECT_EQ(claim.member, claim_of(2).member);
  EXPECT_EQ(decode_claim(bytes, key_of(2), nonces, claim), ClaimFault::other_key);
  Nonces replayed = nonces;
  replayed.host.fill(std::byte{7});
  EXPECT_EQ(decode_claim(bytes, key_of(1), replayed, claim), ClaimFault::other_key);
  replayed = nonces;
  replayed.process.fill(std::byte{7});
  EXPECT_EQ(decode_claim(bytes, key_of(1), replayed, claim), ClaimFault::other_key);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] ^= std::byte(1u << bit % 8);
    EXPECT_EQ(decode_claim(flipped, key_of(1), nonces, claim), ClaimFault::other_key) << bit;
  }
}

TEST(RendezvousFrames, AClaimHasAnAddressForEachRailAndNothingBehindThem) {
  for (std::size_t rails = 1; rails <= SeveralRails::kRailsMax; ++rails) {
    Claim claim = claim_of(2), heard;
    claim.member = member_with(rails);
    const auto bytes = encode_claim(claim, key_of(1), {});
    ASSERT_EQ(decode_claim(bytes, key_of(1), {}, heard), ClaimFault::none);
    EXPECT_EQ(heard.member, claim.member);
    auto body = std::vector(bytes.begin(), bytes.end() - kMacBytes);
    EXPECT_EQ(decode_claim(sealed_claim(body), key_of(1), {}, heard), ClaimFault::none);
    if (rails == SeveralRails::kRailsMax) continue;
    body.back() = std::byte{1};
    EXPECT_EQ(decode_claim(sealed_claim(body), key_of(1), {}, heard), ClaimFault::spoilt);
  }
}

TEST(RendezvousFrames, AClaimOfNoRailOrOfTooManyIsSpoilt) {
  const auto bytes = encode_claim(claim_of(2), key_of(1), {});
  for (const auto rails : {std::byte{0}, std::byte{SeveralRails::kRailsMax + 1}, std::byte{255}}) {
    auto body = std::vector(bytes.begin(), bytes.end() - kMacBytes);
    body[4 + 4 + 32] = rails;
    Claim heard;
    EXPECT_EQ(decode_claim(sealed_claim(body), key_of(1), {}, heard), ClaimFault::spoilt);
  }
}

TEST(RendezvousFrames, AllWhoBeginHaveAsManyRails) {
  MetJob begun, heard;
  begun.members = {member_with(2), member_with(2)};
  EXPECT_TRUE(decode_begin(encode_begin(begun), 2, 2, heard));
  EXPECT_EQ(heard.members, begun.members);
  begun.members = {member_with(1), member_with(3)};  // as many bytes
  EXPECT_FALSE(decode_begin(encode_begin(begun), 2, 2, heard));
}

TEST(RendezvousFrames, AnAnswerIsAsLongAsItsKindAndTheJobSay) {
  const auto after = [](AnswerKind kind, std::uint32_t body) {
    std::array<std::byte, kAnswerHeadBytes> head{std::byte(kind)};
    store_le(head.data() + 1, body);
    return bytes_after_head(head, 3, 2);
  };
  const std::uint32_t begin = 4 + 3 * job_member_bytes(2);
  EXPECT_EQ(after(AnswerKind::begin, begin), begin + kMacBytes);
  EXPECT_FALSE(after(AnswerKind::begin, begin + 1));
  EXPECT_FALSE(after(AnswerKind::begin, begin - 1));
  EXPECT_TRUE(after(AnswerKind::refusal, kRefusalBytesMax));
  EXPECT_FALSE(after(AnswerKind::refusal, kRefusalBytesMax + 1));
  EXPECT_FALSE(after(AnswerKind::refusal, 0xffff'ffff));
  EXPECT_FALSE(after(AnswerKind::no_key, 1));
  EXPECT_FALSE(after(AnswerKind{0}, 0));
  EXPECT_FALSE(after(AnswerKind{4}, 0));
}

TEST(RendezvousFrames, AnAnswerOfOneKindIsNoneOfAnother) {
  const auto bytes = encode_answer(AnswerKind::refusal, {}, key_of(1), {});
  const auto after_head = std::span(bytes).subspan(kAnswerHeadBytes);
  EXPECT_TRUE(body_of_answer(AnswerKind::refusal, after_head, key_of(1), {}));
  EXPECT_FALSE(body_of_answer(AnswerKind::begin, after_head, key_of(1), {}));
  EXPECT_FALSE(body_of_answer(AnswerKind::refusal, after_head, key_of(2), {}));
}

TEST(RendezvousFrames, AHelloOfAnotherVersionSaysBoth) {
  auto hello = encode_hello({});
  Nonce nonce;
  EXPECT_TRUE(decode_hello(hello, nonce).is_ok());
  hello[5] ^= std::byte{0x40};
  const Met other = decode_hello(hello, nonce);
  EXPECT_EQ(other.fault, MeetingFault::refused);
  EXPECT_NE(other.message.find("use one build"), std::string::npos);
  hello[0] ^= std::byte{1};
  EXPECT_NE(decode_hello(hello, nonce).message.find("no holdfast node"), std::string::npos);
}

TEST(RendezvousFrames, AKeyIs64Digits) {
  const std::string digits(64, 'a');
  ASSERT_TRUE(parse_job_key(" " + digits + "\n"));
  EXPECT_EQ(parse_job_key(digits)->bytes, key_of(0xaa).bytes);
  EXPECT_FALSE(parse_job_key(digits + "a"));
  EXPECT_FALSE(parse_job_key(digits.substr(1)));
  EXPECT_FALSE(parse_job_key("+" + digits.substr(1)));
  EXPECT_FALSE(parse_job_key(""));
}

TEST(JoinedNode, ProcessesOfOneNodeMustBeOnOneMachine) {
  std::vector<JobMember> members(4, introduction_of(0).self);
  members[2].host.fill(std::byte{1});
  members[3].host.fill(std::byte{1});
  EXPECT_TRUE(check_places(Roster({.nodes = 2, .per_node = 2}), members).is_ok());
  EXPECT_TRUE(check_places(Roster({.nodes = 4, .per_node = 1}), members).is_ok());
  EXPECT_TRUE(check_places(Roster({.nodes = 1, .per_node = 4, .agents = false}), members).is_ok());
  const Met wrong = check_places(Roster({.nodes = 1, .per_node = 4}), members);
  EXPECT_EQ(wrong.fault, MeetingFault::refused);
  EXPECT_NE(wrong.message.find("processes 0 and 2 are of one node"), std::string::npos);
}

TEST(MetAddresses, AreThoseOfTheRailsAndThenTheProcess) {
  std::vector<JobMember> members{introduction_of(0).self, introduction_of(1).self};
  members[1].addresses.push_back(introduction_of(9).self.addresses.front());
  const MetAddresses addresses(members);
  EXPECT_EQ(addresses.address(0, {1}), members[1].addresses[0]);
  EXPECT_EQ(addresses.address(1, {1}), members[1].addresses[1]);
  EXPECT_EQ(addresses.address(2, {1}), to_address(members[1].process));
}

TEST(JoinedNode, ALoopbackIsNoAddressForAnotherMachine) {
  std::vector<JobMember> members(2,
                                 self_at({to_address(UdpEndpoint{kLoopback, 4000})}, kWatchedAt));
  EXPECT_TRUE(check_addresses(JobFabric::udp, members).is_ok());
  members[1].host[0] ^= std::byte{1};
  const Met met = check_addresses(JobFabric::udp, members);
  EXPECT_EQ(met.fault, MeetingFault::refused);
  EXPECT_NE(met.message.find("process 1 is at 127.0.0.1:4000"), std::string::npos) << met.message;
}

TEST(JoinedNode, WhoIsAtNoAddressOfTheJobsFabricIsNamed) {
  std::vector<JobMember> members(3, introduction_of(0).self);
  EXPECT_TRUE(check_addresses(JobFabric::udp, members).is_ok());
  EXPECT_FALSE(check_addresses(JobFabric::shm, members).is_ok());
  members[2].addresses[0].size = 3;
  const Met wrong = check_addresses(JobFabric::udp, members);
  EXPECT_EQ(wrong.fault, MeetingFault::failed);
  EXPECT_NE(wrong.message.find("process 2 is at 7f0000"), std::string::npos) << wrong.message;
}

TEST(JoinedNode, TheAddressesOfEachRailAreLookedAt) {
  const Address here = to_address(UdpEndpoint{0x0a01'0001, 4000});
  std::vector<JobMember> members(
      2, self_at({here, to_address(UdpEndpoint{0x0a02'0001, 4000})}, kWatchedAt));
  members[1].host[0] ^= std::byte{1};
  EXPECT_TRUE(check_addresses(JobFabric::udp, members).is_ok());
  members[1].addresses[1] = to_address(UdpEndpoint{kLoopbackV6, 4001});
  EXPECT_NE(check_addresses(JobFabric::udp, members).message.find("process 1 is at [::1]:4001"),
            std::string::npos);
  members[1].host = members[0].host;
  EXPECT_NE(check_addresses(JobFabric::udp, members).message.find("one version of IP"),
            std::string::npos);
  members[0].addresses[1] = members[1].addresses[1];  // of one version on each rail
  EXPECT_TRUE(check_addresses(JobFabric::udp, members).is_ok());
}

Duration processor_time() {
  timespec time{};
  EXPECT_EQ(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
  return seconds(time.tv_sec) + Duration{time.tv_nsec};
}

// A job of three whose process 0 waits.
class Rendezvous : public ::testing::Test {
 protected:
  void SetUp() override {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketName any(UdpEndpoint{});
    ASSERT_EQ(::bind(socket.get(), &any.any, any.size), 0);
    place_ = local_name(socket.get());
  }
  ~Rendezvous() override {
    for (std::thread& thread : threads_) thread.join();
  }
  struct One {
    Met met;
    MetJob job;
  };
  void start(std::uint32_t rank, One& one) { start(rank, introduction_of(rank), one); }
  void start(std::uint32_t rank, const Introduction& introduction, One& one) {
    threads_.emplace_back([this, rank, introduction, &one] {
      const auto meeting =
          rank == 0 ? make_rendezvous_host(place_) : make_rendezvous_guest(place_, {rank});
      one.met = meeting->reach(3, until_);
      if (one.met.is_ok()) one.met = meeting->meet(introduction, until_, one.job);
    });
  }
  void join_all() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  Descriptor connected() {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketName to(place_);
    for (int attempt = 0; attempt < 500; ++attempt) {
      if (::connect(socket.get(), &to.any, to.size) == 0) break;
      ::usleep(10'000);
    }
    return socket;
  }
  static bool say(const Descriptor& socket, std::span<const std::byte> bytes) {
    return ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Somebody at the place of process 0 who greets `guest`, and nobody after it.
  Descriptor greeted(One& guest) {
    const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketName at(place_);
    EXPECT_EQ(::bind(listener.get(), &at.any, at.size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    start(1, guest);
    Descriptor socket(::accept(listener.get(), nullptr, nullptr));
    EXPECT_TRUE(say(socket, encode_hello({})));
    return socket;
  }
  // A process that says who it is, and is heard.
  Descriptor claimed(std::uint32_t rank) {
    Descriptor socket = connected();
    claim(socket, rank);
    return socket;
  }
  static void claim(const Descriptor& socket, std::uint32_t rank) {
    Nonces nonces;
    std::array<std::byte, kHelloBytes> hello;
    EXPECT_TRUE(say(socket, encode_hello(nonces.process)));
    EXPECT_EQ(::recv(socket.get(), hello.data(), hello.size(), MSG_WAITALL),
              static_cast<ssize_t>(hello.size()));
    EXPECT_TRUE(decode_hello(hello, nonces.host).is_ok());
    EXPECT_TRUE(say(socket, encode_claim(claim_of(rank), key_of(1), nonces)));
  }
  void expect_met(const One& one) {
    ASSERT_TRUE(one.met.is_ok()) << one.met.message;
    ASSERT_EQ(one.job.members.size(), 3u);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(one.job.members[rank], introduction_of(rank).self);
    }
  }

  UdpEndpoint place_;
  Time until_ = monotonic_now() + seconds(20);
  std::vector<std::thread> threads_;
};

TEST_F(Rendezvous, AllLearnOfAllWhateverElseComes) {
  std::array<One, 3> all;
  start(0, all[0]);
  Random random(1, 2, 3);
  for (int i = 0; i < 200; ++i) {  // more than may stay, and they do not
    const Descriptor stranger = connected();
    std::array<std::byte, 2 * kClaimBytes> noise;
    for (std::byte& byte : noise) byte = std::byte(random.below(256));
    if (i % 2 == 0) {  // well begun
      const auto hello = encode_hello({});
      std::copy(hello.begin(), hello.end(), noise.begin());
    }
    (void)say(stranger, std::span(noise).first(random.below(noise.size())));
  }
  start(1, all[1]);
  start(2, all[2]);
  join_all();
  for (const One& one : all) expect_met(one);
  EXPECT_EQ(all[1].job.number, all[0].job.number);
  EXPECT_EQ(all[2].job.key.bytes, key_of(1).bytes);
}

TEST_F(Rendezvous, WhoComesTwiceIsRefusedAndTheFirstStays) {
  One host, second, other;
  start(0, host);
  const Descriptor first = claimed(1);
  start(1, second);
  threads_.back().join();
  threads_.pop_back();
  EXPECT_EQ(second.met.fault, MeetingFault::refused);
  EXPECT_NE(second.met.message.find("process 1 has joined already, from 127.0.0.1:1001"),
            std::string::npos)
      << second.met.message;
  start(2, other);
  join_all();
  expect_met(host);
  expect_met(other);
}

TEST_F(Rendezvous, AllLearnOfAllRails) {
  std::array<One, 3> all;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    Introduction introduction = introduction_of(rank);
    introduction.self.addresses.push_back(introduction_of(10 + rank).self.addresses.front());
    start(rank, introduction, all[rank]);
  }
  join_all();
  for (const One& one : all) {
    ASSERT_TRUE(one.met.is_ok()) << one.met.message;
    EXPECT_EQ(one.job.members[2].addresses[0], introduction_of(2).self.addresses[0]);
    EXPECT_EQ(one.job.members[2].addresses[1], introduction_of(12).self.addresses[0]);
  }
}

TEST_F(Rendezvous, WhoHasAnotherNumberOfRailsIsNamedAndTheOthersWait) {
  std::array<One, 3> all;
  One other;
  start(0, all[0]);
  Introduction introduction = introduction_of(2);
  introduction.self = member_with(2);
  start(2, introduction, other);
  threads_.back().join();
  threads_.pop_back();
  EXPECT_EQ(other.met.fault, MeetingFault::refused);
  EXPECT_EQ(other.met.message,
            "process 2 has 2 rails and process 0 has 1; every process of a job brings an address "
            "for each of its rails");
  start(1, all[1]);
  start(2, all[2]);
  join_all();
  for (const One& one : all) expect_met(one);
}

TEST_F(Rendezvous, AProcessThatDiesBeforeTheBeginningGivesItsRankBack) {
  std::array<One, 3> all;
  start(0, all[0]);
  claimed(1).close();
  start(1, all[1]);
  start(2, all[2]);
  join_all();
  for (const One& one : all) expect_met(one);
}

// Whoever waits at its door takes no processor meanwhile.
TEST_F(Rendezvous, WithoutADescriptorLeftProcess0RestsAndGoesOn) {
  One host;
  start(0, host);
  const Descriptor first = claimed(1);
  const Descriptor second(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  {
    const FewDescriptors few(0);
    const SocketName to(place_);
    ASSERT_EQ(::connect(second.get(), &to.any, to.size), 0);
    const Duration before = processor_time();
    ::usleep(500'000);
    EXPECT_LT(processor_time() - before, milliseconds(50));
  }
  claim(second, 2);
  join_all();
  expect_met(host);
}

TEST_F(Rendezvous, WhoWaitsIsToldWhoIsMissing) {
  until_ = monotonic_now() + milliseconds(500);
  One host, guest;
  start(0, host);
  start(2, guest);
  join_all();
  for (const One* one : {&host, &guest}) {
    EXPECT_EQ(one->met.fault, MeetingFault::failed);
    EXPECT_EQ(one->met.message, "1 of 3 processes have not come in time: 1");
  }
}

TEST_F(Rendezvous, TheEndOfProcess0IsNoticedAtOnce) {
  One guest;
  {
    const Descriptor socket = greeted(guest);
    std::array<std::byte, kHelloBytes + kClaimBytes> all;
    EXPECT_EQ(::recv(socket.get(), all.data(), all.size(), MSG_WAITALL),
              static_cast<ssize_t>(all.size()));
  }
  join_all();
  EXPECT_EQ(guest.met.fault, MeetingFault::failed);
  EXPECT_NE(guest.met.message.find("is gone, and the job had not begun"), std::string::npos);
}

TEST_F(Rendezvous, AnAnswerThatWasNotMadeWithTheKeyIsNotBelieved) {
  One guest;
  const Descriptor socket = greeted(guest);
  MetJob job;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    job.members.push_back(introduction_of(rank).self);
  }
  EXPECT_TRUE(say(socket, encode_answer(AnswerKind::begin, encode_begin(job), key_of(2), {})));
  join_all();
  EXPECT_EQ(guest.met.fault, MeetingFault::refused);
  EXPECT_NE(guest.met.message.find("different keys"), std::string::npos) << guest.met.message;
}

}  // namespace
}  // namespace holdfast::hw
