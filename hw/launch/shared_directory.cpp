// Named by user and launcher: holdfast-UID-PID-START-N.
#include "hw/launch/shared_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "hw/watch/process_identity.hpp"

namespace holdfast::hw {

namespace {

constexpr const char* kParent = "/dev/shm";

std::string prefix() {
  return "holdfast-" + std::to_string(::geteuid()) + "-";
}

// Of whom a directory is, by its name.
std::optional<ProcessIdentity> owner_of(std::string_view name) {
  const std::string ours = prefix();
  if (!name.starts_with(ours)) return std::nullopt;
  name.remove_prefix(ours.size());
  ProcessIdentity owner;
  const char* const end = name.data() + name.size();
  const auto pid = std::from_chars(name.data(), end, owner.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != '-') return std::nullopt;
  const auto start = std::from_chars(pid.ptr + 1, end, owner.start_ticks);
  if (start.ec != std::errc{} || start.ptr == end || *start.ptr != '-') return std::nullopt;
  return owner;
}

void remove_those_of_the_dead() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kParent, error)) {
    const auto owner = owner_of(entry.path().filename().string());
    if (!owner || !has_ended(*owner)) continue;
    std::error_code ignored;  // another launcher may be at it, too
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Status SharedDirectory::make() {
  static std::atomic<unsigned> made{0};
  remove_those_of_the_dead();
  const auto self = identify(static_cast<std::int32_t>(::getpid()));
  if (!self) return Status::error("launch: /proc/self/stat cannot be read; mount /proc");
  const std::string path = std::string(kParent) + "/" + prefix() + std::to_string(self->pid) + "-" +
                           std::to_string(self->start_ticks) + "-" + std::to_string(++made);
  if (::mkdir(path.c_str(), 0700) != 0) {
    return Status::error("launch: cannot make " + path +
                         " for shared memory: " + std::strerror(errno));
  }
  path_ = path;
  return Status::ok();
}

SharedDirectory::~SharedDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::hw
