// What the build knows of itself, compiled in.
#include "experiments/runner/version.hpp"

#include "holdfast_version.inc"  // made by version.cmake at each build

namespace holdfast::runner {

const Version& version() {
#ifdef __clang__
  static constexpr Version kVersion{HOLDFAST_VERSION, HOLDFAST_GIT, "clang " __clang_version__};
#else
  static constexpr Version kVersion{HOLDFAST_VERSION, HOLDFAST_GIT, "gcc " __VERSION__};
#endif
  return kVersion;
}

}  // namespace holdfast::runner
