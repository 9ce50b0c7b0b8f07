// The bytes of the assignment and their transfer over the control socket; a stream socket may take
// or give any part of them at a time.
#include "hw/launch/assignment.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "hw/monotonic_clock.hpp"
#include "hw/record/format.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/several_rails.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {

namespace {

void encode(const FrameFaults& faults, ByteWriter& to) {
  for (const double share :
       {faults.loss, faults.duplicate, faults.corrupt, faults.truncate, faults.reorder})
    to.put(std::bit_cast<std::uint64_t>(share));
  for (const Duration duration : {faults.delay, faults.jitter})
    to.put(static_cast<std::uint64_t>(duration.ns));
}

FrameFaults decode_faults(ByteReader& from) {
  FrameFaults faults;
  for (double* const share :
       {&faults.loss, &faults.duplicate, &faults.corrupt, &faults.truncate, &faults.reorder})
    *share = std::bit_cast<double>(from.get<std::uint64_t>());
  for (Duration* const duration : {&faults.delay, &faults.jitter})
    duration->ns = static_cast<std::int64_t>(from.get<std::uint64_t>());
  return faults;
}

// How many rails there are and how many processes is known to who decodes.
void encode(const std::vector<std::vector<Address>>& rails, ByteWriter& to) {
  for (const std::vector<Address>& rail : rails) {
    for (const Address& address : rail) encode(address, to);
  }
}

void decode_rails(ByteReader& from, std::size_t count, std::uint32_t processes,
                  std::vector<std::vector<Address>>& rails) {
  rails.resize(count);
  for (std::vector<Address>& rail : rails) {
    rail.clear();
    for (std::uint32_t i = 0; i < processes && from.good(); ++i) {
      rail.push_back(decode_address(from));
    }
  }
}

void decode_message_rails(ByteReader& from, Assignment& assignment) {
  const auto rails = from.get<std::uint8_t>();
  if (rails > reliable::kMessageRailsMax) return from.fail();
  decode_rails(from, rails, assignment.processes(), assignment.message_addresses);
}

constexpr std::uint8_t kAnyRail = 0xff;

void encode(const std::vector<ProcessId>& list, ByteWriter& to) {
  to.put(static_cast<std::uint32_t>(list.size()));
  for (const ProcessId process : list) to.put(process.value);
}

std::vector<ProcessId> decode_list(ByteReader& from) {
  std::vector<ProcessId> list;
  const auto count = from.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && from.good(); ++i)
    list.push_back({from.get<std::uint32_t>()});
  return list;
}

void encode(const std::vector<FaultWindow>& windows, ByteWriter& to) {
  to.put(static_cast<std::uint32_t>(windows.size()));
  for (const FaultWindow& window : windows) {
    to.put(static_cast<std::uint64_t>(window.from.ns));
    to.put(static_cast<std::uint64_t>(window.until.ns));
    encode(window.faults, to);
    encode(window.of, to);
    encode(window.to, to);
    to.put(static_cast<std::uint8_t>(window.one_way));
    to.put(window.rail.value_or(kAnyRail));
  }
}

std::vector<FaultWindow> decode_windows(ByteReader& from) {
  std::vector<FaultWindow> windows;
  const auto count = from.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && from.good(); ++i) {
    FaultWindow& window = windows.emplace_back();
    window.from.ns = static_cast<std::int64_t>(from.get<std::uint64_t>());
    window.until.ns = static_cast<std::int64_t>(from.get<std::uint64_t>());
    window.faults = decode_faults(from);
    window.of = decode_list(from);
    window.to = decode_list(from);
    const auto one_way = from.get<std::uint8_t>();
    if (one_way > 1) from.fail();
    window.one_way = one_way == 1;
    if (const auto rail = from.get<std::uint8_t>(); rail != kAnyRail) window.rail = rail;
  }
  return windows;
}

bool is_possible(const Assignment& assignment) {
  const auto possible = [&](const FaultWindow& window) {
    return window.possible(assignment.processes()) &&
           window.rail.value_or(0) < assignment.addresses.size();
  };
  return assignment.self.value < assignment.processes() && assignment.faults.possible() &&
         std::all_of(assignment.windows.begin(), assignment.windows.end(), possible);
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status gone() {
  return Status::error(std::string("the control socket has failed: ") +
                       (errno == 0 ? "the other side is gone" : std::strerror(errno)));
}

HandOver spoilt() {
  return {HandOverFault::spoilt, "the launcher's assignment does not decode"};
}

// The sentence names both versions and who is to be built anew.
HandOver check_opening(std::span<const std::byte, kHandOverOpeningBytes> opening) {
  if (load_le<std::uint32_t>(opening.data()) != kHandOverMagic) return spoilt();
  const unsigned hand_over = load_le<std::uint16_t>(opening.data() + 4);
  const unsigned wire = load_le<std::uint8_t>(opening.data() + 6);
  const std::string mend = "; use the launcher and the library of one release";
  if (wire != kFrameVersion) {
    return {HandOverFault::other_version, "this build speaks wire version " +
                                              std::to_string(kFrameVersion) + ", the job speaks " +
                                              std::to_string(wire) + mend};
  }
  if (hand_over != kHandOverVersion) {
    return {HandOverFault::other_version,
            "this build takes version " + std::to_string(kHandOverVersion) +
                " of the launcher's hand-over, the launcher gives version " +
                std::to_string(hand_over) + mend};
  }
  return {};
}

// False if nothing came until then.
bool await_input(int socket, Time until) {
  while (true) {
    const Time now = monotonic_now();
    const Duration left = std::clamp(until - now, Duration{0}, seconds(3600));
    const timespec longest{left.ns / 1'000'000'000, left.ns % 1'000'000'000};
    pollfd waiting{socket, POLLIN, 0};
    if (::ppoll(&waiting, 1, &longest, nullptr) > 0) return true;
    if (now >= until) return false;
  }
}

// So many bytes as somebody says that there are, who may send fewer: memory is taken for what has
// come, and for as much again.
HandOver receive_claimed(int socket, std::size_t claimed, std::vector<std::byte>& content,
                         Time until) {
  constexpr std::size_t kFirst = 64 * 1024;
  content.clear();
  while (content.size() < claimed) {
    const std::size_t had = content.size();
    content.resize(std::min(claimed, std::max(kFirst, 2 * had)));
    HandOver part = receive_bytes(socket, std::span(content).subspan(had), until);
    if (!part.is_ok()) return part;
  }
  return {};
}

}  // namespace

