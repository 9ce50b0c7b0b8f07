// A recording of a launched process, with every checksum right: whoever has written it, a replay
// ends with equality, with a difference, or with an error that names the file.
//
// The input is a byte, then a recording. An even byte: lengths, numbers of turns and checksums are
// mended first, since nothing else would get far.
#include <fstream>
#include <iterator>

#include "hw/launch/assignment.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/record/recorder.hpp"
#include "hw/record/recording_writer.hpp"
#include "hw/run/recorded_addresses.hpp"
#include "hw/udp/udp_address.hpp"
#include "tests/fuzz/frames.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast::fuzz {

namespace {

using namespace hw;

constexpr std::size_t kStartBytes = kRecordingMagic.size() + 4;
constexpr std::size_t kChecksumBytes = 4;

// The job of frames.hpp.
Assignment assignment() {
  Assignment given;
  given.self = kReceiver;
  given.seed = 5;
  given.job = kJob;
  given.addresses = {std::vector<Address>(kProcesses, to_address(UdpEndpoint{kLoopback, 7000}))};
  NodeConfiguration configuration;
  configuration.roster.nodes = kProcesses / 2;
  configuration.roster.per_node = 2;
  configuration.roster.order = RingOrder::spread;
  configuration.roster.leaf_of_node =
      std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{0, 0, 1, 1});
  configuration.seal = "none";
  given.configuration = text_of(configuration);
  return given;
}

// A process that hears all kinds of frames, judges, is told of an end, and meets back-pressure.
void run_recorded(const Assignment& given, const std::string& path,
                  std::uint32_t inline_bytes_max) {
  RecordingOpening opening;
  opening.configuration = given.configuration;
  ByteWriter roster;
  encode_roster(given, roster);
  opening.roster.assign(roster.bytes().begin(), roster.bytes().end());
  std::unique_ptr<RecordingWriter> writer;
  FUZZ_CHECK(RecordingWriter::create(path, opening, writer).is_ok());
  FakeFabric data(inline_bytes_max), watch(kFrameBytesMax, false);
  Recorder recorded_data(data, *writer, 0), recorded_watch(watch, *writer, 1);
  const std::array<Fabric*, 2> rails{&recorded_data, &recorded_watch};
  const FakeAddresses addresses;
  const RecordedAddresses recorded_addresses(addresses, *writer);
  std::unique_ptr<NodeProgram> program;
  const NodeStart start{given.configuration, given.self, given.processes(),
                        given.boot,          given.seed, given.job,
                        given.key,           rails,      recorded_addresses};
  FUZZ_CHECK(make_engine_program(start, program).is_ok());
  Engine& engine = program->engine();
  Time now = Time{} + seconds(3);
  const auto turn = [&](Duration later, bool first = false) {
    now += later;
    writer->turn_begins(now);
    if (first) engine.start(now);
    engine.turn(now);
    engine.clear_changes();
    writer->turn_ends();
  };
  turn(Duration{0}, true);
  for (const Bytes& frame : frames_of_every_type(SealAlgorithm::none)) {
    data.arrive(frame, now);
    turn(milliseconds(40));
    data.complete();
  }
  if (!data.watched.empty()) {
    Event ended;
    ended.kind = EventKind::peer_down;
    ended.peer = data.watched.front();
    ended.at = now;
    data.happen(ended);
  }
  data.room = 3;
  for (int i = 0; i < 4; ++i) turn(milliseconds(700));
}

Bytes recording(std::uint32_t inline_bytes_max) {
  const MemoryFile file({});
  run_recorded(assignment(), file.path(), inline_bytes_max);
  NodeReplay replayed;
  FUZZ_CHECK(replay_node(file.path(), make_engine_program<EngineProgram>, replayed).is_ok());
  FUZZ_CHECK(!replayed.difference && !replayed.truncated && replayed.turns > 4);
  std::ifstream stream(file.path(), std::ios::binary);
  Bytes bytes{std::byte{0}};
  const Bytes content = bytes_of(std::string{std::istreambuf_iterator<char>(stream), {}});
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

void mend(Bytes& bytes) {
  if (bytes.size() < kStartBytes) return;
  ByteWriter start;
  start.put_bytes(std::as_bytes(std::span(kRecordingMagic)));
  start.put(kRecordingVersion);
  std::copy(start.bytes().begin(), start.bytes().end(), bytes.begin());
  std::size_t at = kStartBytes;
  for (std::uint64_t turn = 0; bytes.size() - at >= kBlockHeaderBytes + kChecksumBytes; ++turn) {
    const std::size_t room = bytes.size() - at - kBlockHeaderBytes - kChecksumBytes;
    const auto length =
        std::min(load_le<std::uint32_t>(&bytes[at]), static_cast<std::uint32_t>(room));
    store_le(&bytes[at], length);
    store_le(&bytes[at + 4], turn);
    store_le(&bytes[at + 20], crc32_of(Input(bytes).subspan(at, 20)));
    const std::size_t end = at + kBlockHeaderBytes + length;
    store_le(&bytes[end], crc32_of(Input(bytes).subspan(at + kBlockHeaderBytes, length)));
    at = end + kChecksumBytes;
  }
}

}  // namespace

std::vector<Bytes> seeds() {
  return {recording(kFrameBytesMax), recording(0)};
}

void play(Input input) {
  if (input.empty()) return;
  Bytes bytes(input.begin() + 1, input.end());
  if ((std::to_integer<unsigned>(input.front()) & 1) == 0) mend(bytes);
  const MemoryFile file(bytes);
  NodeReplay replayed;
  const Status status = replay_node(file.path(), make_engine_program<EngineProgram>, replayed);
  if (!status.is_ok()) {
    check_sentence(status.message());
    FUZZ_CHECK(status.message().find(file.path()) != std::string::npos);
  } else if (replayed.difference) {
    check_sentence(replayed.difference->message);
    FUZZ_CHECK(replayed.difference->message.starts_with(
        "turn " + std::to_string(replayed.difference->turn) + ", call "));
  }
}

}  // namespace holdfast::fuzz
