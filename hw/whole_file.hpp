// Files in memory, by which processes hand each other what may be long.
#pragma once

#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>

namespace holdfast::hw {

// All of it, wherever the file's offset is; what could be read, if not all can.
inline std::string whole_file(int descriptor) {
  std::string text;
  std::array<char, 16 * 1024> part;
  for (ssize_t got = 0; (got = ::pread(descriptor, part.data(), part.size(),
                                       static_cast<off_t>(text.size()))) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace holdfast::hw
