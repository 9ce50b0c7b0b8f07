// Whether the interface that has an address of this machine can carry anything, as the kernel tells
// it: by netlink (rtnetlink(7)), at once, and not by what is missing on the wire. News is only a
// reason to ask: what counts is how the interface is when it is asked, so news that was lost or
// came twice does no harm, and an interface that went down and up between two looks was up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hw/descriptor.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

// Whether a fabric wants the kernel's news of the port that has its address.
enum class PortWatching : std::uint8_t {
  none,
  // Unless there are none: of an address of no interface or of the loopback, which has no cable, or
  // where the kernel refuses. Then a port that is down is found out by silence.
  where_possible,
  required,  // or the fabric cannot be opened
};

class PortWatch {
 public:
  // Of the network namespace that the caller is in. An error: no interface has this address, or
  // what the kernel refused.
  static Status open(const UdpEndpoint& local, std::unique_ptr<PortWatch>& opened);
  // As it is wanted; null: there is none. Its news wake who waits for `epoll`.
  static Status open(PortWatching wanted, const UdpEndpoint& local, const Descriptor& epoll,
                     std::unique_ptr<PortWatch>& opened);

  // True: it has changed since it was last told (at first it counts as up), and `event` says to
  // what. Between two looks there is kLookEvery at least, as one costs a system call.
  bool look(Time now, Event& event);
  // The next look is not put off: somebody may have slept until there was news.
  void look_at_once() { next_look_ = {}; }

  static constexpr Duration kLookEvery = microseconds(50);

 private:
  PortWatch(Descriptor news, std::string interface)
      : news_(std::move(news)), interface_(std::move(interface)) {}
  unsigned flags() const;
  bool is_up() const;

  Descriptor news_;
  std::string interface_;
  Time next_look_;
  bool asks_ = true;  // how it is was not asked since the latest news
  bool told_up_ = true;
};

}  // namespace holdfast::hw
