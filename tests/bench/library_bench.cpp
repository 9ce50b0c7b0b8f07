// What a program sees: half a round trip of messages by the functions of holdfast.hpp, between two
// processes of a job, over the rails that its launcher chose. Beside it the limit, one copy of the
// same bytes.
//
// usage: holdfast launch -n 2 --fabric shm -- library_bench [bytes ...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <holdfast/holdfast.hpp>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kContext = 1;
constexpr std::uint64_t kTag = 1;
// Each place that a rail receives in is touched for the first time before that.
constexpr int kWarm = 300, kTrips = 301;

double since_us(Clock::time_point begun) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begun).count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void need(const holdfast::Request& request) {
  if (request.ok()) return;
  std::fprintf(stderr, "library_bench: %s\n", request.status().message().c_str());
  std::exit(1);
}

// Of as many messages there and back.
double half_round_trip_us(holdfast::Job& job, const Bytes& out, Bytes& in) {
  const std::uint32_t other = 1 - job.self();
  const holdfast::Pattern pattern{other, kContext, kTag};
  std::vector<double> trips;
  for (int i = 0; i < kWarm + kTrips; ++i) {
    const Clock::time_point begun = Clock::now();
    if (job.self() == 0) need(job.send(other, kContext, kTag, out));
    need(job.receive(pattern, in));
    if (job.self() != 0) need(job.send(other, kContext, kTag, out));
    if (i >= kWarm) trips.push_back(since_us(begun) / 2);
  }
  return median(trips);
}

double copy_us(const Bytes& from, Bytes& to) {
  std::vector<double> copies;
  for (int i = 0; i < kTrips; ++i) {
    const Clock::time_point begun = Clock::now();
    std::memcpy(to.data(), from.data(), from.size());
    copies.push_back(since_us(begun));
  }
  return median(copies);
}

}  // namespace

int main(int count, char** words) {
  holdfast::Job job;
  if (const holdfast::Status joined = job.join(std::chrono::seconds(10)); !joined.ok()) {
    std::fprintf(stderr, "library_bench: %s\n", joined.message().c_str());
    return 2;
  }
  if (job.processes() != 2) {
    std::fprintf(stderr, "library_bench: expected a job of two processes (holdfast launch -n 2)\n");
    return 2;
  }
  std::vector<std::size_t> lengths{8, 65536, 1 << 20, 4 << 20};
  if (count > 1) lengths.clear();
  for (int i = 1; i < count; ++i) lengths.push_back(std::strtoull(words[i], nullptr, 10));
  if (job.self() == 0)
    std::printf("%10s %18s %8s %14s\n", "bytes", "half a trip, us", "GB/s", "a copy, us");
  for (const std::size_t bytes : lengths) {
    const Bytes out(bytes, std::byte{1});
    Bytes in(bytes);
    const double us = half_round_trip_us(job, out, in);
    if (job.self() != 0) continue;
    std::printf("%10zu %18.2f %8.2f %14.2f\n", bytes, us, static_cast<double>(bytes) / us / 1000,
                copy_us(out, in));
  }
}
