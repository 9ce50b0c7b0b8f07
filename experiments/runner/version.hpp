// Which build this is.
#pragma once

namespace holdfast::runner {

struct Version {
  const char* number;    // of the project
  const char* git;       // the commit, "-dirty" when files had changed; empty outside a checkout
  const char* compiler;  // and its version
};

const Version& version();

}  // namespace holdfast::runner
