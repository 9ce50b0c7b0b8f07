// What a process has put into PMIx, as another one reads it.
#include "hw/launch/pmix_entry.hpp"
#include "hw/udp/udp_address.hpp"

#include <algorithm>

#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

hw::Introduction introduction() {
  hw::Introduction made;
  for (std::uint16_t rail = 0; rail < 2; ++rail) {
    const auto port = static_cast<std::uint16_t>(7000 + 100 * rail);
    made.self.addresses.push_back(hw::to_address(hw::UdpEndpoint{hw::kLoopback, port}));
    made.messages.push_back(made.self.addresses.back());
  }
  made.self.process = {1234, 99};
  made.processes = 3;
  return made;
}

}  // namespace

std::vector<Bytes> seeds() {
  hw::MetJob job;
  job.number = 77;
  hw::Introduction one = introduction();
  one.self.addresses.pop_back();
  one.messages.pop_back();
  return {hw::encode_pmix_entry(introduction(), job), hw::encode_pmix_entry(introduction(), {}),
          hw::encode_pmix_entry(one, job)};
}

void play(Input input) {
  for (const std::uint32_t rank : {0u, 1u}) {
    hw::MetJob job;
    const hw::Met met = hw::read_pmix_entry(input, rank, introduction(), job);
    if (!met.is_ok()) {
      check_sentence(met.message);
      FUZZ_CHECK(job.number == 0 && job.members.empty() && job.messages.empty());
      continue;
    }
    FUZZ_CHECK(job.members.size() == 1 && job.messages.size() == 1);
    FUZZ_CHECK(job.members.front().addresses.size() == 2 && job.messages.front().size() == 2);
    hw::Introduction other = introduction();
    other.self = job.members.front();
    other.messages = job.messages.front();
    if (rank != 0) continue;
    Bytes again = hw::encode_pmix_entry(other, job);
    FUZZ_CHECK(std::equal(again.begin(), again.end(), input.begin(), input.end()));
  }
}

}  // namespace holdfast::fuzz
