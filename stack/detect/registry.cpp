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

std::unique_ptr<Detector> make_detector(std::string_view name, const DetectorOptions& options,
                                        DomainId self) {
  for (const DetectorEntry& entry : kDetectors) {
    if (entry.name == name) return entry.make(options, self);
  }
  return nullptr;
}

}  // namespace holdfast
