// The checksums' tuning of this machine: measured once, kept in the user's cache folder
// (kept_answer.hpp). Where it cannot be read or written, or is not what was written, it is measured
// again.
#pragma once

#include <string>

#include "stack/checksum/tuning.hpp"

namespace holdfast::hw {

struct TunedChecksums {
  ChecksumTuning tuning;
  bool measured = false;  // now; otherwise an earlier run did
  std::string file;       // where it is kept; empty: nowhere
};

// `build` tells builds of the program apart. `folder`: of caches (default_cache_folder), made if
// missing; empty: nothing is kept.
TunedChecksums tuned_checksums(const std::string& build, const std::string& folder);

// XDG_CACHE_HOME/holdfast, or ~/.cache/holdfast; empty where neither is set.
std::string default_cache_folder();

}  // namespace holdfast::hw
