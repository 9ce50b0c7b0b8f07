// What a recording costs: the turn of an engine that is recorded beside that of one that is not,
// and the bytes that it writes.
//
// Two jobs of two processes each, all in this thread, over UDP on the loopback, with the rails that
// a launched process has. In both process 1 sends its heartbeat; then the turn of process 0, which
// takes it and sends its own, is timed. The jobs take turns, so that whatever else there is meets
// both alike, and the ratio of a round's pair is what counts. An event is what a rail hands to the
// engine. The recording goes to a file of the folder, which is removed.
//
// usage: recording_bench [rounds (25)] [folder (/tmp)]
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/bench/alternation.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/record/recorder.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "hw/watch/watch_fabric.hpp"
#include "stack/outer_fabric.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;

constexpr Duration kPeriod = microseconds(100);
constexpr std::size_t kTurns = 500;  // of a round

void check(const Status& status) {
  if (status.is_ok()) return;
  std::fprintf(stderr, "recording_bench: %s\n", status.message().c_str());
  std::exit(2);
}

class CountedEvents final : public OuterFabric {
 public:
  CountedEvents(Fabric& inner, std::uint64_t& events) : OuterFabric(inner), events_(events) {}
  std::size_t poll(std::span<Event> events) override {
    const std::size_t count = inner_.poll(events);
    events_ += count;
    return count;
  }

 private:
  std::uint64_t& events_;
};

class TwoPlaces final : public AddressBook {
 public:
  std::array<Address, 2> of;
  Address address(std::size_t, ProcessId process) const override { return of[process.value]; }
};

// One process: an engine on a UDP rail and one that watches, recorded or not.
class Process {
 public:
  Process(ProcessId self, const std::string& configuration, const TwoPlaces& places,
          RecordingWriter* writer)
      : self_(self), configuration_(configuration), places_(places), writer_(writer) {
    check(UdpFabric::open({}, udp_));
    check(WatchFabric::open(8, watch_));
    wrap(*udp_);
    wrap(*watch_);
  }
  Address address() const { return udp_->local_address(); }

  void start(Time now) {
    const NodeStart start{configuration_, self_, 2, 0, 1, 1, JobKey{}, rails_, places_};
    check(make_engine_program(start, program_));
    program_->engine().start(now);
  }
  // When the next one is due.
  Time turn() {
    const Time now = monotonic_now();
    if (writer_ != nullptr) writer_->turn_begins(now);
    const Time next = program_->engine().turn(now);
    if (writer_ != nullptr) writer_->turn_ends();
    program_->engine().clear_changes();
    return next;
  }
  std::uint64_t events() const { return events_; }

 private:
  void wrap(Fabric& rail) {
    rails_.push_back(counted_.emplace_back(std::make_unique<CountedEvents>(rail, events_)).get());
    if (writer_ == nullptr) return;
    const auto number = static_cast<std::uint8_t>(rails_.size() - 1);
    rails_.back() =
        recorders_.emplace_back(std::make_unique<Recorder>(*rails_.back(), *writer_, number)).get();
  }

  ProcessId self_;
  const std::string& configuration_;
  const TwoPlaces& places_;
  RecordingWriter* writer_;
  std::uint64_t events_ = 0;
  std::unique_ptr<UdpFabric> udp_;
  std::unique_ptr<WatchFabric> watch_;
  std::vector<std::unique_ptr<CountedEvents>> counted_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::vector<Fabric*> rails_;
  std::unique_ptr<NodeProgram> program_;
};

class Pair {
 public:
  Pair(const std::string& configuration, RecordingWriter* writer)
      : timed_({0}, configuration, places_, writer), other_({1}, configuration, places_, nullptr) {
    places_.of = {timed_.address(), other_.address()};
    const Time now = monotonic_now();
    timed_.start(now);
    other_.start(now);
  }
  // Nanoseconds of a turn of the first process.
  double round() {
    Duration spent;
    for (std::size_t i = 0; i < kTurns; ++i) {
      while (monotonic_now() < due_) {
      }
      const Time others = other_.turn();
      const Time began = monotonic_now();
      const Time own = timed_.turn();
      spent = spent + (monotonic_now() - began);
      due_ = std::max(others, own);
    }
    return static_cast<double>(spent.ns) / static_cast<double>(kTurns);
  }
  std::uint64_t events() const { return timed_.events(); }

 private:
  TwoPlaces places_;
  Process timed_, other_;
  Time due_;
};

std::string two_processes() {
  NodeConfiguration configuration;
  configuration.roster = {.nodes = 2, .per_node = 1};
  configuration.membership.detection.period = kPeriod;
  configuration.membership.detection.timeout = seconds(3600);
  return text_of(configuration);
}

}  // namespace

int main(int count, char** words) {
  const std::size_t rounds = count > 1 ? std::strtoul(words[1], nullptr, 10) : 25;
  const std::string folder = count > 2 ? words[2] : "/tmp";
  if (rounds == 0) {
    std::fputs("usage: recording_bench [rounds (25)] [folder (/tmp)]\n", stderr);
    return 2;
  }
  const std::string file = folder + "/recording_bench." + std::to_string(::getpid());
  const std::string configuration = two_processes();
  std::unique_ptr<RecordingWriter> writer;
  RecordingOpening opening;
  opening.configuration = configuration;
  check(RecordingWriter::create(file, opening, writer));
  Pair plain(configuration, nullptr), recorded(configuration, writer.get());
  (void)plain.round(), (void)recorded.round();  // to warm up
  const std::uint64_t events_before = recorded.events();
  const std::uintmax_t bytes_before = std::filesystem::file_size(file);
  std::vector<double> without, with, ratios;
  for (std::size_t i = 0; i < rounds; ++i) {
    without.push_back(plain.round());
    with.push_back(recorded.round());
    ratios.push_back(with.back() / without.back());
  }
  check(writer->status());
  const auto events = static_cast<double>(recorded.events() - events_before);
  const auto bytes = static_cast<double>(std::filesystem::file_size(file) - bytes_before);
  std::filesystem::remove(file);
  const auto turns = static_cast<double>(rounds * kTurns);
  const bench::Interval slower = bench::median_interval(ratios);
  std::printf("a turn, not recorded: %.0f ns; recorded: %.0f ns (medians of %zu rounds)\n",
              bench::median(without), bench::median(with), rounds);
  std::printf("slow-down of a turn: %.2f (95 %% interval %.2f to %.2f)\n", bench::median(ratios),
              slower.low, slower.high);
  std::printf("events a turn: %.2f; bytes an event: %.0f; bytes a turn: %.0f\n", events / turns,
              bytes / events, bytes / turns);
}
