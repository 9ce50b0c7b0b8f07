// What is done to one of two rails while messages go over both, from the first host to the second.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hw/inject/host_network.hpp"
#include "stack/base/time.hpp"

namespace holdfast::failover {

struct FaultKind {
  std::string_view name;
  std::vector<hw::RailFault> faults;  // one after the other, of the rail of `host`
  std::uint32_t host;                 // 0: who sends the messages, 1: who receives them
  Duration lasts;
  bool watches_ports;  // the rails are told by the kernel when their interfaces go down
  Duration gap_max;    // what is promised of the longest time without a delivery, of 99 %
};

// All there are.
std::span<const FaultKind> fault_kinds();
// Null: there is none of this name.
const FaultKind* find_fault_kind(std::string_view name);

}  // namespace holdfast::failover
