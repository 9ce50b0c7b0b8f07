// Files that survive a kill: a file is either wholly there under its name, or not at all.
#pragma once

#include <string>
#include <string_view>

#include "stack/base/status.hpp"

namespace holdfast::runner {

// Writes `content` under a temporary name beside `path`, forces it to the disk and renames it.
Status write_durably(const std::string& path, std::string_view content);

// Reads a whole file.
Status read_whole(const std::string& path, std::string& content);

// A file that grows by whole appends. Each append is one write, so a reader, or the one who looks
// after a kill, sees none of it or all of it; the same holds where the disk is full.
class AppendFile {
 public:
  AppendFile() = default;
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Opens `path` to append to what it holds; made if missing.
  Status open(const std::string& path);
  // Replaces `path` by a new file that begins with `content`; the old one stays until then, and for
  // good if that fails.
  Status replace(const std::string& path, std::string_view content);
  Status append(std::string_view content);
  // Forces everything to the disk.
  Status sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace holdfast::runner
