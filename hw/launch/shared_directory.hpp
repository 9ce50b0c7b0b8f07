// A directory of a job's own for shared memory, gone with the launcher: removed by it, or, if it
// was killed, by the next launcher of the same user.
#pragma once

#include <string>

#include "stack/base/status.hpp"

namespace holdfast::hw {

class SharedDirectory {
 public:
  SharedDirectory() = default;
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;
  ~SharedDirectory();

  // An error says what the system refused.
  Status make();
  const std::string& path() const { return path_; }  // empty: not made

 private:
  std::string path_;
};

}  // namespace holdfast::hw
