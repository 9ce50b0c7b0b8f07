// Process 0 hands out pieces of work, the others send back what comes of them. A piece whose worker
// dies is given to another one, so all of them are done as long as one worker is left.
//
//     holdfast launch -n 4 ./farm 1000        and then, elsewhere: kill -9 of a worker's pid
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <holdfast/holdfast.hpp>
#include <optional>
#include <thread>

using namespace std::chrono_literals;
using Number = std::uint64_t;

static constexpr std::uint32_t kContext = 1;                       // messages of this program
static constexpr std::uint64_t kWork = 1, kDone = 2, kNoMore = 3;  // and what they are

// What process 0 has to do with one of the others. Its request is destroyed before the number that
// it is received into.
struct Worker {
  Number piece = 0;
  Number answer = 0;
  holdfast::Request answers;  // of what it was given; over: it was given nothing
  bool works = false;
};

static std::span<std::byte> bytes_of(Number& number) {
  return std::as_writable_bytes(std::span(&number, 1));
}

static void hand_out(holdfast::Job& job, std::uint32_t process, Worker& worker,
                     std::deque<Number>& pieces) {
  worker.piece = pieces.front();
  pieces.pop_front();
  // Of a process that is believed dead both end at once, and the piece comes back below.
  worker.answers = job.receive_start({process, kContext, kDone}, bytes_of(worker.answer));
  (void)job.send(process, kContext, kWork, bytes_of(worker.piece)).ok();
  worker.works = true;
}

// The sum of all answers; none when no worker is left to give them.
static std::optional<Number> give_work(holdfast::Job& job, Number count) {
  std::deque<Number> pieces;
  for (Number piece = 0; piece < count; ++piece) pieces.push_back(piece);
  std::vector<Worker> workers(job.processes());
  Number sum = 0, done = 0;
  while (done < count) {
    bool is_anyone_left = false;
    for (std::uint32_t process = 1; process < job.processes(); ++process) {
      Worker& worker = workers[process];
      if (worker.works && worker.answers.test()) {
        worker.works = false;
        if (worker.answers.ok()) {
          sum += worker.answer;
          ++done;
        } else {
          std::printf("piece %llu again: %s\n", static_cast<unsigned long long>(worker.piece),
                      worker.answers.status().message().c_str());
          pieces.push_front(worker.piece);
        }
      }
      const bool is_live = job.member(process)->live();
      if (!worker.works && !pieces.empty() && is_live) hand_out(job, process, worker, pieces);
      is_anyone_left = is_anyone_left || worker.works || is_live;
    }
    if (done < count && !is_anyone_left) return std::nullopt;
    std::this_thread::yield();
  }
  for (std::uint32_t process = 1; process < job.processes(); ++process)
    (void)job.send(process, kContext, kNoMore, {}).ok();
  return sum;
}

static void work(holdfast::Job& job) {
  while (true) {
    Number piece = 0;
    const holdfast::Request got = job.receive({0, kContext, 0, 0}, bytes_of(piece));
    if (!got.ok() || got.message().tag == kNoMore) return;
    std::this_thread::sleep_for(1ms);  // the work
    Number square = piece * piece;
    if (!job.send(0, kContext, kDone, bytes_of(square)).ok()) return;
  }
}

int main(int count, char** words) {
  const auto pieces = static_cast<Number>(count > 1 ? std::atoi(words[1]) : 1000);
  holdfast::Job job;
  if (holdfast::Status joined = job.join(10s); !joined.ok()) {
    std::fprintf(stderr, "%s\n", joined.message().c_str());
    return 1;
  }
  std::printf("process %u of %u has joined, pid %d\n", job.self(), job.processes(), getpid());
  std::fflush(stdout);
  if (job.self() == 0) {
    const std::optional<Number> sum = give_work(job, pieces);
    if (!sum) {
      std::fprintf(stderr, "no worker is left, and there are pieces to do\n");
      (void)job.leave();
      return 1;
    }
    std::printf("the sum of %llu squares is %llu\n", static_cast<unsigned long long>(pieces),
                static_cast<unsigned long long>(*sum));
  } else {
    work(job);
  }
  return job.leave().ok() ? 0 : 1;
}
