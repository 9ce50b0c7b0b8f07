// open, flock, mmap; see shm_segment.hpp.
#include "hw/shm/shm_segment.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr int kOpenFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
constexpr mode_t kOnlyWe = 0600;

// A name may change hands between two of our steps, but hardly so often.
constexpr int kTriesMax = 16;

Status failure(const std::string& what, const std::string& path) {
  return Status::error("shared memory " + path + ": " + what + ": " + std::strerror(errno));
}

// Of what a process that has gone left behind.
void mark_closed(int file) {
  void* const memory =
      ::mmap(nullptr, sizeof(ShmHeader), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return;
  static_cast<ShmHeader*>(memory)->closed.store(1);
  ::munmap(memory, sizeof(ShmHeader));
}

// Whoever else may write to a file may cut it short, too, which ends those who have it mapped.
bool is_only_ours(const struct stat& file) {
  return S_ISREG(file.st_mode) && file.st_uid == ::geteuid() && (file.st_mode & 0077) == 0;
}

// A file of this name that nobody had before, locked.
Status make_file(const std::string& path, Descriptor& made) {
  for (int attempt = 0; attempt < kTriesMax; ++attempt) {
    Descriptor file(::open(path.c_str(), kOpenFlags | O_CREAT, kOnlyWe));
    if (!file.is_open()) return failure("cannot open", path);
    struct stat ours {};
    if (::fstat(file.get(), &ours) != 0) return failure("cannot look at", path);
    if (!is_only_ours(ours)) {
      return Status::error("shared memory " + path +
                           ": something is there that others may write to; expected nothing, or a "
                           "file of this user that is for nobody else; remove it");
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return failure("cannot lock", path);
      return Status::error("shared memory " + path +
                           ": a process that runs has this name; expected one of its own for each");
    }
    struct stat named {};
    if (::stat(path.c_str(), &named) != 0 || named.st_ino != ours.st_ino) continue;
    if (::fstat(file.get(), &ours) != 0) return failure("cannot look at", path);
    if (ours.st_size == 0) {
      made = std::move(file);
      return Status::ok();
    }
    if (static_cast<std::size_t>(ours.st_size) >= sizeof(ShmHeader)) mark_closed(file.get());
    if (::unlink(path.c_str()) != 0) return failure("cannot replace", path);
  }
  return Status::error("shared memory " + path + ": others keep taking the name");
}

}  // namespace

ShmSegment& ShmSegment::operator=(ShmSegment&& other) noexcept {
  if (this == &other) return *this;
  release();
  file_ = std::move(other.file_);
  bell_ = std::move(other.bell_);
  base_ = std::exchange(other.base_, nullptr);
  set_geometry(other.geometry_);
  path_ = std::move(other.path_);
  owned_ = std::exchange(other.owned_, false);
  return *this;
}

void ShmSegment::release() {
  if (base_ == nullptr) return;
  if (owned_) {
    header().closed.store(1);
    ::unlink(path_.c_str());
    ::unlink((path_ + ".bell").c_str());
  }
  ::munmap(base_, segment_bytes(geometry_));
  base_ = nullptr;
}

bool ShmSegment::map(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(memory);
  return true;
}

bool ShmSegment::open_bell() {
  const std::string path = path_ + ".bell";
  if (owned_ && ::mkfifo(path.c_str(), kOnlyWe) != 0 && errno != EEXIST) return false;
  Descriptor bell(::open(path.c_str(), kOpenFlags | O_NONBLOCK));
  struct stat status {};
  if (!bell.is_open() || ::fstat(bell.get(), &status) != 0) return false;
  if (!S_ISFIFO(status.st_mode) || status.st_uid != ::geteuid()) {
    errno = EEXIST;
    return false;
  }
  bell_ = std::move(bell);
  return true;
}

Status ShmSegment::create(const std::string& directory, const std::string& name,
                          const ShmGeometry& geometry, ShmSegment& created) {
  HOLDFAST_ASSERT(is_possible(geometry));
  ShmSegment segment;
  segment.path_ = directory + "/" + name;
  segment.set_geometry(geometry);
  if (Status status = make_file(segment.path_, segment.file_); !status.is_ok()) return status;
  const int file = segment.file_.get();
  const std::size_t bytes = segment_bytes(geometry);
  const auto give_up = [&](const char* what) {
    const Status status = failure(what, segment.path_);
    ::unlink(segment.path_.c_str());
    return status;
  };
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) return give_up("cannot size");
  errno = ::posix_fallocate(file, 0, static_cast<off_t>(head_bytes(geometry)));
  if (errno != 0) return give_up("no room");
  if (!segment.map(bytes)) return give_up("cannot map");
  segment.owned_ = true;
  if (!segment.open_bell()) return failure("cannot make the bell beside it", segment.path_);
  segment.header().geometry = geometry;
  segment.header().magic.store(kShmMagic, std::memory_order_release);
  created = std::move(segment);
  return Status::ok();
}

bool ShmSegment::open(const std::string& directory, const std::string& name, ShmSegment& opened) {
  ShmSegment segment;
  segment.path_ = directory + "/" + name;
  segment.file_ = Descriptor(::open(segment.path_.c_str(), kOpenFlags));
  struct stat status {};
  if (!segment.file_.is_open() || ::fstat(segment.file_.get(), &status) != 0) return false;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (!is_only_ours(status) || bytes < sizeof(ShmHeader)) return false;
  if (!segment.map(bytes)) return false;
  const bool made = segment.header().magic.load(std::memory_order_acquire) == kShmMagic;
  const ShmGeometry claimed = segment.header().geometry;
  if (!made || !is_possible(claimed) || segment_bytes(claimed) != bytes) {
    ::munmap(std::exchange(segment.base_, nullptr), bytes);
    return false;
  }
  segment.set_geometry(claimed);
  if (segment.header().closed.load() != 0 || !segment.open_bell()) return false;
  opened = std::move(segment);
  return true;
}

void ShmSegment::set_geometry(const ShmGeometry& geometry) {
  geometry_ = geometry;
  head_bytes_ = head_bytes(geometry);
  lane_bytes_ = lane_bytes(geometry);
  cell_bytes_ = cell_bytes(geometry);
}

bool ShmSegment::reserve(std::uint32_t lane) const {
  return ::posix_fallocate(file_.get(), static_cast<off_t>(head_bytes_ + lane * lane_bytes_),
                           static_cast<off_t>(lane_bytes_)) == 0;
}

// A bell that is full rings already.
void ShmSegment::ring() const {
  const char byte = 1;
  while (::write(bell_.get(), &byte, 1) < 0 && errno == EINTR) {
  }
}

void ShmSegment::silence() const {
  std::array<char, 256> bytes;
  ssize_t got = 1;
  while (got > 0 || (got < 0 && errno == EINTR)) {
    got = ::read(bell_.get(), bytes.data(), bytes.size());
  }
}

}  // namespace holdfast::hw
