// Shared memory in which somebody writes what he likes, at either end: a receiver whose lanes are
// overwritten, and a sender whose receiver's segment is.
//
// The input is a byte that says which end, then steps: where (two bytes, into the segment), how
// many bytes (one), the bytes. After each step the victim works.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/shm_address.hpp"
#include "hw/shm/shm_fabric.hpp"
#include "stack/base/bytes.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

namespace {

using namespace hw;

constexpr ShmGeometry kGeometry{.lanes = 4, .frames = 4, .frame_bytes = 64};
constexpr std::size_t kStepsMax = 40;

// Gone when the process ends.
class Directory {
 public:
  Directory() { FUZZ_CHECK(::mkdtemp(path_.data()) != nullptr); }
  ~Directory() {
    for (const char* name : {"/victim", "/victim.bell", "/hostile", "/hostile.bell"}) {
      ::unlink((path_ + name).c_str());
    }
    ::rmdir(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/dev/shm/holdfast-fuzz-XXXXXX";
};

std::unique_ptr<ShmFabric> open_victim(const std::string& directory) {
  ShmOptions options;
  options.directory = directory;
  options.name = "victim";
  options.geometry = kGeometry;
  options.send_depth = options.receive_depth = 8;
  options.peers_max = 2;
  std::unique_ptr<ShmFabric> victim;
  FUZZ_CHECK(ShmFabric::open(options, victim).is_ok());
  return victim;
}

// Takes the next step of the input; false if there is none.
bool overwrite(const ShmSegment& segment, Input& input) {
  if (input.size() < 3) return false;
  const std::size_t bytes = segment_bytes(kGeometry);
  const std::size_t at = load_le<std::uint16_t>(input.data()) % bytes;
  const auto wanted = std::to_integer<std::size_t>(input[2]);
  input = input.subspan(3);
  const std::size_t count = std::min({wanted, input.size(), bytes - at});
  std::memcpy(reinterpret_cast<std::byte*>(&segment.header()) + at, input.data(), count);
  input = input.subspan(count);
  return true;
}

void attack_receiver(const std::string& directory, Input input) {
  const auto victim = open_victim(directory);
  ShmSegment seen;
  FUZZ_CHECK(ShmSegment::open(directory, "victim", seen));
  // Apart on the heap, so that a byte too many is found.
  std::array<std::unique_ptr<std::byte[]>, 4> memory;
  std::array<ReceiveSlot, 4> slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    memory[i] = std::make_unique<std::byte[]>(kGeometry.frame_bytes);
    slots[i] = {Region{}, memory[i].get(), kGeometry.frame_bytes, i};
  }
  FUZZ_CHECK(victim->offer(slots) == slots.size());
  Time last{};
  for (std::size_t step = 0; step < kStepsMax && overwrite(seen, input); ++step) {
    std::array<Event, 8> events;
    const std::size_t count = victim->poll(events);
    FUZZ_CHECK(count <= slots.size());
    for (const Event& event : std::span(events).first(count)) {
      FUZZ_CHECK(event.kind == EventKind::received && event.cookie < slots.size());
      FUZZ_CHECK(event.size <= kGeometry.frame_bytes);
      FUZZ_CHECK(event.at >= last && event.at <= monotonic_now() + microseconds(50));
      last = event.at;
      FUZZ_CHECK(victim->offer({&slots[event.cookie], 1}) == 1);
    }
    static_cast<void>(victim->arm());
  }
}

class Filler final : public FrameWriter {
 public:
  void write(const Operation& operation, std::byte* to, Passes) override {
    std::memset(to, 0x5a, operation.more_size);
  }
};

void attack_sender(const std::string& directory, Input input) {
  const auto victim = open_victim(directory);
  ShmSegment hostile;
  FUZZ_CHECK(ShmSegment::create(directory, "hostile", kGeometry, hostile).is_ok());
  const Peer peer = victim->attach(to_shm_address("hostile"), Service::datagram);
  FUZZ_CHECK(peer != kNoPeer);
  std::array<std::byte, kGeometry.frame_bytes> frame{};
  Filler filler;
  for (std::size_t step = 0; step < kStepsMax && overwrite(hostile, input); ++step) {
    Operation operation;
    operation.inline_data = true;
    operation.peer = peer;
    operation.data = frame.data();
    operation.size = static_cast<std::uint32_t>(step * 7 % (frame.size() + 1));
    if (step % 3 == 0) {
      operation.more_size = static_cast<std::uint32_t>(frame.size() - operation.size);
      operation.writer = &filler;
    }
    FUZZ_CHECK(victim->post({&operation, 1}) == 1);
    hostile.silence();
  }
}

Bytes step(std::size_t at, std::initializer_list<std::uint32_t> words) {
  Bytes bytes(3 + 4 * words.size());
  store_le(bytes.data(), static_cast<std::uint16_t>(at));
  bytes[2] = static_cast<std::byte>(4 * words.size());
  std::size_t i = 0;
  for (const std::uint32_t word : words) store_le(&bytes[3 + 4 * i++], word);
  return bytes;
}

}  // namespace

std::vector<Bytes> seeds() {
  const std::size_t lanes = sizeof(ShmHeader);
  const std::size_t tail = offsetof(ShmLane, tail), head = offsetof(ShmLane, head);
  const std::size_t cells = head_bytes(kGeometry);
  std::vector<Bytes> all;
  for (const unsigned end : {0u, 1u}) {
    Bytes steps{static_cast<std::byte>(end)};
    for (const Bytes& one :
         {step(cells, {1, 20, 9, 0, 1, 2, 3, 4, 5}),                    // a frame, published
          step(lanes + tail, {1}),                                      // announced
          step(offsetof(ShmHeader, pending), {1, 0}),                   // and told of
          step(cells + cell_bytes(kGeometry), {2, 65, 9, 0, 1, 2, 3}),  // too long
          step(lanes + tail, {2}), step(offsetof(ShmHeader, pending), {1, 0}),
          step(lanes + sizeof(ShmLane) + tail, {77}),      // too many
          step(offsetof(ShmHeader, pending), {~0u, ~0u}),  // lanes that are not there
          step(lanes + head, {~0u}), step(lanes, {1, 0}), step(lanes, {0, 0}),
          step(offsetof(ShmHeader, sleeping), {1}), step(offsetof(ShmHeader, closed), {1}),
          step(offsetof(ShmHeader, geometry), {400, 64, 2000}), step(0, {0, 0})}) {
      steps.insert(steps.end(), one.begin(), one.end());
    }
    all.push_back(steps);
  }
  return all;
}

void play(Input input) {
  static const Directory directory;
  if (input.empty()) return;
  const bool is_sender = (std::to_integer<unsigned>(input.front()) & 1) != 0;
  (is_sender ? attack_sender : attack_receiver)(directory.path(), input.subspan(1));
}

}  // namespace holdfast::fuzz
