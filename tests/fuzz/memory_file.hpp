// A file in memory with a path, for decoders that open one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "hw/descriptor.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(Input content) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    FUZZ_CHECK(::write(file_.get(), content.data(), content.size()) ==
               static_cast<ssize_t>(content.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  hw::Descriptor file_;
};

}  // namespace holdfast::fuzz
