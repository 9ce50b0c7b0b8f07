// How the kernel paces the bytes of a TCP connection.
#pragma once

#include <string>

namespace holdfast::hw {

// The congestion control that new connections of this network namespace have, such as "cubic"
// (tcp(7), TCP_CONGESTION and net.ipv4.tcp_congestion_control). Empty: the kernel does not say.
std::string congestion_control();

}  // namespace holdfast::hw
