// What the sendmmsg of the UDP tests does instead of the kernel's; its own is in
// udp_fabric_test.cpp.
#pragma once

#include <cstddef>

struct SendFaults {
  int errno_of_next_sends = 0;
  int sends_that_fail = 0;              // 0: the kernel answers
  unsigned buffers_before_failing = 0;  // of one call: the kernel takes these
  bool cuts_nothing = false;            // refuses to cut a buffer into datagrams, as old kernels do
  int calls = 0;                        // so far
  std::size_t buffers = 0, pieces = 0;  // so far, that were to be sent, and of how many pieces
  const void* latest_piece = nullptr;   // of the latest buffer, its first
  int not_cut = 0;                      // refusals of that kind so far
};
extern SendFaults send_faults;
