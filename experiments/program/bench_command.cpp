// holdfast bench: how fast parts of the stack are on this machine, beside what limits them.
#include <algorithm>
#include <array>
#include <string_view>

#include "experiments/config/nearest.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/commands.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--rounds", "N",
           "how often everything is measured; medians count; default 31, goodput 101"},
    Option{"--output", "DIR",
           "the results folder, which must not be there yet; default\n"
           "results/bench-BENCHMARK"},
    Option{"--quiet", nullptr, "no progress"},
    Option{"--largest", "MIB",
           "checksum: the longest message in MiB, a power of two; default 64. The\n"
           "last figures need one that no cache holds"},
    Option{"--figure", "NAME", "nas: dr-6 or csum-table-1; default the latter"},
    Option{"--job", "NAME", "nas: of the figure this job only, such as is.B.16"},
    Option{"--target", "LIST",
           "netpipe: of udp, tcp, shm and verbs (RDMA adapters); default all but the\n"
           "last. Or of sim-dr and sim-csum: the networks of two papers, simulated"},
    Option{"--rails", "N", "netpipe: rails of that kind, 1 to 8; default 1"},
    Option{"--checksum", "LIST",
           "netpipe: of payloads, each measured, beside none; default crc32c"},
    Option{"--seal", "NAME", "netpipe: of frames without payload; default none"},
    Option{"--fragment", "LIST",
           "netpipe: bytes of payload in a frame, each measured; default 1424 over\n"
           "UDP, as Ethernet has, what a datagram carries over verbs, 262144 over TCP,\n"
           "else 16384"},
    Option{"--sizes", "LIST",
           "netpipe: lengths of messages in bytes; default 1 to 4 MiB in steps of\n"
           "four, and 8"},
    Option{"--rate", "N",
           "netpipe: between two hosts, with rails of so many megabits a second in\n"
           "each direction; not of shm, which the default leaves out then. What is\n"
           "promised is so of a rate that plain sockets reach"},
    Option{"--sleep", nullptr, "netpipe: processes sleep until something comes; else they poll"},
    Option{"--no-mpi", nullptr, "netpipe, failover: without Open MPI"},
    Option{"--times", "N",
           "failover: how often each fault happens, on the rails in turn, and nothing\n"
           "for a second; default 5"},
    Option{"--faults", "LIST",
           "failover: of cut, cut_far, cut_unwatched, closed, silent_out, silent_back,\n"
           "silent_both and flap; default all"},
    Option{"--rates", "A,B",
           "failover: megabits a second of the two rails, in each direction;\n"
           "default 2000,2000"},
    Option{"--timers", "LIST",
           "failover, netpipe: of measured, ours, and paper, those of the protocol that\n"
           "ours is made from, with which nothing is sent again for 10 s where nobody\n"
           "is told, and no rail comes back; each is measured; default measured"},
    Option{"--message", "KIB", "failover: the length of a message in KiB; default 1024"},
    Option{"--window", "KIB",
           "failover: of ours, under way on a rail at most, in KiB; default 256, which\n"
           "take a millisecond at 2000 megabits a second, as the library's 1024 do at\n"
           "8000"},
    Option{"--seed", "N",
           "failover: the moments of the faults follow from it; goodput: which frames\n"
           "are lost; default 1"},
};

struct Benchmark {
  const char* name;
  int (*run)(const Arguments&);
};
constexpr std::array kBenchmarks = {
    Benchmark{"checksum", bench_checksum}, Benchmark{"failover", bench_failover},
    Benchmark{"goodput", bench_goodput},   Benchmark{"nas", bench_nas},
    Benchmark{"netpipe", bench_netpipe},   Benchmark{"pipeline-model", bench_pipeline_model}};

// Options that not every benchmark has, by whose they are.
struct OwnOption {
  const char* name;
  std::array<std::string_view, 3> of;
};
constexpr std::array kOwnOptions = {OwnOption{"--rounds", {"checksum", "goodput", "netpipe"}},
                                    OwnOption{"--largest", {"checksum", ""}},
                                    OwnOption{"--target", {"netpipe", ""}},
                                    OwnOption{"--rails", {"netpipe", ""}},
                                    OwnOption{"--checksum", {"netpipe", ""}},
                                    OwnOption{"--seal", {"netpipe", ""}},
                                    OwnOption{"--fragment", {"netpipe", ""}},
                                    OwnOption{"--sizes", {"netpipe", ""}},
                                    OwnOption{"--rate", {"netpipe", ""}},
                                    OwnOption{"--sleep", {"netpipe", ""}},
                                    OwnOption{"--no-mpi", {"netpipe", "failover"}},
                                    OwnOption{"--times", {"failover", ""}},
                                    OwnOption{"--faults", {"failover", ""}},
                                    OwnOption{"--rates", {"failover", ""}},
                                    OwnOption{"--timers", {"failover", "netpipe"}},
                                    OwnOption{"--message", {"failover", ""}},
                                    OwnOption{"--window", {"failover", ""}},
                                    OwnOption{"--seed", {"failover", "goodput"}},
                                    OwnOption{"--figure", {"nas", ""}},
                                    OwnOption{"--job", {"nas", ""}}};

std::string foreign_option(const Arguments& arguments, const std::string& benchmark) {
  for (const OwnOption& option : kOwnOptions) {
    const bool own = std::find(option.of.begin(), option.of.end(), benchmark) != option.of.end();
    if (arguments.has(option.name) && !own) return option.name;
  }
  return "";
}

