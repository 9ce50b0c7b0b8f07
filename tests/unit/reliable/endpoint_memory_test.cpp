// What a peer costs whom nothing is under way to, as malloc counts it.
#include <gtest/gtest.h>

#include "stack/reliable/incoming.hpp"
#include "tests/malloc_bytes.hpp"
#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

constexpr std::uint32_t kFew = 64, kMany = 1088;

// A process with connections to `peers` others, over two rails.
class Crowd {
 public:
  explicit Crowd(std::uint32_t peers) : network_(peers + 1, {RailKind{}, RailKind{}}) {
    EndpointOptions options = WorldOptions::defaults();
    options.limits.peers = peers;
    options.limits.requests = 4096;  // as many messages in pieces for few as for many
    const std::vector<Fabric*> rails = network_.fabrics(0);
    const std::size_t before = tests::malloc_bytes();
    endpoint_ = std::make_unique<Endpoint>(options, rails, network_);
    for (std::uint32_t p = 1; p <= peers; ++p) {
      EXPECT_TRUE(endpoint_->connect({p}, {}, Time{1}));
    }
    bytes_ = tests::malloc_bytes() - before;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  ScriptedNetwork network_;
  std::unique_ptr<Endpoint> endpoint_;
  std::size_t bytes_ = 0;
};

// With two rails, all that malloc gives out but a buffer: each peer has a place for a message.
TEST(EndpointMemory, AnIdlePeerTakesAKibibyte) {
  EXPECT_LE(Endpoint::bytes_per_idle_peer(2), 1024u);
  EXPECT_LE(Endpoint::bytes_per_idle_peer(8), 2600u);
  if (!tests::malloc_counts()) GTEST_SKIP() << "this malloc does not count";
  const std::size_t few = Crowd(kFew).bytes();
  const std::size_t many = Crowd(kMany).bytes();
  constexpr std::size_t kPlace = sizeof(IncomingMessage) + sizeof(std::uint32_t);
  EXPECT_LE((many - few) / (kMany - kFew), 1024u + kPlace);
}

// A message to each of many, one after the other: what is kept for those that are sent something,
// or owed something, goes from one to the next.
TEST(EndpointMemory, WhatIsUnderWayTakesMemoryOnlyWhileItIs) {
  WorldOptions options;
  options.processes = 48;
  options.endpoint.limits.peers = options.processes;
  options.endpoint.limits.requests = 64;
  options.endpoint.limits.unexpected_messages = 64;
  options.endpoint.limits.unexpected_bytes = 64 << 10;
  World world(options);
  const std::vector<std::byte> message = content(1, 100'000);
  std::vector<std::byte> memory(message.size());
  std::size_t allocated_by_endpoints = 0;
  const auto counted = [&](const auto& command) {
    const std::size_t before = allocations() - world.network.own_allocations;
    command();
    allocated_by_endpoints += allocations() - world.network.own_allocations - before;
  };
  const auto pass = [&](std::uint32_t from, std::uint32_t to) {
    Pattern pattern;
    pattern.source = ProcessId{from};
    counted([&] {
      ASSERT_NE(world.at(to).receive(pattern, memory, 0, world.now()), kNoRequest);
      ASSERT_NE(world.at(from).send({to}, 0, 0, message, 0, world.now()), kNoRequest);
    });
    std::size_t done = 0;
    for (int round = 0; round < 10'000 && done < 2; ++round) {
      for (const std::uint32_t p : {from, to}) {
        std::array<Completed, 4> some;
        counted([&] { world.at(p).turn(world.now()); });
        done += world.at(p).completed(some);
      }
      world.network.launch();
      world.network.now += microseconds(10);
      world.network.deliver();
    }
    EXPECT_EQ(done, 2u);
  };
  for (std::uint32_t p = 1; p < options.processes; ++p) {
    pass(0, p);
    pass(p, 0);
    // There is one more than are kept, for whoever comes next.
    if (p == 36) allocated_by_endpoints = 0;
  }
  EXPECT_EQ(allocated_by_endpoints, 0u);
}

}  // namespace
}  // namespace holdfast::reliable
