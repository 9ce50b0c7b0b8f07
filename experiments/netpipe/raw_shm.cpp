// Two rings in memory of both processes, one for each direction. A piece says by its count, which
// lies in the line of its first bytes, that it is filled, and the reader counts what it has taken.
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "experiments/netpipe/raw_ends.hpp"

namespace holdfast::netpipe {
namespace {

constexpr std::size_t kPieces = 16;
constexpr std::size_t kPieceBytes = 32 << 10;

struct Piece {
  alignas(64) std::atomic<std::uint32_t> count;  // how many of the ring's pieces are filled with it
  std::byte bytes[kPieceBytes];
};
struct Ring {
  Piece pieces[kPieces];
  alignas(64) std::atomic<std::uint32_t> taken;
};
using Rings = std::array<Ring, 2>;
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

long futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* until) {
  return ::syscall(SYS_futex, &word, what, value, until, nullptr, 0);
}

class RawShmEnd final : public OrderedEnd {
 public:
  RawShmEnd(std::shared_ptr<Rings> rings, std::size_t self, bool sleeps)
      : rings_(std::move(rings)),
        out_((*rings_)[self]),
        in_((*rings_)[1 - self]),
        sleeps_(sleeps) {}

 private:
  void send(std::span<const std::byte> message) override {
    Patience patience(name_);
    while (!message.empty()) {
      const std::size_t bytes = std::min(message.size(), kPieceBytes);
      while (filled_ - taken_seen_ == kPieces) {
        taken_seen_ = out_.taken.load(std::memory_order_acquire);
        if (filled_ - taken_seen_ == kPieces) wait(out_.taken, taken_seen_, patience);
      }
      Piece& piece = out_.pieces[filled_ % kPieces];
      std::memcpy(piece.bytes, message.data(), bytes);
      publish(piece.count, ++filled_);
      message = message.subspan(bytes);
    }
  }

  void receive(std::span<std::byte> message) override {
    Patience patience(name_);
    while (!message.empty()) {
      const std::size_t bytes = std::min(message.size(), kPieceBytes);
      Piece& piece = in_.pieces[taken_ % kPieces];
      for (;;) {
        const std::uint32_t count = piece.count.load(std::memory_order_acquire);
        if (count == taken_ + 1) break;
        wait(piece.count, count, patience);
      }
      std::memcpy(message.data(), piece.bytes, bytes);
      publish(in_.taken, ++taken_);
      message = message.subspan(bytes);
    }
  }

  void publish(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value, std::memory_order_release);
    if (sleeps_) futex(word, FUTEX_WAKE, 1, nullptr);
  }
  void wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, Patience& patience) {
    patience.look_in_vain(sleeps_);
    const timespec longest{1, 0};
    if (sleeps_) futex(word, FUTEX_WAIT, seen, &longest);
  }

  std::string name_ = "raw shared memory";
  std::shared_ptr<Rings> rings_;
  Ring& out_;
  Ring& in_;
  bool sleeps_;
  std::uint32_t filled_ = 0, taken_seen_ = 0, taken_ = 0;
};

}  // namespace

Status open_raw_shm(bool sleeps, RawPair& opened) {
  void* const memory = ::mmap(nullptr, sizeof(Rings), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED)
    return Status::error(std::string("shared memory cannot be had: ") + std::strerror(errno));
  const std::shared_ptr<Rings> rings(new (memory) Rings{},
                                     [](Rings* all) { ::munmap(all, sizeof *all); });
  for (std::size_t i = 0; i < 2; ++i)
    opened.ends[i] = std::make_unique<RawShmEnd>(rings, i, sleeps);
  return Status::ok();
}

}  // namespace holdfast::netpipe
