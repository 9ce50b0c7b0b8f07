// Which of its addresses a machine receives at, where processes on unlike machines are told in the
// same words.
#pragma once

#include <string>

#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

// "10.1.0.7" or "fd00::7", an address of this machine; or "10.1.0.0/16", a network: the first
// address that this machine has in it on an interface that is up. Returns what is wrong with it, as
// the end of a sentence that begins with what it is; empty: nothing.
std::string find_local_ip(const std::string& text, IpAddress& ip);

}  // namespace holdfast::hw
