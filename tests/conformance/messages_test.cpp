// Messages over each fabric that carries datagrams: two endpoints exchange all kinds of lengths in
// both directions, and each message arrives once, whole and in order.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "stack/address_book.hpp"
#include "stack/reliable/endpoint.hpp"
#include "tests/conformance/fabric_pair.hpp"
#include "tests/content.hpp"

namespace holdfast::conformance {
namespace {

using reliable::Completed;
using reliable::Endpoint;
using reliable::EndpointOptions;
using reliable::kNoRequest;
using reliable::Outcome;
using reliable::Pattern;
using reliable::Request;

class BothEnds final : public AddressBook {
 public:
  explicit BothEnds(FabricPair& pair) : pair_(pair) {}
  Address address(std::size_t, ProcessId process) const override {
    return (process.value == 0 ? pair_.a() : pair_.b()).local_address();
  }

 private:
  FabricPair& pair_;
};

class Messages : public ::testing::TestWithParam<FabricFactory> {
 protected:
  void SetUp() override {
    pair_ = GetParam().make();
    ASSERT_NE(pair_, nullptr);
    addresses_ = std::make_unique<BothEnds>(*pair_);
    for (std::uint32_t p = 0; p < 2; ++p) {
      EndpointOptions options;
      options.self = ProcessId{p};
      options.job = 3;
      options.seal = "siphash128";
      options.limits.peers = 1;
      options.limits.send_slots = 32;
      options.limits.receive_slots = 32;
      options.limits.requests = 256;
      // These pairs have few slots, and what finds none is lost.
      options.limits.window_bytes = 32768;
      Fabric* const rail = p == 0 ? &pair_->a() : &pair_->b();
      ends_[p] = std::make_unique<Endpoint>(options, std::span(&rail, 1), *addresses_);
    }
    for (std::uint32_t p = 0; p < 2; ++p) {
      ASSERT_TRUE(ends_[p]->connect({1 - p}, {}, pair_->now()));
    }
  }

  // Until so many requests of both have completed.
  bool complete(std::size_t count) {
    std::array<Completed, 16> some;
    std::size_t done[2] = {};
    for (int turns = 0; turns < 200'000 && done[0] + done[1] < 2 * count; ++turns) {
      for (std::uint32_t p = 0; p < 2; ++p) {
        ends_[p]->turn(pair_->now());
        for (std::size_t n = 0; (n = ends_[p]->completed(some)) > 0; done[p] += n) {
          for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(some[i].outcome, Outcome::delivered);
        }
      }
      pair_->settle();
    }
    return done[0] == count && done[1] == count;
  }

  std::unique_ptr<FabricPair> pair_;  // outlives the endpoints
  std::unique_ptr<BothEnds> addresses_;
  std::unique_ptr<Endpoint> ends_[2];
};

TEST_P(Messages, ArriveOnceWholeAndInOrder) {
  const std::size_t lengths[] = {0, 1, 8, 1000, 1424, 5000, 32768, 32769, 100'000, 300'000};
  std::vector<std::vector<std::byte>> sent[2], got[2];
  for (std::uint32_t to = 0; to < 2; ++to) {
    for (const std::size_t length : lengths) {
      tests::fill_content(length + to, sent[to].emplace_back(length));
      got[to].emplace_back(length);
    }
  }
  for (std::uint32_t to = 0; to < 2; ++to) {
    for (std::size_t i = 0; i < std::size(lengths); ++i) {
      const Request request = ends_[1 - to]->send({to}, 1, 2, sent[to][i], i, pair_->now());
      ASSERT_NE(request, kNoRequest);
      Pattern pattern;
      pattern.context = 1;
      pattern.tag = 2;
      ASSERT_NE(ends_[to]->receive(pattern, got[to][i], i, pair_->now()), kNoRequest);
    }
  }
  ASSERT_TRUE(complete(2 * std::size(lengths)));
  for (std::uint32_t to = 0; to < 2; ++to) EXPECT_TRUE(got[to] == sent[to]);
}

INSTANTIATE_TEST_SUITE_P(EveryFabric, Messages,
                         ::testing::ValuesIn(fabrics_that(&FabricFactory::datagram)),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace holdfast::conformance
