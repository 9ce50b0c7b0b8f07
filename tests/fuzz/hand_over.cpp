// What a launcher gives to a process over its socket, and the words that a process says: what is
// taken is given on as the same bytes.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/several_rails.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

using namespace hw;

// The two ends of a control socket; what is too much for it is left out.
struct ControlSocket {
  ControlSocket() {
    std::array<int, 2> ends{};
    FUZZ_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    launcher = Descriptor(ends[0]);
    process = Descriptor(ends[1]);
  }
  Descriptor launcher, process;
};

Bytes written(const Assignment& assignment) {
  const ControlSocket socket;
  FUZZ_CHECK(send_assignment(socket.launcher.get(), assignment).is_ok());
  Bytes bytes(1 << 17);
  const ssize_t got = ::recv(socket.process.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  FUZZ_CHECK(got > 0);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

std::vector<Bytes> seeds() {
  Assignment assignment;
  assignment.self = {1};
  assignment.seed = 9;
  assignment.job = 77;
  assignment.addresses = {{to_address(UdpEndpoint{kLoopback, 4000}),
                           to_address(UdpEndpoint{kLoopback, 4001}),
                           to_address(UdpEndpoint{kLoopbackV6, 4002})}};
  assignment.configuration = "{}";
  std::vector<Bytes> all{written(assignment)};
  assignment.fabric = JobFabric::shm;
  assignment.directory = "/dev/shm/job";
  assignment.recording = "/tmp/one.recording";
  assignment.boot = 3;
  assignment.addresses.push_back(assignment.addresses.front());
  assignment.faults.loss = 0.25;
  assignment.windows = {{.from = seconds(1),
                         .until = seconds(2),
                         .faults = {.truncate = 0.5, .delay = milliseconds(3)},
                         .of = {{0}, {2}},
                         .to = {{1}},
                         .one_way = true,
                         .rail = 1}};
  assignment.message_addresses = assignment.addresses;
  all.push_back(written(assignment));
  all.push_back({kReady, std::byte{1}, std::byte{2}, std::byte{0}, std::byte{0}, kLeft});
  return all;
}

void play(Input input) {
  ControlSocket socket;
  const ssize_t sent = ::send(socket.launcher.get(), input.data(), input.size(), MSG_DONTWAIT);
  socket.launcher = Descriptor();
  if (sent != static_cast<ssize_t>(input.size())) return;
  Assignment assignment;
  const HandOver given =
      receive_assignment(socket.process.get(), assignment, monotonic_now() + seconds(5));
  if (given.is_ok()) {
    FUZZ_CHECK(assignment.self.value < assignment.processes());
    FUZZ_CHECK(assignment.addresses.size() <= SeveralRails::kRailsMax);
    FUZZ_CHECK(assignment.message_addresses.size() <= reliable::kMessageRailsMax);
    for (const auto* const rails : {&assignment.addresses, &assignment.message_addresses}) {
      for (const auto& by_process : *rails) {
        FUZZ_CHECK(by_process.size() == assignment.processes());
      }
    }
    const Bytes again = written(assignment);
    FUZZ_CHECK(again.size() <= input.size());
    FUZZ_CHECK(std::equal(again.begin() + kHandOverOpeningBytes, again.end(),
                          input.begin() + kHandOverOpeningBytes));
  } else {
    check_sentence(given.message);
    FUZZ_CHECK(given.fault != HandOverFault::late);
  }

  const ControlSocket words;
  if (::send(words.process.get(), input.data(), input.size(), MSG_DONTWAIT) < 0) return;
  Word word;
  bool gone = false;
  for (std::size_t i = 0; take_word(words.launcher.get(), word, gone); ++i) {
    const Input bytes = input.subspan(i * kWordBytes);
    FUZZ_CHECK(word.kind == bytes[0] && word.number == load_le<std::uint32_t>(&bytes[1]));
  }
  FUZZ_CHECK(!gone);
}

}  // namespace holdfast::fuzz
