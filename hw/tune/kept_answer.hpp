// What was found out about this machine and is kept as a file of text, so that it is found out
// once.
//
// The file is named for the question, the processor's model and the build, so another machine that
// shares the folder, or another build, asks for itself. Keeping is a convenience: where a file
// cannot be read or written, nothing is kept.
#pragma once

#include <optional>
#include <string>

namespace holdfast::hw {

class KeptAnswer {
 public:
  // `build` tells builds of the program apart. `folder`: of caches, made when something is written;
  // empty: nothing is kept.
  KeptAnswer(const std::string& question, const std::string& build, const std::string& folder);

  // Empty where nothing is kept.
  const std::string& path() const { return path_; }
  std::optional<std::string> read() const;
  // False: it could not be kept.
  bool write(const std::string& text) const;

 private:
  std::string folder_, path_;
};

}  // namespace holdfast::hw
