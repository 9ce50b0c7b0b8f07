// The register of detectors: one line each.
#include <array>

#include "stack/detect/detector.hpp"
#include "stack/detect/ring_detector.hpp"

namespace holdfast {

namespace {

constexpr std::array<DetectorEntry, 1> kDetectors{{
    {"ring", "a ring of heartbeats, each process watched by the next", make_ring_detector},
}};

}  // namespace

std::span<const DetectorEntry> detectors() {
  return kDetectors;
}

bool make_detector(DetectorPlace& place, std::string_view name, const DetectorOptions& options,
                   DomainId self) {
  for (const DetectorEntry& entry : kDetectors) {
    if (entry.name != name) continue;
    entry.make(place, options, self);
    return true;
  }
  return false;
}

}  // namespace holdfast
