// A whole engine that is fed frames: from anybody, and from one of the job who lies. What it drops
// changes nothing that it believes or has under way; what it takes leaves it a member of its job.
//
// The input is a story: a byte for what kind of job it is, then steps.
//   0 n …   a frame of 2n bytes as they are
//   1 n …   the same, made one that is for this process: magic, version, length, job, receiver,
//   seal 2 n     10 n ms pass 3 n     the operating system says that process n, if it is watched,
//   has ended
#include "stack/engine.hpp"

#include <algorithm>
#include <array>

#include "tests/fuzz/frames.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast::fuzz {

namespace {

constexpr std::size_t kStepsMax = 200;
constexpr std::array<const char*, 4> kPropagations{"bmg", "hba", "chord", "flood"};

class Story {
 public:
  explicit Story(Input input)
      : rest_(input), kind_(next()), engine_(options(), roster_, {&rail_, 1}, workspace_) {
    engine_.start(now_);
    engine_.turn(now_);
  }

  void play() {
    for (std::size_t steps = 0; !rest_.empty() && steps < kStepsMax; ++steps) {
      const unsigned step = next() % 4;
      const unsigned argument = next();
      if (step == 0) hear(frame(argument), false);
      if (step == 1) hear(frame(argument), true);
      if (step == 2) pass(milliseconds(10 * static_cast<std::int64_t>(argument)));
      if (step == 3) end(argument);
      fabric_.posted.clear();
      engine_.clear_changes();
    }
  }

 private:
  bool keyed() const { return (kind_ & 1) != 0; }

  EngineOptions options() {
    EngineOptions options;
    options.membership.self = kReceiver;
    options.membership.propagation = kPropagations[kind_ >> 1 & 3];
    options.membership.detection.hold = milliseconds((kind_ & 8) != 0 ? 300 : 0);
    options.membership.rejoining = (kind_ & 16) != 0;
    options.membership.incarnation = first_incarnation_of_boot((kind_ & 16) != 0 ? 1 : 0);
    options.job = kJob;
    options.seal = keyed() ? "siphash128" : "none";
    options.receive_slots = 4;
    return options;
  }

  unsigned next() {
    if (rest_.empty()) return 0;
    const unsigned value = std::to_integer<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }

  Bytes frame(unsigned half) {
    const Input bytes =
        rest_.first(std::min<std::size_t>({rest_.size(), 2 * half, kFrameBytesMax}));
    rest_ = rest_.subspan(bytes.size());
    return {bytes.begin(), bytes.end()};
  }

  void make_ours(Bytes& frame) {
    frame.resize(std::max(frame.size(), kFrameBytesMin));
    Header header;
    header.type =
        static_cast<FrameType>(1 + std::to_integer<unsigned>(frame[header_at::kType]) % 6);
    header.seal = find_seal(options().seal)->algorithm();
    header.job = kJob;
    header.sender = {load_le<std::uint32_t>(&frame[header_at::kSender]) % kProcesses};
    header.sender_incarnation = {load_le<std::uint32_t>(&frame[header_at::kSenderIncarnation])};
    header.receiver = kReceiver;
    header.receiver_incarnation = {load_le<std::uint32_t>(&frame[header_at::kReceiverIncarnation])};
    header.sequence = load_le<std::uint64_t>(&frame[header_at::kSequence]);
    header.digest = load_le<std::uint64_t>(&frame[header_at::kDigest]);
    if (!has_body(header.type)) frame.resize(kFrameBytesMin);
    encode_header(header, frame.size(), frame.data());
    std::fill(frame.end() - kSealBytes, frame.end(), std::byte{0});
    if (!keyed()) return;
    const Seal& seal = *find_seal("siphash128");
    seal.write(seal.derive({}, header.sender, header.sender_incarnation, header.receiver,
                           header.receiver_incarnation),
               frame);
  }

  void hear(Bytes frame, bool ours) {
    if (ours) make_ours(frame);
    engine_.turn(now_);  // of what was due already
    const DropCounts before = engine_.drops();
    const std::uint64_t state = engine_.hash();
    const std::uint64_t believed = engine_.membership().view().digest();
    fabric_.arrive(frame, now_);
    engine_.turn(now_);
    const DropCounts after = engine_.drops();
    const std::uint64_t outdated = after.outdated - before.outdated + after.copies - before.copies;
    const std::uint64_t refused = after.malformed - before.malformed + after.other_version -
                                  before.other_version + after.unverified - before.unverified +
                                  after.misdelivered - before.misdelivered;
    FUZZ_CHECK(outdated + refused <= 1);
    if (refused == 1) FUZZ_CHECK(engine_.hash() == state);
    // Who is told which boot this is gets an answer; nothing is believed for that.
    if (outdated == 1) FUZZ_CHECK(engine_.membership().view().digest() == believed);
    if (ours) FUZZ_CHECK(after.unverified == before.unverified);
  }

  void pass(Duration time) {
    now_ += time;
    FUZZ_CHECK(engine_.turn(now_) >= now_);
  }

  void end(unsigned process) {
    const Peer peer{process};
    if (std::find(fabric_.watched.begin(), fabric_.watched.end(), peer) == fabric_.watched.end()) {
      return;
    }
    Event event;
    event.kind = EventKind::peer_down;
    event.peer = peer;
    event.at = now_;
    fabric_.happen(event);
    engine_.turn(now_);
  }

  Input rest_;
  unsigned kind_;
  Time now_ = Time{} + seconds(1);
  Roster roster_{{.nodes = kProcesses / 2, .per_node = 2}};
  FakeAddresses addresses_;
  Workspace workspace_{addresses_};
  FakeFabric fabric_;
  Fabric* rail_ = &fabric_;
  Engine engine_;
};

Bytes story(unsigned kind, unsigned step) {
  Bytes bytes{static_cast<std::byte>(kind)};
  const auto algorithm = (kind & 1) != 0 ? SealAlgorithm::siphash128 : SealAlgorithm::none;
  for (const Bytes& frame : frames_of_every_type(algorithm)) {
    bytes.push_back(static_cast<std::byte>(step));
    bytes.push_back(static_cast<std::byte>(frame.size() / 2));
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    bytes.push_back(std::byte{2});
    bytes.push_back(std::byte{9});
  }
  for (const unsigned byte : {3u, 0u, 2u, 200u}) bytes.push_back(static_cast<std::byte>(byte));
  return bytes;
}

}  // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> stories;
  for (unsigned kind = 0; kind < 32; ++kind) {
    stories.push_back(story(kind, 1));
    if (kind < 2) stories.push_back(story(kind, 0));
  }
  return stories;
}

void play(Input input) {
  Story(input).play();
}

}  // namespace holdfast::fuzz
