// Where a played process sends and receives. What is in its messages interests nobody.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"

namespace holdfast::sim {

class MessagePort {
 public:
  virtual ~MessagePort() = default;
  // Completes under `cookie` when the other has the message. False: there is no room; ask again
  // after something has completed.
  virtual bool send(ProcessId to, std::uint32_t tag, std::uint64_t bytes, std::uint64_t cookie) = 0;
  // Completes under `cookie` when a message is there. Messages of one sender and tag go to
  // receives in the order of both. False: as above.
  virtual bool receive(ProcessId from, std::uint32_t tag, std::uint64_t bytes,
                       std::uint64_t cookie) = 0;
};

}  // namespace holdfast::sim
