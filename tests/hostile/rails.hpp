// One kind of real fabric as the hostile test needs it: rails for the processes of a job, and
// somebody outside the job who can write to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stack/base/ids.hpp"
#include "stack/base/random.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hostile {

// Who can reach a rail without being of the job.
class Attacker {
 public:
  virtual ~Attacker() = default;
  virtual void send(std::span<const std::byte> frame) = 0;
  // What is no frame at all, where the fabric has something around its frames that can be wrong.
  virtual void vandalise(Random& random) = 0;
};

class Rails {
 public:
  virtual ~Rails() = default;
  // Null, after saying why, if the system refuses. A process that comes back has the same address.
  virtual std::unique_ptr<Fabric> open(ProcessId process) = 0;
  virtual Address address(ProcessId process) const = 0;
  virtual std::unique_ptr<Attacker> attacker(ProcessId process) = 0;
  // Frames that the rail itself refused, because they are longer than any slot.
  virtual std::uint64_t refused(const Fabric& rail) const = 0;
  // Lets what is under way arrive, where that takes time.
  virtual void settle() {}
};

// `udp`, `tcp` or `shm`; null for anything else.
std::unique_ptr<Rails> make_rails(std::string_view kind, std::uint32_t processes);

}  // namespace holdfast::hostile
