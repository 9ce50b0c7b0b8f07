// Writes the recording of one process (format.hpp). One writer serves all rails of an engine, so
// that their calls keep their order.
//
// A turn is written with one system call when it ends, so kill -9 costs at most the turn under way.
// When writing fails (the disk is full), recording stops, and the process with it; status() tells.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "hw/descriptor.hpp"
#include "hw/record/byte_stream.hpp"
#include "hw/record/format.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

class RecordingWriter {
 public:
  // Creates the file, or empties it. An error names the file and the reason.
  static Status create(const std::string& path, const RecordingOpening& opening,
                       std::unique_ptr<RecordingWriter>& created);

  // The loop calls these around each turn. Calls before the first turn are part of block 0.
  void turn_begins(Time now);
  void turn_ends();

  // One call, its arguments and what it returned. Between turns the engine makes no calls.
  void call(CallKind kind, std::uint8_t rail, std::span<const std::byte> arguments,
            std::span<const std::byte> results);

  const Status& status() const { return status_; }
  std::uint64_t turns() const { return turn_; }

 private:
  RecordingWriter(Descriptor file, std::string path);
  void write_block();
  void write_all(std::span<const std::byte> bytes);

  Descriptor file_;
  std::string path_;
  Status status_ = Status::ok();
  std::uint64_t turn_ = 0;
  Time now_;
  bool open_ = true;  // calls may be added to the block
  ByteWriter payload_;
  ByteWriter block_;
};

}  // namespace holdfast::hw
