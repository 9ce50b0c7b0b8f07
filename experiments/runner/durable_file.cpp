// Write, force to disk, rename, force the folder to disk: in this order a file is all or nothing.
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

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
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
  if (descriptor_ < 0) return failure(temporary, "open");
  if (!write_all(descriptor_, content)) return failure(temporary, "write");
  if (::fsync(descriptor_) != 0) return failure(temporary, "write to disk");
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return failure(path, "replace");
  return Status::ok();
}

Status AppendFile::append(std::string_view content) {
  return write_all(descriptor_, content) ? Status::ok() : failure(path_, "write");
}

Status AppendFile::sync() {
  return ::fsync(descriptor_) == 0 ? Status::ok() : failure(path_, "write to disk");
}

}  // namespace holdfast::runner