void encode_roster(const Assignment& assignment, ByteWriter& to) {
  to.put(assignment.self.value);
  to.put(assignment.boot);
  to.put(assignment.seed);
  to.put(assignment.job);
  to.put_bytes(assignment.key.bytes);
  to.put(static_cast<std::uint8_t>(assignment.fabric));
  to.put(static_cast<std::uint8_t>(assignment.addresses.size()));
  to.put(assignment.processes());
  encode(assignment.addresses, to);
  to.put_block(std::as_bytes(std::span(assignment.directory)));
}

void decode_roster(ByteReader& from, Assignment& assignment) {
  assignment.self = {from.get<std::uint32_t>()};
  assignment.boot = from.get<std::uint32_t>();
  assignment.seed = from.get<std::uint64_t>();
  assignment.job = from.get<std::uint32_t>();
  const std::span<const std::byte> key = from.get_bytes(assignment.key.bytes.size());
  std::copy(key.begin(), key.end(), assignment.key.bytes.begin());
  const auto fabric = from.get<std::uint8_t>();
  if (fabric > static_cast<std::uint8_t>(kLastJobFabric)) from.fail();
  assignment.fabric = static_cast<JobFabric>(fabric);
  const auto rails = from.get<std::uint8_t>();
  if (rails == 0 || rails > SeveralRails::kRailsMax) from.fail();
  const auto processes = from.get<std::uint32_t>();
  decode_rails(from, rails, processes, assignment.addresses);
  assignment.directory = text_of(from.get_block());
}

Status send_bytes(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      return gone();
    }
  }
  return Status::ok();
}

HandOver receive_bytes(int socket, std::span<std::byte> bytes, Time until) {
  while (!bytes.empty()) {
    if (!await_input(socket, until)) {
      return {HandOverFault::late, "nothing came from the launcher in time"};
    }
    errno = 0;
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return {HandOverFault::gone, gone().message()};
    }
  }
  return {};
}

Status send_word(int socket, const Word& word, std::string_view sentence) {
  std::vector<std::byte> bytes(kWordBytes + sentence.size(), word.kind);
  store_le(bytes.data() + 1, word.number);
  std::copy_n(std::as_bytes(std::span(sentence)).begin(), sentence.size(),
              bytes.begin() + kWordBytes);
  return send_bytes(socket, bytes);
}

bool take_word(int socket, Word& word, bool& gone) {
  std::array<std::byte, kWordBytes> bytes;
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  gone = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  if (got != static_cast<ssize_t>(kWordBytes)) return false;
  word = {bytes[0], load_le<std::uint32_t>(bytes.data() + 1)};
  return true;
}

Status send_assignment(int socket, const Assignment& assignment) {
  ByteWriter content;
  encode_roster(assignment, content);
  content.put_block(std::as_bytes(std::span(assignment.configuration)));
  content.put_block(std::as_bytes(std::span(assignment.recording)));
  encode(assignment.faults, content);
  encode(assignment.windows, content);
  content.put(static_cast<std::uint8_t>(assignment.message_addresses.size()));
  encode(assignment.message_addresses, content);
  ByteWriter message;
  message.put(kHandOverMagic);
  message.put(kHandOverVersion);
  message.put(kFrameVersion);
  message.put(std::uint8_t{0});
  message.put_block(content.bytes());
  return send_bytes(socket, message.bytes());
}

HandOver receive_assignment(int socket, Assignment& assignment, Time until) {
  std::array<std::byte, kHandOverOpeningBytes + 4> opening;
  const auto versions = std::span(opening).first<kHandOverOpeningBytes>();
  if (HandOver part = receive_bytes(socket, versions, until); !part.is_ok()) return part;
  if (HandOver checked = check_opening(versions); !checked.is_ok()) return checked;
  const auto length = std::span(opening).last<4>();
  if (HandOver part = receive_bytes(socket, length, until); !part.is_ok()) return part;
  const auto bytes = load_le<std::uint32_t>(length.data());
  if (bytes > kAssignmentBytesMax) return spoilt();
  std::vector<std::byte> content;
  if (HandOver part = receive_claimed(socket, bytes, content, until); !part.is_ok()) return part;
  ByteReader from(content);
  decode_roster(from, assignment);
  assignment.configuration = text_of(from.get_block());
  assignment.recording = text_of(from.get_block());
  assignment.faults = decode_faults(from);
  assignment.windows = decode_windows(from);
  decode_message_rails(from, assignment);
  if (!from.good() || !from.at_end() || !is_possible(assignment)) return spoilt();
  return {};
}

}  // namespace holdfast::hw
