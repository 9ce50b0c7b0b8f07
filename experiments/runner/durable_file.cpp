// Write, force to disk, rename, force the folder to disk: in this order a file is all or nothing.
// What a full disk took half of is taken back.
#include "experiments/runner/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace holdfast::runner {
namespace {

constexpr mode_t kMode = 0666;
constexpr const char* kTemporary = ".tmp";

Status failure(const std::string& path, const char* what) {
  return Status::error(path + ": cannot " + what + ": " + std::strerror(errno));
}

// Adds all of `content` to the end of the file, or nothing: a disk that fills up takes the first
// part of a line and refuses the rest. errno says why.
bool append_all(int descriptor, std::string_view content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t written = ::write(descriptor, content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      const off_t end = ::lseek(descriptor, 0, SEEK_END);
      if (done > 0 && end >= 0) {
        // If this fails as well there is nothing left to try; the reader sees a short last line.
        [[maybe_unused]] const int cut = ::ftruncate(descriptor, end - static_cast<off_t>(done));
      }
      errno = reason;
      return false;
    }
    done += static_cast<std::size_t>(written);
  }
  return true;
}

// A rename is on the disk when its folder is.
Status sync_folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failure(folder, "open");
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced ? Status::ok() : failure(folder, "write to disk");
}

}  // namespace

Status write_durably(const std::string& path, std::string_view content) {
  AppendFile file;
  if (Status status = file.replace(path, content); !status.is_ok()) return status;
  return sync_folder_of(path);
}

Status read_whole(const std::string& path, std::string& content) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return failure(path, "read");
  content.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return file.bad() ? failure(path, "read") : Status::ok();
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status AppendFile::open(const std::string& path) {
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  return descriptor_ >= 0 ? Status::ok() : failure(path, "open");
}

Status AppendFile::replace(const std::string& path, std::string_view content) {
  path_ = path;
  const std::string temporary = path + kTemporary;
  descriptor_ =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, kMode);
  if (descriptor_ < 0) return failure(path, "write");
  const bool written = append_all(descriptor_, content) && ::fsync(descriptor_) == 0;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return Status::ok();
  const Status status = failure(path, "write");
  ::unlink(temporary.c_str());
  return status;
}

Status AppendFile::append(std::string_view content) {
  return append_all(descriptor_, content) ? Status::ok() : failure(path_, "write");
}

Status AppendFile::sync() {
  return ::fsync(descriptor_) == 0 ? Status::ok() : failure(path_, "write to disk");
}

}  // namespace holdfast::runner
