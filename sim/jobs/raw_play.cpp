// Players over a network of adapters, without a protocol: whoever does not compute handles what has
// come at once.
#include <memory>

#include "sim/engine/event_queue.hpp"
#include "sim/jobs/raw_end.hpp"
#include "sim/jobs/transports.hpp"

namespace holdfast::sim {

namespace {

class RawWorld {
 public:
  RawWorld(const PlayOptions& options, std::vector<Player>& players)
      : players_(players),
        network_(lossless_pipe(options, players.size(), RawEnd::kHeaderBytes), queue_, 0),
        busy_until_(players.size()) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      ends_.push_back(
          std::make_unique<RawEnd>(network_, ProcessId{i}, options.player.buffered_bytes_max));
      queue_.push(0, size() + i, 0);
    }
  }

  // Until nothing happens any more.
  void run() {
    while (!queue_.empty()) {
      const QueuedEvent event = queue_.pop();
      now_ = {event.time};
      network_.set_now(now_);
      if (event.target >= size()) {
        act(event.target - size());
      } else if (network_.handle(event)) {
        ends_[event.target]->poll();
        act(event.target);
      }
    }
  }
  const PipeNetwork& network() const { return network_; }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(players_.size()); }

  void act(std::uint32_t process) {
    Player& player = players_[process];
    if (busy_until_[process] > now_) return;
    bool goes_on = true;
    while (goes_on) {
      goes_on = ends_[process]->look(player);
      const Player::Wish wish = player.act(*ends_[process], Time{} + round_up(now_));
      goes_on = goes_on || wish.commanded;
      if (wish.computes == Duration{0}) continue;
      busy_until_[process] = now_ + to_sim_time(wish.computes);
      queue_.push(busy_until_[process].value, size() + process, 0);
      return;
    }
  }

  std::vector<Player>& players_;
  EventQueue queue_;
  PipeNetwork network_;
  std::vector<std::unique_ptr<RawEnd>> ends_;
  std::vector<SimTime> busy_until_;
  SimTime now_{};
};

}  // namespace

void play_raw(const PlayOptions& options, std::vector<Player>& players, Played& played) {
  RawWorld world(options, players);
  world.run();
  played.frames = world.network().frames(PipeFate::left);
  if (!all_over(players)) played.failure = "the processes wait for ever";
}

}  // namespace holdfast::sim
