// Reading blocks with distrust, and finding the first difference.
#include "hw/record/replay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace holdfast::hw {

namespace {

constexpr std::size_t kChecksumBytes = 4;

// Of what each rail's fabric says of itself.
Status decode_rail(std::span<const std::byte> results, RecordedRail& rail) {
  ByteReader from(results);
  rail.caps = decode_caps(from);
  rail.address = decode_address(from);
  if (from.good() && from.at_end()) return Status::ok();
  return Status::error("has a rail that does not decode");
}

std::string described(CallKind kind, std::uint8_t rail) {
  return std::string(name_of(kind)) + " on rail " + std::to_string(rail);
}

bool checks(std::span<const std::byte> bytes) {
  const std::size_t covered = bytes.size() - kChecksumBytes;
  return load_le<std::uint32_t>(&bytes[covered]) == crc32_of(bytes.first(covered));
}

}  // namespace

Status Replay::open(const std::string& path, std::unique_ptr<Replay>& opened) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return Status::error("cannot open the recording " + path + ": " + std::strerror(errno));
  }
  std::unique_ptr<Replay> replay(new Replay(std::move(file)));
  const Status status = replay->read_construction(path);
  if (status.is_ok()) opened = std::move(replay);
  return status;
}

Status Replay::read_construction(const std::string& path) {
  bool whole = false;
  std::vector<std::byte> start;
  if (!read(kRecordingMagic.size() + 4, start, whole) || !whole ||
      std::memcmp(start.data(), kRecordingMagic.data(), kRecordingMagic.size()) != 0) {
    return Status::error(path + " is not a recording of Holdfast");
  }
  const auto version = load_le<std::uint32_t>(&start[kRecordingMagic.size()]);
  if (version != kRecordingVersion) {
    return Status::error(path + " is a recording of version " + std::to_string(version) +
                         "; this program reads version " + std::to_string(kRecordingVersion));
  }
  if (const Block block = read_block(0); block != Block::whole) {
    return Status::error("the recording " + path + " is " +
                         (block == Block::damaged ? "damaged" : "cut off") +
                         " before its first turn");
  }
  const std::optional<Call> first = next_call();
  if (!first || first->kind != CallKind::opening) {
    return Status::error("the recording " + path + " does not begin with an opening");
  }
  ByteReader opening(first->results);
  opening_ = decode_opening(opening);
  if (!opening.good() || !opening.at_end()) {
    return Status::error("the recording " + path + " has an opening that does not decode");
  }
  const ByteReader construction = rest_;
  while (const std::optional<Call> call = next_call()) {
    if (call->kind != CallKind::rail) continue;
    if (Status rail = decode_rail(call->results, rails_.emplace_back()); !rail.is_ok()) {
      return Status::error("the recording " + path + " " + rail.message());
    }
  }
  if (!rest_.good()) {
    return Status::error("the recording " + path + " has a call before its first turn that does " +
                         "not decode");
  }
  rest_ = construction;
  return Status::ok();
}

