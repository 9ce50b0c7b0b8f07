// The bytes of the assignment and their transfer over the control socket; a stream socket may take
// or give any part of them at a time.
#include "hw/launch/assignment.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace holdfast::hw {

namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status gone() {
  return Status::error(std::string("the control socket has failed: ") +
                       (errno == 0 ? "the other side is gone" : std::strerror(errno)));
}

}  // namespace

void encode_roster(const Assignment& assignment, ByteWriter& to) {
  to.put(assignment.self.value);
  to.put(assignment.boot);
  to.put(assignment.seed);
  to.put(assignment.job);
  to.put_bytes(assignment.key.bytes);
  to.put(assignment.processes());
  for (const std::uint16_t port : assignment.ports) to.put(port);
}

void decode_roster(ByteReader& from, Assignment& assignment) {
  assignment.self = {from.get<std::uint32_t>()};
  assignment.boot = from.get<std::uint32_t>();
  assignment.seed = from.get<std::uint64_t>();
  assignment.job = from.get<std::uint32_t>();
  const std::span<const std::byte> key = from.get_bytes(assignment.key.bytes.size());
  std::copy(key.begin(), key.end(), assignment.key.bytes.begin());
  const auto processes = from.get<std::uint32_t>();
  assignment.ports.clear();
  for (std::uint32_t i = 0; i < processes && from.good(); ++i) {
    assignment.ports.push_back(from.get<std::uint16_t>());
  }
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

Status receive_bytes(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    errno = 0;
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return gone();
    }
  }
  return Status::ok();
}

Status send_assignment(int socket, const Assignment& assignment) {
  ByteWriter content;
  encode_roster(assignment, content);
  content.put_block(std::as_bytes(std::span(assignment.configuration)));
  content.put_block(std::as_bytes(std::span(assignment.recording)));
  ByteWriter message;
  message.put_block(content.bytes());
  return send_bytes(socket, message.bytes());
}

Status receive_assignment(int socket, Assignment& assignment) {
  std::array<std::byte, 4> length;
  if (Status status = receive_bytes(socket, length); !status.is_ok()) return status;
  std::vector<std::byte> content(load_le<std::uint32_t>(length.data()));
  if (Status status = receive_bytes(socket, content); !status.is_ok()) return status;
  ByteReader from(content);
  decode_roster(from, assignment);
  assignment.configuration = text_of(from.get_block());
  assignment.recording = text_of(from.get_block());
  if (!from.good() || assignment.self.value >= assignment.processes()) {
    return Status::error("the launcher's assignment does not decode");
  }
  return Status::ok();
}

}  // namespace holdfast::hw
