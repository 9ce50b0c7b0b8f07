// Players in a world of endpoints. All messages are sent from one memory and received into it, as
// nobody reads them: whether bytes arrive whole is the business of other tests.
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "sim/jobs/transports.hpp"
#include "sim/messages/world.hpp"
#include "stack/base/assert.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::sim {

namespace {

class Port final : public MessagePort {
 public:
  Port(std::span<std::byte> memory, reliable::Endpoint& endpoint, Time now)
      : memory_(memory), endpoint_(endpoint), now_(now) {}

  bool send(ProcessId to, std::uint32_t tag, std::uint64_t bytes, std::uint64_t cookie) override {
    return endpoint_.send(to, 0, tag, memory(bytes), cookie, now_) != reliable::kNoRequest;
  }
  bool receive(ProcessId from, std::uint32_t tag, std::uint64_t bytes,
               std::uint64_t cookie) override {
    return endpoint_.receive({from, 0, tag}, memory(bytes), cookie, now_) != reliable::kNoRequest;
  }

 private:
  std::span<std::byte> memory(std::uint64_t bytes) {
    HOLDFAST_ASSERT(bytes <= memory_.size());
    return memory_.first(bytes);
  }

  std::span<std::byte> memory_;
  reliable::Endpoint& endpoint_;
  Time now_;
};

class PlayedProgram final : public Program {
 public:
  PlayedProgram(std::vector<Player>& players, std::span<std::byte> memory)
      : players_(players), memory_(memory) {}

  void began(ProcessId, Incarnation, Time) override {}
  void ended(ProcessId, Incarnation, Time) override {}
  Wish act(ProcessId process, reliable::Endpoint& endpoint, Time now) override {
    Player& player = players_[process.value];
    if (player.is_over()) return {};
    Port port(memory_, endpoint, now);
    const Player::Wish wish = player.act(port, now);
    if (player.is_over()) ++over_;
    return {.commanded = wish.commanded, .computes = wish.computes};
  }
  void completed(ProcessId process, const reliable::Completed& completed, Time) override {
    HOLDFAST_ASSERT(completed.outcome == reliable::Outcome::delivered);
    players_[process.value].completed(completed.cookie, completed.bytes);
  }
  bool is_over() const { return over_ == players_.size(); }

 private:
  std::vector<Player>& players_;
  std::span<std::byte> memory_;
  std::size_t over_ = 0;
};

// A process has memory for a few short messages of each other one, so that hundreds fit.
reliable::EndpointLimits limits(const PlayOptions& options, std::size_t processes) {
  reliable::EndpointLimits limits;
  limits.peers = static_cast<std::uint32_t>(processes);
  limits.eager_bytes_max = static_cast<std::uint32_t>(options.player.buffered_bytes_max);
  limits.unexpected_bytes = 256u << 10;
  limits.window_bytes = 128u << 10;
  limits.send_slots = 128;
  limits.receive_slots = 64;
  return limits;
}

}  // namespace

void play_reliable(const PlayOptions& options, std::vector<Player>& players, Played& played) {
  WorldOptions world_options;
  world_options.processes = static_cast<std::uint32_t>(players.size());
  world_options.rails.resize(1);
  world_options.rails[0].pipe =
      lossless_pipe(options, players.size(), reliable::kMessageHeaderBytes);
  world_options.rails[0].pipe.work = options.work;
  world_options.endpoint.checksum = options.checksum;
  world_options.endpoint.limits = limits(options, players.size());
  // Zeros that take no memory until something is read or written there: to write all of them takes
  // longer than most runs do.
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  const std::unique_ptr<std::byte[], Free> memory(
      static_cast<std::byte*>(std::calloc(kPlayedMessageMax, 1)));
  if (memory == nullptr) throw std::bad_alloc();
  PlayedProgram program(players, {memory.get(), kPlayedMessageMax});
  World world(world_options, program);
  while (!program.is_over() && world.step(Time{} + kPlayedMax)) {
  }
  played.frames = world.frames(PipeFate::left);
  played.resent = world.counts().fragments_resent;
  played.failure = world.failure();
  if (played.failure.empty() && !program.is_over()) played.failure = "the processes wait for ever";
}

}  // namespace holdfast::sim
