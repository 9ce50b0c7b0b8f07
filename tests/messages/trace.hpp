// Writes down every frame of a world: when an endpoint posts it, when it leaves, and what becomes
// of it. A frame that was posted and did not leave was lost by the wrapper that impairs the rail.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "sim/messages/world.hpp"

namespace holdfast::messages {

class Trace {
 public:
  // Null: nothing is written, and nothing is in the way.
  explicit Trace(std::ostream* out);
  ~Trace();

  // Before the world is made, and after.
  void join(sim::WorldOptions& options);
  void watch(sim::World& world);

  void write(const char* what, std::size_t rail, ProcessId from, ProcessId to,
             std::span<const std::byte> frame);

 private:
  class Witness;

  std::ostream* out_;
  sim::World* world_ = nullptr;
  std::vector<std::unique_ptr<Witness>> witnesses_;
};

}  // namespace holdfast::messages
