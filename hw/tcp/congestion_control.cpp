// A new socket is asked.
#include "hw/tcp/congestion_control.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

#include "hw/descriptor.hpp"

namespace holdfast::hw {

std::string congestion_control() {
  constexpr std::size_t kNameMax = 16;  // TCP_CA_NAME_MAX of the kernel
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::array<char, kNameMax + 1> name{};
  socklen_t size = kNameMax;
  if (::getsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) != 0) return {};
  return name.data();
}

}  // namespace holdfast::hw
