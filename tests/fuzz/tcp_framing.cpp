// Frames on a stream that anybody may write, in pieces of any size: the frames are those that the
// bytes say, up to the first length that none has.
//
// The input is a byte for the size of the pieces, then the stream.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "hw/tcp/connection.hpp"
#include "hw/tcp/framing.hpp"
#include "stack/base/bytes.hpp"
#include "tests/fuzz/frames.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

// What a frame's prefix says of what is left of the stream.
class Expected {
 public:
  explicit Expected(Input stream) : rest_(stream) {}

  void frame(Input frame) {
    FUZZ_CHECK(rest_.size() >= hw::kFramePrefixBytes);
    const auto size = load_le<std::uint32_t>(rest_.data());
    FUZZ_CHECK(size == frame.size() && size <= kFrameBytesMax);
    rest_ = rest_.subspan(hw::kFramePrefixBytes);
    FUZZ_CHECK(rest_.size() >= size && std::equal(frame.begin(), frame.end(), rest_.begin()));
    rest_ = rest_.subspan(size);
  }
  void impossible() {
    FUZZ_CHECK(rest_.size() >= hw::kFramePrefixBytes);
    FUZZ_CHECK(load_le<std::uint32_t>(rest_.data()) > kFrameBytesMax);
  }
  void end() {
    if (rest_.size() < hw::kFramePrefixBytes) return;
    const auto size = load_le<std::uint32_t>(rest_.data());
    FUZZ_CHECK(size <= kFrameBytesMax && rest_.size() - hw::kFramePrefixBytes < size);
  }

 private:
  Input rest_;
};

// False once the connection would be ended.
bool take_frames(hw::Connection& incoming, Expected& expected) {
  for (;;) {
    Input frame;
    const hw::Connection::Next next = incoming.next(frame);
    if (next == hw::Connection::Next::incomplete) return true;
    if (next == hw::Connection::Next::impossible) {
      expected.impossible();
      return false;
    }
    expected.frame(frame);
    incoming.drop();
  }
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> streams;
  for (const unsigned piece : {0u, 3u, 200u}) {
    Bytes stream{static_cast<std::byte>(piece)};
    for (const Bytes& frame : frames_of_every_type(SealAlgorithm::none)) {
      std::array<std::byte, hw::kFramePrefixBytes> prefix;
      store_le(prefix.data(), static_cast<std::uint32_t>(frame.size()));
      stream.insert(stream.end(), prefix.begin(), prefix.end());
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    streams.push_back(stream);
  }
  return streams;
}

void play(Input input) {
  if (input.empty()) return;
  const std::size_t piece = 1 + 7 * std::to_integer<std::size_t>(input.front());
  Input left = input.subspan(1);
  std::array<int, 2> ends{};
  FUZZ_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  hw::Descriptor writer(ends[1]);
  hw::Connection incoming(hw::Descriptor{ends[0]}, {}, hw::Connection::Stage::made, kFrameBytesMax);
  Expected expected(left);
  while (!left.empty()) {
    const ssize_t written = ::write(writer.get(), left.data(), std::min(piece, left.size()));
    FUZZ_CHECK(written > 0);
    left = left.subspan(static_cast<std::size_t>(written));
    while (incoming.read() == hw::Connection::Read::some) {
      if (!take_frames(incoming, expected)) return;
    }
  }
  expected.end();
  writer = hw::Descriptor();
  FUZZ_CHECK(incoming.read() == hw::Connection::Read::ended);
}

}  // namespace holdfast::fuzz
