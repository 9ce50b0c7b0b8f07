// The address of a rendezvous as text.
#include "hw/launch/rendezvous.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <charconv>

#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

namespace {

// The part of "HOST:PORT" or "[IPV6]:PORT" before the port; empty: it is neither.
std::string host_of(const std::string& text, std::size_t colon) {
  const bool is_bracketed = colon >= 2 && text[0] == '[' && text[colon - 1] == ']';
  const std::string host = is_bracketed ? text.substr(1, colon - 2) : text.substr(0, colon);
  const bool has_colon = host.find(':') != std::string::npos;
  return has_colon == is_bracketed ? host : "";
}

// The first address of a name that can be used, IPv4 before IPv6: whoever asks must get the same
// one, and systems differ in which they prefer. Returns what is wrong.
std::string look_up(const std::string& host, IpAddress& ip) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found); error != 0) {
    return "\"" + host + "\" has no IPv4 or IPv6 address: " + ::gai_strerror(error);
  }
  std::string wrong;
  bool usable = false;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* one = found; one != nullptr && !usable; one = one->ai_next) {
      if (one->ai_family != family) continue;
      std::array<char, NI_MAXHOST> text{};
      ::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST);
      const std::string why_not = parse_ip(text.data(), ip);
      usable = why_not.empty();
      if (wrong.empty()) wrong = why_not;
    }
  }
  ::freeaddrinfo(found);
  return usable ? "" : "\"" + host + "\" " + wrong;
}

}  // namespace

std::string parse_rendezvous(const std::string& text, UdpEndpoint& endpoint) {
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  std::string host;
  if (colon != std::string::npos) {
    const auto parsed = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) port = 0;
    host = host_of(text, colon);
  }
  if (port == 0 || host.empty()) {
    return "\"" + text +
           "\" is no address; expected HOST:PORT, such as node1:7000, or [fd00::1]:7000";
  }
  endpoint.port = port;
  if (const std::string wrong = look_up(host, endpoint.ip); !wrong.empty()) return wrong;
  if (!endpoint.ip.is_any()) return "";
  return "\"" + host +
         "\" is every address of a machine; expected the one at which the other "
         "processes reach process 0";
}

}  // namespace holdfast::hw
