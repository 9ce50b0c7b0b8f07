// A file that is gone when the test is over.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace holdfast::sim::test {

class TemporaryFile {
 public:
  TemporaryFile(const std::string& content, const std::string& ending = ".csv")
      : path_("trace-" + std::to_string(getpid()) + "-" + std::to_string(next_++) + ending) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  static inline int next_ = 0;
  std::string path_;
};

}  // namespace holdfast::sim::test
