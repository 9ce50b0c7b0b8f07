// Reads a recording (format.hpp) and plays the world for an engine: each call is compared with the
// recorded one, byte for byte, and answered as it was then. The first difference, or the first
// thing in the recording that cannot have been, ends the replay at its turn; until its caller
// notices, calls are answered with harmless values.
//
// A checksum says that the bytes are those that were written, not who wrote them. So what an engine
// and its fabric may rely on among themselves is checked as it is read, and nothing in the file
// sizes memory.
//
//   std::unique_ptr<Replay> replay;
//   Replay::open(path, replay);                  // and build the engine on one ReplayFabric a rail
//   for (Time now; replay->next_turn(now);) { …the turn, as the process ran it… }
//   replay->difference()                         // empty: everything was equal
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/record/format.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

// Where a replay stopped being equal.
struct ReplayDifference {
  std::uint64_t turn = 0;  // 0: before the first
  Time now;
  std::size_t call = 0;  // of the turn, from 0
  std::size_t byte = 0;  // the first differing one of the call's arguments
  std::string message;   // a sentence that says all of it
  bool damaged = false;  // it is the recording that is wrong, and not the engine that differs
};

struct RecordedRail {
  Caps caps;
  Address address;
};

class Replay {
 public:
  // An error if the file cannot be read, or is no recording of this version, or the beginning of it
  // is damaged or missing or does not decode.
  static Status open(const std::string& path, std::unique_ptr<Replay>& opened);

  const RecordingOpening& opening() const { return opening_; }
  std::span<const RecordedRail> rails() const { return rails_; }

  // Ends the turn under way and begins the next. False at the end of the recording and at a
  // difference.
  [[nodiscard]] bool next_turn(Time& now);

  // Whole turns that were equal, without construction.
  std::uint64_t turns() const { return equal_turns_; }
  const std::optional<ReplayDifference>& difference() const { return difference_; }
  // The recording ends within a turn, as after kill -9; what there is of that turn is not replayed.
  bool truncated() const { return truncated_; }

  // What the recorded call returned; empty after a difference.
  ByteReader answer(CallKind kind, std::uint8_t rail, std::span<const std::byte> arguments);
  // The answer that was given last cannot have been one, because of `why`; ends the replay.
  void refuse(CallKind kind, std::uint8_t rail, const std::string& why);

 private:
  enum class Block : std::uint8_t { whole, end, truncated, damaged };
  struct Call {
    CallKind kind = CallKind::opening;
    std::uint8_t rail = 0;
    std::span<const std::byte> arguments;
    std::span<const std::byte> results;
  };

  explicit Replay(Descriptor file) : file_(std::move(file)) {}
  Block read_block(std::uint64_t expected_turn);
  bool read(std::size_t count, std::vector<std::byte>& to, bool& whole);
  Status read_construction(const std::string& path);
  std::optional<Call> next_call();
  bool end_turn();
  void differ(std::size_t byte, const std::string& what);
  void stop_damaged(std::size_t call, const std::string& what);

  Descriptor file_;
  RecordingOpening opening_;
  std::vector<RecordedRail> rails_;
  std::vector<std::byte> header_;
  std::vector<std::byte> payload_;
  ByteReader rest_;  // of the payload
  std::uint64_t turn_ = 0;
  Time now_;
  std::size_t calls_ = 0;  // of the turn, answered
  std::uint64_t equal_turns_ = 0;
  bool truncated_ = false;
  bool ended_ = false;
  std::optional<ReplayDifference> difference_;
};

}  // namespace holdfast::hw
