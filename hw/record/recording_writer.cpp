// Calls gather in memory during a turn; the turn's end makes a block of them and writes it.
#include "hw/record/recording_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint8_t kNoRail = 0xff;

Status failure(const char* what, const std::string& path) {
  return Status::error(std::string(what) + " the recording " + path + ": " + std::strerror(errno));
}

}  // namespace

Status RecordingWriter::create(const std::string& path, const RecordingOpening& opening,
                               std::unique_ptr<RecordingWriter>& created) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return failure("cannot create", path);
  std::unique_ptr<RecordingWriter> writer(new RecordingWriter(std::move(file), path));
  ByteWriter start;
  start.put_bytes(std::as_bytes(std::span(kRecordingMagic)));
  start.put(kRecordingVersion);
  writer->write_all(start.bytes());
  ByteWriter encoded;
  encode(opening, encoded);
  writer->call(CallKind::opening, kNoRail, {}, encoded.bytes());
  if (writer->status_.is_ok()) created = std::move(writer);
  return created ? Status::ok() : writer->status_;
}

RecordingWriter::RecordingWriter(Descriptor file, std::string path)
    : file_(std::move(file)), path_(std::move(path)) {}

void RecordingWriter::turn_begins(Time now) {
  if (open_) turn_ends();
  open_ = true;
  ++turn_;
  now_ = now;
}

void RecordingWriter::turn_ends() {
  HOLDFAST_ASSERT(open_);
  write_block();
  open_ = false;
}

void RecordingWriter::call(CallKind kind, std::uint8_t rail, std::span<const std::byte> arguments,
                           std::span<const std::byte> results) {
  HOLDFAST_ASSERT(open_);
  payload_.put(static_cast<std::uint8_t>(kind));
  payload_.put(rail);
  payload_.put(static_cast<std::uint32_t>(arguments.size()));
  payload_.put(static_cast<std::uint32_t>(results.size()));
  payload_.put_bytes(arguments);
  payload_.put_bytes(results);
}

void RecordingWriter::write_block() {
  block_.clear();
  block_.put(static_cast<std::uint32_t>(payload_.bytes().size()));
  block_.put(turn_);
  block_.put(static_cast<std::uint64_t>(now_.ns));
  block_.put(crc32_of(block_.bytes()));
  block_.put_bytes(payload_.bytes());
  block_.put(crc32_of(payload_.bytes()));
  payload_.clear();
  write_all(block_.bytes());
}

void RecordingWriter::write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty() && status_.is_ok()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      status_ = failure("cannot write", path_);
    }
  }
}

}  // namespace holdfast::hw
