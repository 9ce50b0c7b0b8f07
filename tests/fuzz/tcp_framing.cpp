// Frames on a stream that anybody may write, in pieces of any size: the frames are those that the
// bytes say, up to the first that are no prefix of one, wherever long ones are read to.
//
// The input is a byte for the size of the pieces, a byte for the ways in which long frames are read
// (two bits each, in turn), then the stream.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "hw/tcp/connection.hpp"
#include "hw/tcp/framing.hpp"
#include "stack/base/bytes.hpp"
#include "tests/fuzz/frames.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

constexpr std::uint32_t kLongest = 8'192;  // frame
constexpr std::uint32_t kBeginning = 48;
enum Way : unsigned { here, whole, placed, given_up };  // the last: once some of it was placed

// What a frame's prefix says of what is left of the stream.
class Expected {
 public:
  explicit Expected(Input stream) : rest_(stream) {}

  void frame(Input frame) {
    FUZZ_CHECK(is_possible() && size() == frame.size());
    FUZZ_CHECK(rest_.size() >= kPrefix + size());
    FUZZ_CHECK(std::ranges::equal(frame, rest_.subspan(kPrefix, size())));
    pass();
  }
  // All of which may never come.
  void given_up(std::uint32_t bytes) {
    FUZZ_CHECK(is_possible() && size() == bytes);
    pass();
  }
  void impossible() { FUZZ_CHECK(has_prefix() && !is_possible()); }
  void end() { FUZZ_CHECK(!has_prefix() || (is_possible() && rest_.size() < kPrefix + size())); }

 private:
  static constexpr std::size_t kPrefix = hw::kFramePrefixBytes;

  bool has_prefix() const { return rest_.size() >= kPrefix; }
  std::uint32_t size() const { return load_le<std::uint32_t>(rest_.data()); }
  bool is_possible() const {
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    return has_prefix() && size() <= kLongest &&
           std::ranges::all_of(rest_.subspan(4, kPrefix - 4), is_zero);
  }
  void pass() { rest_ = rest_.subspan(std::min((kPrefix + size() + 63) / 64 * 64, rest_.size())); }

  Input rest_;
};

class Reader {
 public:
  Reader(hw::Connection& incoming, unsigned ways, Expected& expected)
      : incoming_(incoming), ways_(ways), expected_(expected), memory_(kLongest) {}

  // All that has come. False once the connection would be ended.
  bool take_all() {
    for (;;) {
      Input frame;
      const hw::Connection::Next next = incoming_.next(frame);
      if (next == hw::Connection::Next::impossible) {
        expected_.impossible();
        return false;
      }
      if (next == hw::Connection::Next::frame) {
        expected_.frame(frame);
        incoming_.drop();
      } else if (read() != hw::Connection::Read::some) {
        return true;
      }
    }
  }

  hw::Connection::Read read() {
    const unsigned way = ways_ >> 2 * (long_frames_ % 4) & 3;
    if (way >= placed && incoming_.has_begun(kBeginning)) return read_placed(way);
    if (way != whole || !incoming_.has_begun(0)) return incoming_.read(kLongest);
    const std::uint32_t bytes = incoming_.begun_bytes();
    bool is_whole = false;
    const hw::Connection::Read read = incoming_.read_whole(memory_.data(), is_whole);
    if (is_whole) take(bytes);
    return read;
  }

 private:
  hw::Connection::Read read_placed(unsigned way) {
    const hw::Connection::Read read = incoming_.read_rest(kBeginning, memory_.data() + kBeginning);
    if (incoming_.has_rest()) {
      std::ranges::copy(incoming_.beginning(kBeginning), memory_.begin());
      take(incoming_.begun_bytes());
      incoming_.drop_placed();
    } else if (way == given_up) {
      expected_.given_up(incoming_.begun_bytes());
      ++long_frames_;
      incoming_.give_up_rest();
    }
    return read;
  }
  void take(std::uint32_t bytes) {
    expected_.frame(Input(memory_).first(bytes));
    ++long_frames_;
  }

  hw::Connection& incoming_;
  const unsigned ways_;
  Expected& expected_;
  Bytes memory_;
  unsigned long_frames_ = 0;
};

void append(Bytes& stream, Input frame) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  std::array<std::byte, hw::kFramePrefixBytes> prefix;
  hw::put_prefix(size, prefix.data());
  stream.insert(stream.end(), prefix.begin(), prefix.end());
  stream.insert(stream.end(), frame.begin(), frame.end());
  stream.resize(stream.size() + hw::padding_bytes(size), std::byte{0xa5});
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> streams;
  for (const unsigned piece : {0u, 3u, 200u}) {
    Bytes stream{static_cast<std::byte>(piece), std::byte{0}};
    for (const Bytes& frame : frames_of_every_type(SealAlgorithm::none)) append(stream, frame);
    streams.push_back(stream);
  }
  for (const unsigned ways : {0b00'00'00'00u, 0b01'01'01'01u, 0b10'10'10'10u, 0b01'11'10'11u}) {
    Bytes stream{std::byte{200}, static_cast<std::byte>(ways)};
    for (unsigned i = 0; i < 6; ++i) append(stream, Bytes(i % 3 == 2 ? 90 : 5000, std::byte(i)));
    streams.push_back(stream);
  }
  for (const unsigned ways : {0b01u, 0b10u}) {  // byte by byte
    Bytes stream{std::byte{0}, static_cast<std::byte>(ways)};
    append(stream, Bytes(4'096, std::byte{1}));
    streams.push_back(stream);
  }
  return streams;
}

void play(Input input) {
  if (input.size() < 2) return;
  const std::size_t piece = 1 + 7 * std::to_integer<std::size_t>(input[0]);
  const auto ways = std::to_integer<unsigned>(input[1]);
  Input left = input.subspan(2);
  std::array<int, 2> ends{};
  FUZZ_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  hw::Descriptor writer(ends[1]);
  hw::Connection incoming(hw::Descriptor{ends[0]}, {}, hw::Connection::Stage::made, kLongest);
  Expected expected(left);
  Reader reader(incoming, ways, expected);
  while (!left.empty()) {
    const ssize_t written = ::write(writer.get(), left.data(), std::min(piece, left.size()));
    FUZZ_CHECK(written > 0);
    left = left.subspan(static_cast<std::size_t>(written));
    if (!reader.take_all()) return;
  }
  expected.end();
  writer = hw::Descriptor();
  FUZZ_CHECK(reader.read() == hw::Connection::Read::ended);
}

}  // namespace holdfast::fuzz
