// Corruptions of frames that carry messages: 10^8 of them, from fixed seeds, in every class that a
// wire, a memory or a switch can make; what the receiver's checks let through is counted.
//
//   message_corruptions [--count N] [--seed N]    N corruptions (100,000) from a seed (1)
//   message_corruptions --long                    10^8
//
// A frame is delivered if its header decodes for the connection and the checksum of its payload
// matches, as an endpoint does it. CRC-32C guarantees that up to three wrong bits and a burst of up
// to 32 are found in either of the two blocks that it covers, so of these none may be delivered;
// nor may one in another place than its own. Of all others 2^-32 may. Exit status 1 if more are
// delivered.
#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "stack/checksum/checksum.hpp"
#include "stack/reliable/message_frame.hpp"
#include "tests/content.hpp"
#include "tests/swarm/arguments.hpp"
#include "tests/swarm/dice.hpp"

namespace holdfast::messages {
namespace {

using reliable::ConnectionSeed;
using reliable::MessageFrameType;
using reliable::MessageHeader;

constexpr std::uint64_t kStream = 0x636f7272;
constexpr std::uint64_t kLong = 100'000'000;
constexpr std::size_t kPayloadMax = 1424;
constexpr std::uint64_t kReused = 64;  // corruptions of one frame, which are cheaper than a new one

// What happens to a frame. Of the kinds up to other_offset nothing may pass.
enum class Kind : std::uint8_t {
  one_bit,
  two_bits,
  three_bits,
  burst,         // the first and the last of up to 32 bits in a row are wrong, and some between
  other_peer,    // it arrives at a connection of another job, process or life
  swapped,       // its payload is that of another fragment of the same length
  other_offset,  // its payload is right, but is taken for that of another place
  many_bits,
  zeroed,     // a run of bytes is zero
  shortened,  // the end is missing
  stale,      // a run of bytes is that of another frame, as from a buffer used too early
  random_payload,
};
constexpr std::array kNames{"one bit",     "two bits",  "three bits", "burst",
                            "misdirected", "swapped",   "misplaced",  "many bits",
                            "zeroed",      "shortened", "stale",      "random payload"};
constexpr std::size_t kKinds = kNames.size();
constexpr bool never_passes(Kind kind) {
  return kind <= Kind::other_offset;
}

struct Frame {
  std::vector<std::byte> bytes;
  MessageHeader header;
  ProcessId receiver;
  ConnectionSeed connection;
  std::uint64_t offset = 0;  // of its payload in its message

  std::span<std::byte> payload() { return std::span(bytes).subspan(reliable::kMessageHeaderBytes); }
};

const Checksum& crc() {
  static const std::unique_ptr<Checksum> made = make_checksum("crc32c");
  return *made;
}

std::uint32_t checksum_of(ConnectionSeed connection, std::uint32_t message, std::uint64_t offset,
                          std::span<const std::byte> payload) {
  return reliable::payload_checksum_field(
      crc().of(payload, reliable::payload_seed(connection, message, offset)));
}

// A fragment somewhere in a message between two processes.
Frame make_frame(swarm::Dice& dice, std::size_t payload) {
  Frame frame;
  const ProcessId sender{static_cast<std::uint32_t>(dice.below(1024))};
  frame.receiver = {static_cast<std::uint32_t>(dice.below(1024))};
  frame.connection = reliable::connection_seed(1, sender, {0}, frame.receiver, {0});
  MessageHeader& header = frame.header;
  header.type = dice.one_in(2) ? MessageFrameType::fragment : MessageFrameType::data;
  header.sender = sender;
  header.packet = static_cast<std::uint32_t>(dice.next());
  header.message = static_cast<std::uint32_t>(dice.next());
  header.virtual_fragment = static_cast<std::uint32_t>(dice.next());
  header.fragment_bytes = static_cast<std::uint32_t>(payload);
  header.bytes = reliable::kFragmentsMax * payload;
  header.offset = header.type == MessageFrameType::data ? dice.below(1u << 20) * header.bytes : 0;
  header.index = static_cast<std::uint8_t>(1 + dice.below(reliable::kFragmentsMax - 1));
  frame.offset = header.offset + std::uint64_t{header.index} * header.fragment_bytes;
  frame.bytes.resize(reliable::kMessageHeaderBytes + payload);
  tests::fill_content(dice.next(), frame.payload());
  header.payload_checksum =
      checksum_of(frame.connection, header.message, frame.offset, frame.payload());
  reliable::encode_message_header(header, frame.connection, frame.bytes.data());
  return frame;
}

// As a receiver decides it.
bool delivered(std::span<const std::byte> frame, ConnectionSeed connection) {
  if (reliable::sender_of_message_frame(frame) == kNoProcess) return false;
  MessageHeader header;
  if (reliable::decode_message_header(frame, connection, false, header) !=
      reliable::MessageDecodeStatus::ok) {
    return false;
  }
  if (!reliable::has_payload(header.type)) return true;
  const std::uint64_t offset = header.offset + std::uint64_t{header.index} * header.fragment_bytes;
  return checksum_of(connection, header.message, offset,
                     frame.subspan(reliable::kMessageHeaderBytes)) == header.payload_checksum;
}

class Corruptions {
 public:
  explicit Corruptions(std::uint64_t seed) : dice_(seed, kStream, 0) {}

  // Returns how many were delivered that may not be.
  std::uint64_t run(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i % kReused == 0) renew();
      const auto kind = static_cast<Kind>(i % kKinds);
      ++tried_[i % kKinds];
      if (passes(kind)) ++passed_[i % kKinds];
    }
    return judge(count);
  }

