// What the conformance suite needs of a fabric: two ends that can talk, and a way to let time pass.
// A fabric joins the suite by one file with a FabricPair and one line, a RegisteredFabric.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::conformance {

class FabricPair {
 public:
  virtual ~FabricPair() = default;

  virtual Fabric& a() = 0;
  virtual Fabric& b() = 0;

  // Lets what is under way arrive. One call need not be enough on a real network: the suite calls
  // again until it has seen what it waits for.
  virtual void settle() = 0;

  // The clock of both ends.
  virtual Time now() = 0;

  // Datagrams and connections: nobody listens at b's address any more; b() is not used afterwards.
  // Watch: the process at watched_address() ends.
  virtual void end_b() = 0;

  // Of a process that runs until end_b(), on the same node as a().
  virtual Address watched_address() { return b().local_address(); }
};

struct FabricFactory {
  std::string name;  // letters and digits
  bool datagram = false;
  bool watch = false;
  std::function<std::unique_ptr<FabricPair>()> make;
  bool connected = false;
  // Another one in the suite with something around it or set otherwise: what is around fabrics need
  // not be tried around both.
  bool variant = false;
};

// For GoogleTest.
inline void PrintTo(const FabricFactory& factory, std::ostream* to) {
  *to << factory.name;
}

inline std::vector<FabricFactory>& fabric_factories() {
  static std::vector<FabricFactory> factories;
  return factories;
}

// A static object of this type takes a fabric into the suite.
struct RegisteredFabric {
  explicit RegisteredFabric(FabricFactory factory) {
    fabric_factories().push_back(std::move(factory));
  }
};

// Those of the registered fabrics for which `offers` holds, variants among them.
inline std::vector<FabricFactory> fabrics_that(bool FabricFactory::*offers) {
  std::vector<FabricFactory> chosen;
  for (const FabricFactory& factory : fabric_factories()) {
    if (factory.*offers) chosen.push_back(factory);
  }
  return chosen;
}

// One of each kind: what a wrapper is tried around.
inline std::vector<FabricFactory> without_variants(std::vector<FabricFactory> factories) {
  std::erase_if(factories, [](const FabricFactory& factory) { return factory.variant; });
  return factories;
}

}  // namespace holdfast::conformance
