// The address of a rendezvous as text.
#include "hw/launch/rendezvous.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>

namespace holdfast::hw {

std::string parse_rendezvous(const std::string& text, UdpEndpoint& endpoint) {
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  if (colon != std::string::npos) {
    const auto parsed = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) port = 0;
  }
  if (port == 0 || colon == 0) {
    return "\"" + text + "\" is no address; expected HOST:PORT, such as node1:7000";
  }
  const std::string host = text.substr(0, colon);
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found); error != 0) {
    return "\"" + host + "\" has no IPv4 address: " + ::gai_strerror(error);
  }
  const auto* name = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
  endpoint = {ntohl(name->sin_addr.s_addr), port};
  ::freeaddrinfo(found);
  if (endpoint.ipv4 != INADDR_ANY) return "";
  return "\"" + host +
         "\" is every address of a machine; expected the one at which the other "
         "processes reach process 0";
}

}  // namespace holdfast::hw
