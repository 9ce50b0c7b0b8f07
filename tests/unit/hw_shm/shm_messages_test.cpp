// Messages over real shared memory: how many frames are under way, and what its lanes hold.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/shm_fabric.hpp"
#include "stack/address_book.hpp"
#include "stack/reliable/endpoint.hpp"
#include "tests/content.hpp"

namespace holdfast::hw {
namespace {

using reliable::Endpoint;

constexpr std::size_t kMessages = 200;
constexpr std::size_t kBytes = 8;

class Pair final : public AddressBook {
 public:
  Pair() {
    for (std::uint32_t p = 0; p < 2; ++p) {
      ShmOptions options;
      options.name = "holdfast-test-" + std::to_string(::getpid()) + "-" + std::to_string(p);
      const Status opened = ShmFabric::open(options, fabrics[p]);
      EXPECT_TRUE(opened.is_ok()) << opened.message();
    }
    for (std::uint32_t p = 0; p < 2; ++p) {
      reliable::EndpointOptions options;
      options.self = ProcessId{p};
      options.limits = reliable::limits_for("shm");
      options.limits.peers = 1;
      Fabric* const rail = fabrics[p].get();
      ends[p] = std::make_unique<Endpoint>(options, std::span(&rail, 1), *this);
      EXPECT_TRUE(ends[p]->connect({1 - p}, {}, monotonic_now()));
    }
  }
  Address address(std::size_t, ProcessId process) const override {
    return fabrics[process.value]->local_address();
  }
  // How many requests of that end are over by then.
  std::size_t turn(std::uint32_t p) {
    static_cast<void>(ends[p]->turn(monotonic_now()));
    std::array<reliable::Completed, 64> some;
    return ends[p]->completed(some);
  }

  std::array<std::unique_ptr<ShmFabric>, 2> fabrics;
  std::array<std::unique_ptr<Endpoint>, 2> ends;
};

TEST(ShmMessages, ShortOnesDoNotOverflowTheirLane) {
  Pair pair;
  std::vector<std::vector<std::byte>> sent(kMessages, std::vector<std::byte>(kBytes));
  for (std::size_t i = 0; i < kMessages; ++i) tests::fill_content(i, sent[i]);
  std::vector<std::vector<std::byte>> received(kMessages, std::vector<std::byte>(kBytes));
  reliable::Pattern any;
  for (auto& memory : received) {
    ASSERT_NE(pair.ends[1]->receive(any, memory, 0, monotonic_now()), reliable::kNoRequest);
  }
  for (const auto& message : sent) {
    ASSERT_NE(pair.ends[0]->send({1}, 0, 0, message, 0, monotonic_now()), reliable::kNoRequest);
  }
  std::size_t arrived = 0;
  const Time latest = monotonic_now() + seconds(20);
  while (arrived < kMessages && monotonic_now() < latest) {
    static_cast<void>(pair.turn(0));
    arrived += pair.turn(1);
  }
  EXPECT_EQ(received, sent);
  for (const auto& fabric : pair.fabrics) EXPECT_EQ(fabric->counters().full, 0u);
}

}  // namespace
}  // namespace holdfast::hw
