// The register of detectors; registered.inc has a line for each.
#include <array>

#include "stack/detect/detector.hpp"

namespace holdfast {

#define HOLDFAST_DETECTOR(name, idea, make) \
  void make(DetectorPlace& place, const DetectorOptions& options, DomainId self);
#include "stack/detect/registered.inc"
#undef HOLDFAST_DETECTOR

namespace {

constexpr auto kDetectors = std::to_array<DetectorEntry>({
#define HOLDFAST_DETECTOR(name, idea, make) {name, idea, make},
#include "stack/detect/registered.inc"
#undef HOLDFAST_DETECTOR
});

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
