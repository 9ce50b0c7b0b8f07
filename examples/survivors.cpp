// A sum over many pieces of work that goes on with the survivors: each piece is done by the process
// whose turn it is among those believed alive, so the pieces of a dead one are taken over.
//
//     holdfast launch -n 4 ./survivors 2000        and then, elsewhere: kill -9 of one of the pids
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <holdfast/holdfast.hpp>
#include <numeric>
#include <thread>

using namespace std::chrono_literals;

// Whose turn a piece is; everyone with the same view says the same.
static std::uint32_t owner(std::uint32_t piece, const holdfast::View& view) {
  std::vector<std::uint32_t> live;
  for (const holdfast::Member& member : view.members)
    if (member.live()) live.push_back(member.process);
  return live[piece % live.size()];
}

int main(int count, char** words) {
  const auto pieces = static_cast<std::uint32_t>(count > 1 ? std::atoi(words[1]) : 1000);
  holdfast::Job job;
  if (holdfast::Status joined = job.join(10s); !joined.ok()) {
    std::fprintf(stderr, "%s\n", joined.message().c_str());
    return 1;
  }
  std::printf("process %u of %u has joined, pid %d\n", job.self(), job.processes(), getpid());
  std::fflush(stdout);
  holdfast::View view = job.view();
  std::vector<bool> done(pieces);
  // A verdict may give us pieces that we have passed by, so it sends us back to the first.
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    while (auto verdict = job.next_verdict()) {
      const holdfast::Member& member = verdict->member;
      if (member.state == holdfast::State::left) continue;  // it has done its pieces
      std::printf("process %u hears: process %u %s\n", job.self(), member.process,
                  to_string(member.state).c_str());
      std::fflush(stdout);
      view = job.view();
      piece = 0;
    }
    if (done[piece] || owner(piece, view) != job.self()) continue;
    std::this_thread::sleep_for(1ms);  // the work
    done[piece] = true;
  }
  std::printf("process %u did %d pieces\n", job.self(),
              std::accumulate(done.begin(), done.end(), 0));
  return job.leave().ok() ? 0 : 1;
}
