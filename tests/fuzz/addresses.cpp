// Addresses as every fabric takes them from others: bytes that are one encode to the same bytes.
#include "hw/shm/shm_address.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/verbs/verbs_address.hpp"
#include "hw/watch/process_identity.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

Bytes bytes_of(const Address& address) {
  return {address.bytes.begin(), address.bytes.begin() + address.size};
}

}  // namespace

std::vector<Bytes> seeds() {
  hw::VerbsEndpoint verbs;
  verbs.lid = 7;
  verbs.queue_pair = 17;
  return {bytes_of(hw::to_address(hw::UdpEndpoint{hw::kLoopback, 7000})),
          bytes_of(hw::to_address(hw::UdpEndpoint{hw::kLoopbackV6, 7000})),
          bytes_of(hw::to_shm_address("process-3")), bytes_of(hw::to_address(verbs)),
          bytes_of(hw::to_address(hw::ProcessIdentity{1234, 99}))};
}

void play(Input input) {
  if (input.size() > Address::kBytesMax) return;
  Address address;
  std::copy(input.begin(), input.end(), address.bytes.begin());
  address.size = static_cast<std::uint8_t>(input.size());
  if (const auto udp = hw::to_udp_endpoint(address)) FUZZ_CHECK(hw::to_address(*udp) == address);
  if (const auto shm = hw::to_shm_name(address)) FUZZ_CHECK(hw::to_shm_address(*shm) == address);
  if (const auto verbs = hw::to_verbs_endpoint(address)) {
    FUZZ_CHECK(hw::to_address(*verbs) == address);
  }
  if (const auto process = hw::to_process_identity(address)) {
    FUZZ_CHECK(hw::to_address(*process) == address);
  }
}

}  // namespace holdfast::fuzz
