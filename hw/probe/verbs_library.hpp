// What only adapters themselves can say: asked through libibverbs, which is loaded when the program
// runs, and only if it is installed. The build needs neither the library nor its headers.
#pragma once

#include <string>

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

inline constexpr const char* kVerbsLibrary = "libibverbs.so.1";

// Adds to each device of `rdma` (see probe_rdma) the fact path_migration: whether the adapter has
// Automatic Path Migration, or why it could not be asked. Nothing is loaded if there is no device.
void probe_path_migration(FactGroup& rdma, const char* library = kVerbsLibrary);

}  // namespace holdfast::hw
