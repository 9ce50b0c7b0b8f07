// What the detector costs an MPI program: ping-pongs or all-reduces of several sizes among its
// processes, first without it, then in a job of libholdfast, then without it again. Started by
// mpirun; `measure` beside this file says with what. Rank 0 prints one JSON object.
//
// usage: mpi_slowdown ping-pong|all-reduce BLOCKS BLOCK_MS BYTES...
//
// A block is as many operations as take about BLOCK_MS, back to back; a phase has BLOCKS of them
// for each size, and its value is the mean time of an operation in the median block. Times are
// microseconds; of a ping-pong it is half a round trip.
#include <holdfast/holdfast.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr std::int32_t kPatience_ms = 60'000;
constexpr int kTrial = 20;  // operations by which the length of a block is found

struct Plan {
  bool ping_pong = false;
  int blocks = 0;
  double block_s = 0;
  std::vector<int> bytes;
};

int self = 0, processes = 0;

// An operation between all processes, or between the first and the last.
void operate(const Plan& plan, std::vector<double>& out, std::vector<double>& in, int bytes) {
  const int count = bytes / static_cast<int>(sizeof(double));
  const int last = processes - 1;
  if (!plan.ping_pong) {
    MPI_Allreduce(out.data(), in.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  } else if (self == 0) {
    MPI_Send(out.data(), count, MPI_DOUBLE, last, 0, MPI_COMM_WORLD);
    MPI_Recv(in.data(), count, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (self == last) {
    MPI_Recv(in.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

// Seconds that so many operations take, as the first process sees it.
double take(const Plan& plan, int bytes, int operations) {
  std::vector<double> out(static_cast<std::size_t>(bytes) / sizeof(double), 1.0), in(out);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  for (int i = 0; i < operations; ++i) operate(plan, out, in, bytes);
  return MPI_Wtime() - begun;
}

// By size, microseconds an operation; means something in the first process.
std::vector<double> measure(const Plan& plan) {
  std::vector<double> times_us;
  for (const int bytes : plan.bytes) {
    take(plan, bytes, kTrial);
    int operations =
        std::max(1, static_cast<int>(kTrial * plan.block_s / take(plan, bytes, kTrial)));
    MPI_Bcast(&operations, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::vector<double> blocks_us;
    for (int i = 0; i < plan.blocks; ++i) {
      blocks_us.push_back(take(plan, bytes, operations) / operations * 1e6);
    }
    std::sort(blocks_us.begin(), blocks_us.end());
    times_us.push_back(blocks_us[blocks_us.size() / 2] / (plan.ping_pong ? 2 : 1));
  }
  return times_us;
}

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "mpi_slowdown: process %d: %s\n", self, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);
}

// How often anybody who lived was believed dead, until now: whoever hears that takes another
// incarnation, whose lower half counts them.
std::uint64_t mistakes(const holdfast_job* job) {
  std::vector<holdfast_member> members(holdfast_processes(job));
  if (holdfast_view(job, members.data(), holdfast_processes(job), nullptr) != HOLDFAST_OK) {
    give_up(holdfast_error());
  }
  std::uint64_t count = 0;
  for (const holdfast_member& member : members) {
    count += (member.incarnation & 0xffff) + (member.state == HOLDFAST_FAILED ? 1 : 0);
  }
  return count;
}

void print(const char* name, const std::vector<double>& times_us) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    std::printf("%s%.4f", i == 0 ? "" : ", ", times_us[i]);
  }
  std::printf("], ");
}

bool read_number(const char* text, int& number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  return error == std::errc{} && *end == '\0' && number > 0;
}

bool read_plan(int count, char** words, Plan& plan) {
  if (count < 5) return false;
  plan.ping_pong = std::strcmp(words[1], "ping-pong") == 0;
  if (!plan.ping_pong && std::strcmp(words[1], "all-reduce") != 0) return false;
  int block_ms = 0;
  if (!read_number(words[2], plan.blocks) || !read_number(words[3], block_ms)) return false;
  plan.block_s = block_ms / 1e3;
  for (int i = 4; i < count; ++i) {
    int bytes = 0;
    if (!read_number(words[i], bytes) || bytes % static_cast<int>(sizeof(double)) != 0)
      return false;
    plan.bytes.push_back(bytes);
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  Plan plan;
  if (!read_plan(count, words, plan)) {
    std::fprintf(stderr,
                 "usage: mpi_slowdown ping-pong|all-reduce BLOCKS BLOCK_MS BYTES...\n"
                 "BYTES are multiples of 8\n");
    return 2;
  }
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);

  const std::vector<double> before_us = measure(plan);
  holdfast_job* job = nullptr;
  if (holdfast_join(kPatience_ms, &job) != HOLDFAST_OK) give_up(holdfast_error());
  // Those who begin late under load may be judged at once: that is counted apart.
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t at_start = mistakes(job);
  const std::vector<double> with_us = measure(plan);
  const std::uint64_t at_end = mistakes(job);
  MPI_Barrier(MPI_COMM_WORLD);
  (void)holdfast_leave(job, 1000);
  const std::vector<double> after_us = measure(plan);

  if (self == 0) {
    std::printf("{");
    print("before_us", before_us);
    print("with_us", with_us);
    print("after_us", after_us);
    std::printf("\"mistakes_at_start\": %llu, \"mistakes\": %llu}\n",
                static_cast<unsigned long long>(at_start),
                static_cast<unsigned long long>(at_end - at_start));
  }
  MPI_Finalize();
  return 0;
}
