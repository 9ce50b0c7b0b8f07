// Ports of bridges that drop what comes in or goes out, and say nothing: a black hole in one
// direction. A filter of the bridge (nftables) looks ports up in two sets; it is put up once, by
// nft(8). To change the sets is one call of the kernel: nft, started beforehand or not, takes some
// ten milliseconds, and processors from others who at this very moment are to notice that nothing
// comes any more.
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class SilentPorts {
 public:
  enum class Way : std::uint8_t { in, out };  // of the port; what comes in is from its host

  // Puts the filter up in a network namespace that has none yet. An error says what is missing:
  // nft, or the kernel's filter of bridges.
  static Status open(int name_space, SilentPorts& opened);
  bool is_open() const { return kernel_.is_open(); }

  // From its return on. `port`: an interface's name. An error says what the kernel refuses; to end
  // what has not begun is one.
  Status begin(std::string_view port, Way way);
  Status end(std::string_view port, Way way);

 private:
  Status change(std::uint16_t request, std::string_view port, Way way);

  Descriptor kernel_;  // netlink, of that namespace
  std::uint32_t batches_ = 0;
};

}  // namespace holdfast::hw
