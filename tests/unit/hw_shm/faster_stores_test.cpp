// What is told of the times decides, and is asked for again; and a fabric tells it.
#include "hw/shm/faster_stores.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/shm_fabric.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kBytes = 16384;

using TimeOf = std::function<Duration(StoredBy, std::uint32_t bytes)>;

// The sizes of frames are `sizes` again and again. Returns how many were timed.
std::uint32_t compare(FasterStores& stores, const TimeOf& time_of,
                      const std::vector<std::uint32_t>& sizes = {kBytes}) {
  std::uint32_t timed = 0;
  for (;; ++timed) {
    const std::uint32_t bytes = sizes[timed % sizes.size()];
    if (!stores.is_to_be_timed(bytes)) return timed;
    stores.took(bytes, time_of(stores.tried(), bytes));
  }
}

TimeOf faster_by(StoredBy way) {
  return [way](StoredBy by, std::uint32_t bytes) {
    return nanoseconds(by == way ? bytes / 20 : bytes / 10);
  };
}

TEST(FasterStores, AreThoseThatTookLess) {
  for (const StoredBy way : {StoredBy::anything, StoredBy::memcpy, StoredBy::anything}) {
    FasterStores stores;
    EXPECT_EQ(compare(stores, faster_by(way)), 2 * FasterStores::kTrials);
    EXPECT_EQ(stores.faster(), way);
  }
}

TEST(FasterStores, AreComparedAgainAfterSoManyFrames) {
  FasterStores stores;
  compare(stores, faster_by(StoredBy::anything));
  // The one that said that the comparison was over counts.
  for (std::uint32_t i = 1; i < FasterStores::kNotTimed; ++i)
    ASSERT_FALSE(stores.is_to_be_timed(kBytes)) << i;
  EXPECT_EQ(compare(stores, faster_by(StoredBy::memcpy)), 2 * FasterStores::kTrials);
  EXPECT_EQ(stores.faster(), StoredBy::memcpy);
}

TEST(FasterStores, ShortFramesAreNeitherTimedNorCounted) {
  FasterStores stores;
  EXPECT_FALSE(stores.is_to_be_timed(FasterStores::kTimedBytesMin - 1));
  EXPECT_TRUE(stores.is_to_be_timed(FasterStores::kTimedBytesMin));
  compare(stores, faster_by(StoredBy::anything));
  for (std::uint32_t i = 0; i < 2 * FasterStores::kNotTimed; ++i)
    ASSERT_FALSE(stores.is_to_be_timed(1));
  EXPECT_FALSE(stores.is_to_be_timed(kBytes));
}

TEST(FasterStores, AWaitForTheProcessorIsNoSlowStore) {
  FasterStores stores;
  std::uint32_t waits = 0;
  compare(stores, [&](StoredBy by, std::uint32_t) {
    const bool waited = by == StoredBy::anything && waits++ < FasterStores::kTrials / 2 - 1;
    return waited ? milliseconds(10) : nanoseconds(by == StoredBy::anything ? 900 : 1000);
  });
  EXPECT_EQ(stores.faster(), StoredBy::anything);
}

// A frame takes 3 µs beside what each of its bytes does: of short ones the bytes take longer.
TEST(FasterStores, LongAndShortFramesInTurnMisleadNobody) {
  for (const StoredBy way : {StoredBy::anything, StoredBy::memcpy}) {
    for (const std::vector<std::uint32_t>& sizes :
         {std::vector<std::uint32_t>{16384, 4096}, {4096, 16384}, {16384, 16384, 16384, 4096}}) {
      FasterStores stores;
      const TimeOf time_of = faster_by(way);
      compare(
          stores,
          [&](StoredBy by, std::uint32_t bytes) { return microseconds(3) + time_of(by, bytes); },
          sizes);
      EXPECT_EQ(stores.faster(), way);
    }
  }
}

std::unique_ptr<ShmFabric> open(const std::string& end) {
  ShmOptions options;
  options.name = "holdfast-test-" + std::to_string(::getpid()) + "-" + end;
  options.geometry.frame_bytes = kBytes;
  std::unique_ptr<ShmFabric> fabric;
  const Status status = ShmFabric::open(options, fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// Of one way it takes long.
class SlowWriter final : public FrameWriter {
 public:
  explicit SlowWriter(StoredBy slow) : slow_(slow) {}
  void write(const Operation&, std::byte*, StoredBy by) override {
    ways.push_back(by);
    const Time until = monotonic_now() + (by == slow_ ? microseconds(200) : Duration{});
    while (monotonic_now() < until) {
    }
  }
  std::vector<StoredBy> ways;

 private:
  StoredBy slow_;
};

TEST(FasterStores, AreWhatAFabricAsksForOnceItHasTimedBoth) {
  for (const auto& [slow, fast] : {std::pair{StoredBy::memcpy, StoredBy::anything},
                                   std::pair{StoredBy::anything, StoredBy::memcpy}}) {
    const auto receiver = open("r"), sender = open("s");
    const Peer peer = sender->attach(receiver->local_address(), Service::datagram);
    std::vector<std::byte> memory(kBytes), beginning(48);
    SlowWriter writer(slow);
    for (std::uint32_t i = 0; i < 4 * FasterStores::kTrials; ++i) {
      const ReceiveSlot slot{{}, memory.data(), kBytes, 0};
      ASSERT_EQ(receiver->offer({&slot, 1}), 1u);
      Operation operation;
      operation.inline_data = true;
      operation.peer = peer;
      operation.data = beginning.data();
      operation.size = static_cast<std::uint32_t>(beginning.size());
      operation.more_size = kBytes - operation.size;
      operation.writer = &writer;
      ASSERT_EQ(sender->post({&operation, 1}), 1u);
      std::array<Event, 4> events;
      ASSERT_EQ(receiver->poll(events), 1u);
    }
    const std::vector<StoredBy>& ways = writer.ways;
    ASSERT_EQ(ways.size(), 4 * FasterStores::kTrials);
    const auto timed = ways.begin() + 2 * FasterStores::kTrials;
    EXPECT_EQ(std::count(ways.begin(), timed, slow), FasterStores::kTrials);
    EXPECT_EQ(std::count(timed, ways.end(), fast), 2 * FasterStores::kTrials);
  }
}

}  // namespace
}  // namespace holdfast::hw
