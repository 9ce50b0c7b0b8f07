// A process around its engine, on a real socket: how it ends.
#include "hw/run/process_loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "hw/descriptor.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

class Nowhere final : public AddressBook {
 public:
  Address address(std::size_t, ProcessId) const override {
    return to_address(UdpEndpoint{kLoopback, 9});
  }
};

// Process 0 of two, of which the other is never heard, for so long at most.
LoopEnd end_with(EventLog& log, Duration longest) {
  std::unique_ptr<UdpFabric> udp;
  EXPECT_TRUE(UdpFabric::open({}, udp).is_ok());
  const std::array<Fabric*, 1> rails{udp.get()};
  NodeConfiguration configuration;
  configuration.roster = {.nodes = 2, .per_node = 1};
  const std::string text = text_of(configuration);
  const Nowhere addresses;
  std::unique_ptr<NodeProgram> program;
  EXPECT_TRUE(make_engine_program({text, {0}, 2, 0, 1, 77, {}, rails, addresses}, program).is_ok());
  LoopOptions options;
  options.stop_at = monotonic_now() + longest;
  LoopEnd end = LoopEnd::signal;
  EXPECT_TRUE(run_process(program->engine(), rails, log, options, end).is_ok());
  return end;
}

TEST(ProcessLoop, EndsAtItsTime) {
  EventLog log(-1);
  EXPECT_EQ(end_with(log, milliseconds(20)), LoopEnd::stop_time);
}

// What it came to believe from then on would be missing, and nobody would know from the log.
TEST(ProcessLoop, EndsWhenItsLogCannotBeWritten) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EventLog log(full.get(), "here/process-3.boot-0.csv");
  EXPECT_EQ(end_with(log, seconds(10)), LoopEnd::unwritable);
  EXPECT_EQ(log.status().message(),
            "cannot write here/process-3.boot-0.csv: No space left on device");
}

}  // namespace
}  // namespace holdfast::hw
