// What is the same for all transports.
#include "sim/jobs/play.hpp"

#include <algorithm>

#include "sim/jobs/transports.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

PipeOptions lossless_pipe(const PlayOptions& options, std::size_t processes,
                          std::uint32_t header_bytes) {
  constexpr std::uint32_t kPlenty = 1u << 30;
  const std::uint32_t frame = options.fragment_bytes + header_bytes;
  return {.processes = static_cast<std::uint32_t>(processes),
          .bits_per_second = options.bits_per_second,
          .latency = options.latency,
          .frame_bytes_max = frame,
          .inline_bytes_max = frame,
          .send_depth = kPlenty,
          .receive_depth = 256,
          .queue_bytes = kPlenty,
          .frames_waiting_max = kPlenty};
}

bool all_over(const std::vector<Player>& players) {
  return std::all_of(players.begin(), players.end(),
                     [](const Player& player) { return player.is_over(); });
}

Played play(const PlayOptions& options, std::uint32_t processes, const CourseOf& course_of) {
  HOLDFAST_ASSERT(processes >= 2);
  std::vector<Player> players;
  for (std::uint32_t i = 0; i < processes; ++i) {
    players.emplace_back(course_of({i}), ProcessId{i}, options.player);
  }
  Played played;
  if (options.transport == Transport::raw) {
    play_raw(options, players, played);
  } else {
    play_reliable(options, players, played);
  }
  for (const Player& player : players) {
    played.timed = std::max(played.timed, player.timed());
    played.messages += player.messages_sent();
    played.bytes += player.bytes_sent();
  }
  return played;
}

Played play(const PlayOptions& options, const Job& job) {
  return play(options, job.processes, [&](ProcessId process) {
    return std::make_unique<SkeletonCourse>(Skeleton(job, process));
  });
}

}  // namespace holdfast::sim