// Reads `count` bytes, or what there is of them. False if the file cannot be read.
bool Replay::read(std::size_t count, std::vector<std::byte>& to, bool& whole) {
  to.clear();
  std::byte part[64 * 1024];  // so that a length is believed only as far as there are bytes
  while (to.size() < count) {
    const ssize_t got = ::read(file_.get(), part, std::min(sizeof part, count - to.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    to.insert(to.end(), part, part + got);
  }
  whole = to.size() == count;
  return true;
}

Replay::Block Replay::read_block(std::uint64_t expected_turn) {
  bool whole = false;
  if (!read(kBlockHeaderBytes, header_, whole)) return Block::damaged;
  if (header_.empty()) return Block::end;
  if (!whole) return Block::truncated;
  const auto length = load_le<std::uint32_t>(header_.data());
  if (!checks(header_) || load_le<std::uint64_t>(&header_[4]) != expected_turn) {
    return Block::damaged;
  }
  now_ = {static_cast<std::int64_t>(load_le<std::uint64_t>(&header_[12]))};
  if (!read(std::size_t{length} + kChecksumBytes, payload_, whole)) return Block::damaged;
  if (!whole) return Block::truncated;
  if (!checks(payload_)) return Block::damaged;
  rest_ = ByteReader(std::span(payload_).first(length));
  calls_ = 0;
  return Block::whole;
}

std::optional<Replay::Call> Replay::next_call() {
  if (rest_.at_end()) return std::nullopt;
  Call call;
  call.kind = static_cast<CallKind>(rest_.get<std::uint8_t>());
  call.rail = rest_.get<std::uint8_t>();
  const auto arguments = rest_.get<std::uint32_t>();
  const auto results = rest_.get<std::uint32_t>();
  call.arguments = rest_.get_bytes(arguments);
  call.results = rest_.get_bytes(results);
  if (!rest_.good()) return std::nullopt;
  return call;
}

void Replay::differ(std::size_t byte, const std::string& what) {
  if (difference_) return;
  difference_ = ReplayDifference{
      turn_, now_, calls_, byte,
      "turn " + std::to_string(turn_) + ", call " + std::to_string(calls_) + ": " + what};
}

void Replay::stop_damaged(std::size_t call, const std::string& what) {
  if (difference_) return;
  calls_ = call;
  differ(0, "the recording is damaged here: " + what);
  difference_->damaged = true;
}

void Replay::refuse(CallKind kind, std::uint8_t rail, const std::string& why) {
  stop_damaged(calls_ - 1, described(kind, rail) + " cannot have answered that: " + why);
}

ByteReader Replay::answer(CallKind kind, std::uint8_t rail, std::span<const std::byte> arguments) {
  if (difference_ || ended_) return {};
  const std::optional<Call> recorded = next_call();
  if (!rest_.good()) {
    stop_damaged(calls_, "a call that does not decode");
    return {};
  }
  if (!recorded) {
    differ(0,
           "the engine calls " + described(kind, rail) + "; the recorded turn has no more calls");
    return {};
  }
  if (recorded->kind != kind || recorded->rail != rail) {
    differ(0, "the engine calls " + described(kind, rail) + "; recorded is " +
                  described(recorded->kind, recorded->rail));
    return {};
  }
  const auto unlike = std::mismatch(arguments.begin(), arguments.end(), recorded->arguments.begin(),
                                    recorded->arguments.end());
  if (unlike.first != arguments.end() || unlike.second != recorded->arguments.end()) {
    const auto byte = static_cast<std::size_t>(unlike.first - arguments.begin());
    const std::string place =
        kind == CallKind::post ? " (" + place_in_post(recorded->arguments, byte) + ")" : "";
    differ(byte, described(kind, rail) + " differs at byte " + std::to_string(byte) +
                     " of its arguments" + place);
    return {};
  }
  ++calls_;
  return ByteReader(recorded->results);
}

bool Replay::end_turn() {
  if (difference_) return false;
  if (const std::optional<Call> left = next_call()) {
    differ(0, "the engine's turn ends; recorded is " + described(left->kind, left->rail));
    return false;
  }
  if (!rest_.good()) {
    stop_damaged(calls_, "a call that does not decode");
    return false;
  }
  if (turn_ > 0) ++equal_turns_;
  return true;
}

bool Replay::next_turn(Time& now) {
  if (ended_ || !end_turn()) return false;
  ++turn_;
  const Time before = now_;
  switch (read_block(turn_)) {
    case Block::whole:
      if (is_clock_time(now_) && now_ >= before) {
        now = now_;
        return true;
      }
      stop_damaged(0, "the turn's time is before that of the last one, or none that a clock shows");
      break;
    case Block::damaged:
      stop_damaged(0, "a checksum or the number of the turn is wrong");
      break;
    case Block::truncated:
      truncated_ = true;
      break;
    case Block::end:
      break;
  }
  ended_ = true;
  return false;
}

}  // namespace holdfast::hw