int bench_command(const Arguments& arguments) {
  const std::string what = arguments.operands()[0];
  const auto* const found = std::find_if(kBenchmarks.begin(), kBenchmarks.end(),
                                         [&](const Benchmark& each) { return each.name == what; });
  if (found == kBenchmarks.end())
    return refuse_bench("there is no benchmark \"" + what + "\"" +
                        runner::config::did_you_mean(what, {"checksum", "failover", "goodput",
                                                            "nas", "netpipe", "pipeline-model"}) +
                        "; expected checksum, failover, goodput, nas, netpipe or pipeline-model");
  const std::string foreign = foreign_option(arguments, what);
  if (!foreign.empty())
    return refuse_bench("the benchmark " + what + " has no option " + foreign +
                        "; --help says whose it is");
  return found->run(arguments);
}

}  // namespace

const Command kBenchCommand = {
    "bench",
    "checksum|failover|goodput|nas|netpipe|pipeline-model [options]",
    "measure how fast parts of the stack are on this machine",
    "checksum: the bandwidth of every checksum on 32 KiB; of a copy and then the checksum, and\n"
    "of both in one pass, over the length of the message; and CRC-32C beside its copy, memcpy\n"
    "and ISA-L (where libisal2 is installed), with what is promised. Limits (memory read,\n"
    "memcpy) are measured in the same rounds. The first run finds out what is fastest here and\n"
    "keeps it in ~/.cache/holdfast (or XDG_CACHE_HOME). Takes about a minute.\n\n"
    "failover: a stream of messages between two hosts over two rails, one of which is cut,\n"
    "closed or silent for a second, or flaps, and comes back: how long nothing is delivered,\n"
    "when a single rail's bandwidth is reached and when the rail is of use again, beside what\n"
    "is promised; the same of Open MPI where openmpi-bin and libopenmpi-dev are installed.\n"
    "Hosts are network namespaces and rails virtual Ethernet with a limited rate, made and\n"
    "removed by the command, which takes root and the Debian packages iproute2 and nftables.\n"
    "Every message is compared with what was sent. Writes results.csv, gaps.csv, steady.csv and\n"
    "shows.csv. Takes some minutes, and with the timers of the paper ten seconds more for each\n"
    "fault of which nobody is told.\n\n"
    "goodput: a stream of messages of 1 MiB between two processes of this machine over UDP\n"
    "while 1 of 10000, 1000 or 100 datagrams is lost in either direction, or 5 of 100 are late\n"
    "by up to half a round trip, which is measured first: the bandwidth beside that without a\n"
    "fault in the same round, and what is sent again beside what was lost, with what is\n"
    "promised; and the bandwidth of a plain socket. Every message is compared with what was\n"
    "sent. Writes goodput.csv and shows.csv. Takes a minute; with few rounds little is lost of\n"
    "10000.\n\n"
    "netpipe: messages between two processes of this machine over UDP, TCP and shared memory,\n"
    "or over its RDMA adapters, one for each process where there are two, with a way between\n"
    "them: half a round trip, and the bandwidth of ping-pongs and of streams, over the length\n"
    "of the message; with a checksum and without, beside a plain socket or plain shared memory,\n"
    "and beside Open MPI's ob1 where openmpi-bin and libopenmpi-dev are installed, all in the\n"
    "same rounds. Every message that was received is compared with what was sent. Ours is the\n"
    "protocol as the library drives it, without a seal (--seal) and the functions of holdfast.h\n"
    "around it, which take a lock, look at the view and keep a record of each request besides,\n"
    "and over shared memory do not wait for the answer that would take an acknowledgement along.\n"
    "Takes some minutes. overhead.csv has what each checksum takes. Open MPI over adapters is\n"
    "its openib, which takes the kernel's rdma_cm where they are Ethernet's. With --rate hosts\n"
    "and rails are those of failover, and Open MPI is left out. The targets sim-dr and sim-csum\n"
    "are InfiniBand of two papers, DDR and QDR, in simulated time, beside messages that\n"
    "adapters move by themselves and nothing protects; they take --sizes and --fragment, and\n"
    "any machine will do.\n\n"
    "pipeline-model: the bandwidth of checksummed messages over their length by the models:\n"
    "naive, eager, and through the super-pipeline; with a paper's parameters, beside what it\n"
    "says, and with what this machine copies, behind the same wire. Takes --output only, and a\n"
    "second.\n\n"
    "nas: the run times of NAS Parallel Benchmarks that two papers have, over a simulated\n"
    "network, by unprotected and by reliable messages, with checksums and without, beside what\n"
    "the papers have; a few iterations of each are played. dr-6 takes the costs of reliable\n"
    "messages apart, too, for jobs of up to 64 processes. Measures nothing, so any machine will\n"
    "do. Takes --figure, --job, --output and --quiet; csum-table-1 some seconds, dr-6 some\n"
    "minutes. Writes runtimes.csv, which analysis/bench draws.\n\n"
    "The others write bandwidth.csv; analysis/bench draws all but goodput; what is measured\n"
    "comes with shows.csv (what is promised) and machine.json and is to be trusted on a quiet\n"
    "machine only, what is computed with model.json or, of nas, alone.\n\n"
    "examples:\n"
    "  holdfast bench checksum\n"
    "  holdfast bench checksum --rounds 7 --largest 1 --output short\n"
    "  holdfast bench failover --faults cut,silent_out --times 100 --no-mpi --output hundred\n"
    "  holdfast bench failover --timers measured,paper --faults silent_out --output timers\n"
    "  holdfast bench goodput --output lossy\n"
    "  holdfast bench netpipe --target udp --sizes 8,1048576 --output small\n"
    "  holdfast bench netpipe --rate 2400 --output wire\n"
    "  holdfast bench netpipe --target sim-dr,sim-csum --output papers\n"
    "  holdfast bench nas --figure dr-6 --job cg.C.64\n"
    "  holdfast bench pipeline-model --output model",
    kOptions,
    1,
    1,
    bench_command};

}  // namespace holdfast::program
