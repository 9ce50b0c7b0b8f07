// How play.hpp plays by each transport. The players are those of the processes in their order.
#pragma once

#include <vector>

#include "sim/jobs/play.hpp"
#include "sim/jobs/player.hpp"
#include "sim/pipe/pipe_network.hpp"

namespace holdfast::sim {

// Sets what concerns the transport: frames, resent and failure.
void play_reliable(const PlayOptions& options, std::vector<Player>& players, Played& played);
void play_raw(const PlayOptions& options, std::vector<Player>& players, Played& played);

// A network whose senders wait rather than lose, as InfiniBand's do. `header_bytes` come before
// the payload of each frame.
PipeOptions lossless_pipe(const PlayOptions& options, std::size_t processes,
                          std::uint32_t header_bytes);

// A run that is not over by then has come to a standstill.
constexpr Duration kPlayedMax = seconds(100'000);

bool all_over(const std::vector<Player>& players);

}  // namespace holdfast::sim
