// Address books under recording and replay: the address of a process may differ from one question
// to the next (a restarted process has another identity), so the answers belong to the recording.
#pragma once

#include "hw/record/byte_stream.hpp"
#include "hw/record/recording_writer.hpp"
#include "hw/record/replay.hpp"
#include "stack/engine.hpp"

namespace holdfast::hw {

class RecordedAddresses final : public AddressBook {
 public:
  RecordedAddresses(const AddressBook& inner, RecordingWriter& writer)
      : inner_(inner), writer_(writer) {}

  Address address(std::size_t rail, ProcessId process) const override {
    const Address answer = inner_.address(rail, process);
    ByteWriter arguments;
    ByteWriter results;
    arguments.put(process.value);
    encode(answer, results);
    writer_.call(CallKind::address, static_cast<std::uint8_t>(rail), arguments.bytes(),
                 results.bytes());
    return answer;
  }

 private:
  const AddressBook& inner_;
  RecordingWriter& writer_;
};

class ReplayedAddresses final : public AddressBook {
 public:
  explicit ReplayedAddresses(Replay& replay) : replay_(replay) {}

  Address address(std::size_t rail, ProcessId process) const override {
    ByteWriter arguments;
    arguments.put(process.value);
    ByteReader results =
        replay_.answer(CallKind::address, static_cast<std::uint8_t>(rail), arguments.bytes());
    return decode_address(results);
  }

 private:
  Replay& replay_;
};

}  // namespace holdfast::hw
