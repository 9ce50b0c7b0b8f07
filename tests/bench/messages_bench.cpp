// How many instructions a message takes, apart from waiting: two endpoints of one process over real
// rails take turns, so nobody polls in vain for long, and callgrind counts what they do.
//
// usage: messages_bench udp|tcp|shm BYTES MESSAGES [fragment bytes (as netpipe)] [checksum|none]
// MESSAGES go there and back, one after the other.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "experiments/netpipe/comparison.hpp"
#include "experiments/netpipe/holdfast_end.hpp"
#include "hw/monotonic_clock.hpp"

namespace {

using namespace holdfast;
using reliable::Endpoint;

class BothEnds final : public AddressBook {
 public:
  explicit BothEnds(const netpipe::OpenRails& rails) : rails_(rails) {}
  Address address(std::size_t rail, ProcessId process) const override {
    return rails_.rails[rail][process.value]->local_address();
  }

 private:
  const netpipe::OpenRails& rails_;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "messages_bench: %s\n", why.c_str());
  std::exit(2);
}

// One message from `from` to the other end; returns when it is there.
void pass(std::array<std::unique_ptr<Endpoint>, 2>& ends, std::uint32_t from,
          std::vector<std::byte>& out, std::vector<std::byte>& in, std::uint64_t& turns) {
  const Time now = hw::monotonic_now();
  reliable::Pattern pattern;
  pattern.source = ProcessId{from};
  if (ends[1 - from]->receive(pattern, in, 1, now) == reliable::kNoRequest ||
      ends[from]->send({1 - from}, 0, 0, out, 0, now) == reliable::kNoRequest)
    give_up("a request was refused");
  for (bool is_there = false; !is_there;) {
    for (const std::uint32_t p : {from, 1 - from}) {
      static_cast<void>(ends[p]->turn(hw::monotonic_now()));
      ++turns;
      std::array<reliable::Completed, 8> some;
      const std::size_t count = ends[p]->completed(some);
      for (std::size_t i = 0; i < count; ++i) is_there = is_there || some[i].cookie == 1;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc > 6) give_up("usage: udp|tcp|shm BYTES MESSAGES [FRAGMENT] [CHECKSUM]");
  const std::string target = argv[1];
  netpipe::RailPlan plan{target,   1,      netpipe::default_fragment_bytes(target),
                         "crc32c", "none", false};
  if (argc > 4) plan.fragment_bytes = static_cast<std::uint32_t>(std::atoi(argv[4]));
  if (argc > 5) plan.checksum = std::string(argv[5]) == "none" ? "" : argv[5];
  netpipe::OpenRails rails;
  if (Status status = netpipe::open_rails(plan, {}, rails); !status.is_ok())
    give_up(status.message());
  const BothEnds addresses(rails);
  std::array<std::unique_ptr<Endpoint>, 2> ends;
  for (std::uint32_t p = 0; p < 2; ++p) {
    Fabric* const rail = rails.rails[0][p].get();
    ends[p] = std::make_unique<Endpoint>(netpipe::options_of(plan, p == 0), std::span(&rail, 1),
                                         addresses);
    if (!ends[p]->connect({1 - p}, {}, hw::monotonic_now())) give_up("no room");
  }
  const auto bytes = static_cast<std::size_t>(std::atol(argv[2]));
  std::vector<std::byte> out(bytes, std::byte{1}), in(bytes);
  std::uint64_t turns = 0;
  const Time begun = hw::monotonic_now();
  const long messages = std::atol(argv[3]);
  for (long i = 0; i < messages; ++i) {
    pass(ends, 0, out, in, turns);
    pass(ends, 1, out, in, turns);
  }
  const double us = 1e-3 * static_cast<double>((hw::monotonic_now() - begun).ns);
  const reliable::EndpointCounts& counts = ends[0]->counts();
  std::printf(
      "%.2f us, %.1f turns a message; of the first end: %llu fragments, %llu again, %llu twice, "
      "%llu acknowledgements\n",
      us / static_cast<double>(2 * messages),
      static_cast<double>(turns) / static_cast<double>(2 * messages),
      static_cast<unsigned long long>(counts.fragments_sent),
      static_cast<unsigned long long>(counts.fragments_resent),
      static_cast<unsigned long long>(counts.fragments_duplicate),
      static_cast<unsigned long long>(counts.acknowledgements_sent));
  return 0;
}
