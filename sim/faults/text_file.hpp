// A text file as it is, or out of an .xz archive.
#pragma once

#include <string>

#include "stack/base/status.hpp"

namespace holdfast::sim {

// Reads the whole file `path` into `text`; a name that ends in ".xz" is decompressed. The error
// names the file and what went wrong with it.
Status read_text_file(const std::string& path, std::string& text);

}  // namespace holdfast::sim
