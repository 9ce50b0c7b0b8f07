// Many pieces of work, all of which are done unless the last process that is at it dies: each has
// pieces of its own, and those of a dead one are taken over. Nobody knows which of them it had
// done, so some may be done twice; where that is wrong (in a sum, say) they are handed out, as in
// farm.cpp.
//
//     holdfast launch -n 4 ./survivors 2000        and then, elsewhere: kill -9 of one of the pids
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <holdfast/holdfast.hpp>
#include <numeric>
#include <thread>

using namespace std::chrono_literals;

// Whose turn a piece is: that of its own process, if that is dead the next live one's. Everyone
// with the same view says the same, and a death moves nobody else's pieces. Who has left had done
// its own.
static std::uint32_t owner(std::uint32_t piece, const holdfast::View& view) {
  const auto& members = view.members;
  const std::size_t first = piece % members.size();
  if (members[first].state == holdfast::State::left) return members[first].process;
  std::size_t at = first;
  while (!members[at].live()) at = (at + 1) % members.size();  // we are
  return members[at].process;
}

// Processes leave in the order of their numbers, so that whoever dies late finds somebody there.
static bool may_leave(std::uint32_t self, const holdfast::View& view) {
  return std::none_of(view.members.begin(), view.members.begin() + self,
                      [](const holdfast::Member& member) { return member.live(); });
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
  std::uint32_t piece = 0;
  while (piece < pieces || !may_leave(job.self(), view)) {
    // Only who has nothing to do waits for news.
    while (auto verdict = job.next_verdict(piece < pieces ? 0ms : 100ms)) {
      const holdfast::Member& member = verdict->member;
      view = job.view();
      if (member.state == holdfast::State::left) continue;
      std::printf("process %u hears: process %u %s\n", job.self(), member.process,
                  to_string(member.state).c_str());
      std::fflush(stdout);
      piece = 0;  // there may be pieces for us that we have passed by
    }
    if (piece == pieces) continue;
    if (!done[piece] && owner(piece, view) == job.self()) {
      std::this_thread::sleep_for(1ms);  // the work
      done[piece] = true;
    }
    ++piece;
  }
  std::printf("process %u did %d pieces\n", job.self(),
              std::accumulate(done.begin(), done.end(), 0));
  return job.leave().ok() ? 0 : 1;
}