 private:
  void renew() {
    static constexpr std::size_t kPayloads[] = {1, 8, 100, 512, kPayloadMax};
    const std::size_t payload = kPayloads[dice_.below(5)];
    frame_ = make_frame(dice_, payload);
    other_ = make_frame(dice_, payload);
    spoilt_ = frame_.bytes;
    if (!delivered(frame_.bytes, frame_.connection)) {
      std::cout << "a frame that nobody has touched is refused\n";
      ++wrong_;
    }
  }

  void flip(std::size_t bit) { spoilt_[bit / 8] ^= std::byte{1} << (bit % 8); }

  // Whether one that was spoilt like that is delivered.
  bool passes(Kind kind) {
    spoilt_.assign(frame_.bytes.begin(), frame_.bytes.end());
    ConnectionSeed connection = frame_.connection;
    if (kind == Kind::other_peer) {
      connection = another_connection();
    } else {
      spoil(kind);
      if (spoilt_ == frame_.bytes) return false;  // nothing has happened to it
    }
    return delivered(spoilt_, connection);
  }

  // Of another job, another life of either end, or another receiver: one of them. Who has sent it,
  // it says itself.
  ConnectionSeed another_connection() {
    std::array<std::uint32_t, 4> ids{1, 0, frame_.receiver.value, 0};
    ids[dice_.below(ids.size())] += 1 + static_cast<std::uint32_t>(dice_.below(3));
    return reliable::connection_seed(ids[0], frame_.header.sender, {ids[1]}, {ids[2]}, {ids[3]});
  }

  void spoil(Kind kind) {
    const std::size_t bits = spoilt_.size() * 8;
    switch (kind) {
      case Kind::one_bit:
        return flip_different(1);
      case Kind::two_bits:
        return flip_different(2);
      case Kind::three_bits:
        return flip_different(3);
      case Kind::burst:
        return burst(dice_.below(bits - 31), 2 + dice_.below(31));
      case Kind::swapped:
        return put(other_.payload(), reliable::kMessageHeaderBytes);
      case Kind::other_offset:
        return misplace();
      case Kind::many_bits:
        return flip_different(4 + dice_.below(28));
      case Kind::zeroed:
        return overwrite({});
      case Kind::shortened:
        return spoilt_.resize(dice_.below(spoilt_.size()));
      case Kind::stale:
        return overwrite(other_.bytes);
      default:
        for (std::byte& byte : std::span(spoilt_).subspan(reliable::kMessageHeaderBytes)) {
          byte = static_cast<std::byte>(dice_.next());
        }
    }
  }

  void flip_different(std::uint64_t count) {
    std::array<std::size_t, 32> flipped;
    for (std::size_t i = 0; i < count;) {
      const std::size_t bit = dice_.below(spoilt_.size() * 8);
      const auto end = flipped.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(flipped.begin(), end, bit) != end) continue;
      flip(flipped[i++] = bit);
    }
  }

  void burst(std::size_t first, std::size_t length) {
    const std::uint64_t between = dice_.next();
    for (std::size_t i = 0; i < length; ++i) {
      const bool end = i == 0 || i + 1 == length;
      if (end || (between >> i & 1) != 0) flip(first + i);
    }
  }

  void put(std::span<const std::byte> bytes, std::size_t at) {
    std::copy(bytes.begin(), bytes.end(), spoilt_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  // As if somebody had written another place into the header and made its checksum anew: then the
  // payload's must find it.
  void misplace() {
    MessageHeader header = frame_.header;
    while (header.index == frame_.header.index) {
      header.index = static_cast<std::uint8_t>(1 + dice_.below(reliable::kFragmentsMax - 1));
    }
    if (dice_.one_in(4)) header.message += 1 + static_cast<std::uint32_t>(dice_.below(100));
    reliable::encode_message_header(header, frame_.connection, spoilt_.data());
  }

  // A run of bytes becomes that of `with`, or zero.
  void overwrite(std::span<const std::byte> with) {
    const std::size_t first = dice_.below(spoilt_.size());
    const std::size_t length = 1 + dice_.below(spoilt_.size() - first);
    for (std::size_t i = first; i < first + length; ++i) {
      spoilt_[i] = with.empty() ? std::byte{0} : with[i];
    }
  }

  std::uint64_t judge(std::uint64_t count) {
    std::uint64_t others = 0;
    for (std::size_t k = 0; k < kKinds; ++k) {
      std::cout << kNames[k] << ": " << tried_[k] << " tried, " << passed_[k] << " delivered\n";
      (never_passes(static_cast<Kind>(k)) ? wrong_ : others) += passed_[k];
    }
    // 2^-32 of 10^8 is 0.02: two are one case in thousands.
    const std::uint64_t may = 1 + count / 4'000'000'000;
    if (others > may) wrong_ += others - may;
    return wrong_;
  }

  swarm::Dice dice_;
  Frame frame_;
  Frame other_;
  std::vector<std::byte> spoilt_;
  std::array<std::uint64_t, kKinds> tried_{};
  std::array<std::uint64_t, kKinds> passed_{};
  std::uint64_t wrong_ = 0;
};

}  // namespace
}  // namespace holdfast::messages

int main(int argc, char** argv) {
  std::uint64_t count = 100'000, seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--long") {
      count = holdfast::messages::kLong;
    } else if (option == "--count" && holdfast::swarm::parse_number(value, count)) {
      ++i;
    } else if (option == "--seed" && holdfast::swarm::parse_number(value, seed)) {
      ++i;
    } else {
      std::cerr << "usage: message_corruptions [--count N] [--seed N] [--long]\n";
      return 2;
    }
  }
  const std::uint64_t wrong = holdfast::messages::Corruptions(seed).run(count);
  std::cout << wrong << " delivered that may not be\n";
  return wrong == 0 ? 0 : 1;
}
