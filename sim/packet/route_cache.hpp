// The ways that packets took last, by the port at which they began: what a host sends goes to the
// same few hosts again and again, and looking the way up switch by switch means waiting for the
// memory of one port after the other. Direct-mapped: of two beginnings in one place the later one
// stays, and the other is looked up again.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::sim {

// The output ports from a host to where the tables lead. One cache line.
struct alignas(64) Route {
  static constexpr std::size_t kPortsMax = 12;

  std::uint32_t first = 0;   // ports[0], also while there are none
  std::uint32_t to = 0;      // host
  std::uint32_t tables = 0;  // in force when it was looked up; 0: never
  std::uint8_t path = 0;
  std::uint8_t count = 0;  // 0: the tables do not lead there, or not within kPortsMax ports
  std::array<std::uint32_t, kPortsMax> ports{};
};
static_assert(sizeof(Route) == 64);

class RouteCache {
 public:
  // A place for each of so many hosts.
  explicit RouteCache(std::size_t hosts)
      : bits_(static_cast<unsigned>(std::bit_width(hosts))), routes_(std::size_t{1} << bits_) {}

  // The way from port `first`; look_up(Route&) fills in the rest if it is not known.
  template <class LookUp>
  const Route& find(std::uint32_t first, std::uint32_t to, std::uint8_t path, LookUp look_up) {
    Route& route = routes_[place(first)];
    if (route.first != first || route.to != to || route.path != path || route.tables != tables_) {
      route = Route{.first = first, .to = to, .tables = tables_, .path = path};
      look_up(route);
    }
    return route;
  }

  // Where the way from there is, if it is known: for fetching memory in advance.
  const Route& place_of(std::uint32_t first) const { return routes_[place(first)]; }

  // Other tables are in force.
  void forget() { ++tables_; }
  std::size_t memory_bytes() const { return routes_.size() * sizeof(Route); }

 private:
  // Ports of hosts lie evenly spaced: the golden ratio spreads them.
  std::size_t place(std::uint32_t first) const {
    return static_cast<std::size_t>((first * 0x9e37'79b9'7f4a'7c15u) >> (64 - bits_));
  }

  unsigned bits_;
  std::vector<Route> routes_;
  std::uint32_t tables_ = 1;
};

}  // namespace holdfast::sim
