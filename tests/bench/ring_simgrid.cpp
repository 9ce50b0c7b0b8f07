// The heartbeat ring on SimGrid 3.32, as fast as SimGrid's interface allows it.
//
// Each process is an actor on its own host and sends 64 bytes to its successor once a period;
// whoever hears nothing for the timeout suspects. Variants:
//   - one-sided, the default and the fastest: one actor a process; the heartbeat goes from host to
//     host (Comm::sendto), and when it has arrived the sender's actor does the receiver's work.
//   - mailbox, where every process receives for itself: one actor beats and watches, one receives
//     on a mailbox of which it is the permanent receiver, so that transfers start at once.
// Chosen for speed, each after trying the alternatives with 1,024 and 16,384 processes:
//   - network model Constant, 2 us (CM02 on a star of the same latency: a quarter slower);
//   - first beats spread over the period (all at one instant: at 16,384 six times slower or worse);
//   - silence checked at each beat (receiving with a timeout: a sixth slower; one actor that
//     receives until its next beat, or tests its reception at each beat: a third slower or worse);
//   - raw contexts, stacks of 16 KiB without guard page (8 or 32 KiB: no difference), no log.
// Sending from kernel timers, without actors, crashes; SimGrid does not promise it.
//
// usage: ring_simgrid PROCESSES SECONDS [one-sided|mailbox]; tests/bench/ring compares.
#include <xbt/log.h>
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/peer_report.hpp"

namespace s4u = simgrid::s4u;
namespace bench = holdfast::bench;

namespace {

struct Process {
  s4u::Host* host = nullptr;
  s4u::Mailbox* mailbox = nullptr;
  Process* successor = nullptr;
  double first_beat = 0;
  double end = 0;
  double last_heard = 0;
  std::uint64_t heard = 0;
  std::uint64_t suspicions = 0;
};

void hear(Process& process) {
  ++process.heard;
  process.last_heard = s4u::Engine::get_clock();
}

template <class Beat>
void beat_every_period(Process& process, Beat beat) {
  for (double now = process.first_beat; now < process.end; now += bench::kPeriod) {
    s4u::this_actor::sleep_until(now);
    if (now - process.last_heard > bench::kTimeout) ++process.suspicions;
    beat();
  }
}

void beat_one_sided(Process* process) {
  beat_every_period(*process, [process] {
    s4u::Comm::sendto(process->host, process->successor->host, bench::kHeartbeatBytes);
    hear(*process->successor);
  });
}

void beat_to_mailbox(Process* process) {
  beat_every_period(*process, [process] {
    process->successor->mailbox->put_init(process, bench::kHeartbeatBytes)->detach();
  });
}

void receive_from_mailbox(Process* process) {
  while (true) {
    process->mailbox->get<Process>();
    hear(*process);
  }
}

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  const bench::Options options(argc, argv, "one-sided");
  const bool one_sided = options.variant == "one-sided";
  if (!one_sided && options.variant != "mailbox") return options.unknown_variant();
  xbt_log_control_set("root.thres:critical");
  s4u::Engine::set_config("contexts/factory:raw");
  s4u::Engine::set_config("contexts/stack-size:16");
  s4u::Engine::set_config("contexts/guard-size:0");
  s4u::Engine::set_config("surf/precision:1e-9");
  s4u::Engine::set_config("network/model:Constant");
  s4u::Engine::set_config("network/latency-factor", bench::kLatency);

  s4u::NetZone* const cluster = s4u::create_empty_zone("cluster");
  std::vector<Process> processes(options.processes);
  for (std::uint32_t rank = 0; rank < options.processes; ++rank) {
    Process& process = processes[rank];
    const std::string name = std::to_string(rank);
    process.host = cluster->create_host(name, 1e9)->seal();
    if (!one_sided) process.mailbox = s4u::Mailbox::by_name(name);
    process.successor = &processes[(rank + 1) % options.processes];
    process.first_beat = options.first_beat(rank);
    process.end = options.seconds;
  }
  cluster->seal();
  for (Process& process : processes) {
    if (one_sided) {
      s4u::Actor::create("process", process.host, beat_one_sided, &process);
    } else {
      s4u::Actor::create("beat", process.host, beat_to_mailbox, &process);
      const s4u::ActorPtr receiver =
          s4u::Actor::create("receive", process.host, receive_from_mailbox, &process);
      receiver->daemonize();
      process.mailbox->set_receiver(receiver);
    }
  }

  const bench::Stopwatch stopwatch;
  engine.run();
  const double wall_seconds = stopwatch.seconds();
  std::uint64_t heartbeats = 0;
  std::uint64_t suspicions = 0;
  for (const Process& process : processes) {
    heartbeats += process.heard;
    suspicions += process.suspicions;
  }
  bench::report("simgrid", options, heartbeats, suspicions, wall_seconds);
}
