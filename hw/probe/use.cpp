// One function for each kind of thing that may be used. Where a fabric, or what it is made of, says
// itself what it does (facts that were tried out with it), nothing is said here from memory.
// Whoever adds a fabric changes its line here.
#include "hw/probe/use.hpp"

#include <sstream>
#include <utility>

#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

std::int64_t number_of(const FactGroup& group, const char* fact) {
  const Fact* found = group.find(fact);
  const auto* number =
      found != nullptr && found->value ? std::get_if<std::int64_t>(&*found->value) : nullptr;
  return number == nullptr ? -1 : *number;
}

std::string text_of(const FactGroup& group, const char* fact) {
  const Fact* found = group.find(fact);
  const auto* text =
      found != nullptr && found->value ? std::get_if<std::string>(&*found->value) : nullptr;
  return text == nullptr ? "" : *text;
}

// Whether the fabrics take one of "10.0.0.1/24, fe80::1/64" for a place of this machine.
bool has_usable_address(const std::string& addresses) {
  std::istringstream words(addresses);
  for (std::string word; words >> word;) {
    IpAddress ip = kLoopback;
    if (parse_ip(word.substr(0, word.find('/')), ip).empty() && !ip.is_any()) return true;
  }
  return false;
}

Use judge_device(const FactGroup& device) {
  Use use{"network device " + device.name, false, ""};
  if (!device.is_true("up")) {
    use.why = "it is down";
  } else if (!has_usable_address(text_of(device, "addresses"))) {
    use.why =
        "it has no address by which other machines reach it (link-local ones mean something "
        "beside one interface only)";
  } else {
    use.used = true;
    use.why =
        "processes that mpirun, srun or ssh has started reach those of other machines "
        "(holdfast node)";
  }
  return use;
}

void judge_network(const FactGroup& network, std::vector<Use>& uses) {
  bool loopback = false;
  for (const FactGroup& device : network.parts)
    loopback = loopback || (device.is_true("loopback") && device.is_true("up"));
  uses.push_back({"UDP over the loopback", loopback,
                  loopback ? "real processes (launch, and run with fabric.kind udp) talk over it"
                           : "the loopback is down; mend it with: ip link set lo up"});
  for (const FactGroup& device : network.parts)
    if (!device.is_true("loopback")) uses.push_back(judge_device(device));
}

// An offload of runs of frames, by what the fabrics did when they were tried.
void judge_runs(const FactGroup& sockets, const char* offload, const char* fact, const char* what,
                std::vector<Use>& uses) {
  const Fact* found = sockets.find(fact);
  const bool used = sockets.is_true(fact);
  std::string why = what;
  if (!used) {
    why = found == nullptr || found->value ? "the kernel does not do it; frames go one by one"
                                           : "not known: " + found->why_not;
  }
  uses.push_back({offload, used, std::move(why)});
}

void judge_sockets(const FactGroup& sockets, std::vector<Use>& uses) {
  const UdpOptions wanted;
  const std::int64_t granted = number_of(sockets, "receive_buffer");
  const bool enough = granted >= std::int64_t{wanted.receive_buffer_bytes};
  uses.push_back({"receive buffers of " + std::to_string(granted) + " bytes", granted > 0,
                  enough
                      ? "as large as the UDP fabric asks for"
                      : "the UDP fabric asks for " + std::to_string(wanted.receive_buffer_bytes) +
                            "; more with: sysctl net.core.rmem_max=" +
                            std::to_string(wanted.receive_buffer_bytes)});
  const bool times = sockets.is_true("arrival_times");
  uses.push_back({"times of arrival from the kernel", times,
                  times ? "each datagram is dated when it came, not when it was read"
                        : "the kernel refuses SO_TIMESTAMPNS; holdfast launch needs it"});
  const bool pidfd = sockets.is_true("pidfd");
  uses.push_back({"pidfd", pidfd,
                  pidfd ? "a process learns at once that another one of its node has ended"
                        : "the kernel has no pidfd_open (Linux 5.3); holdfast launch needs it, and "
                          "processes that share a node"});
  judge_runs(sockets, "UDP_SEGMENT", "sends_runs",
             "frames that follow each other to one process are given to the kernel as one buffer",
             uses);
  judge_runs(sockets, "UDP_GRO", "receives_runs",
             "frames that came together are taken from the kernel as one buffer", uses);
}

void judge_rdma(const FactGroup& rdma, std::vector<Use>& uses) {
  for (const FactGroup& device : rdma.parts) {
    bool active = false;
    for (const FactGroup& port : device.parts)
      active = active || text_of(port, "state") == "ACTIVE";
    uses.push_back({"RDMA device " + device.name, active,
                    active ? "real processes talk over it if told so (fabric.kind verbs, launch "
                             "--fabric verbs), in a build that has found libibverbs"
                           : "it has no active port; ibstat and the subnet manager's log say why"});
  }
  if (rdma.parts.empty())
    uses.push_back({"RDMA", false, "there is no device for jobs over verbs (fabric.kind)"});
}

void judge_software(const FactGroup& software, std::vector<Use>& uses) {
  const FactGroup* const pmix = software.part("PMIx");
  const bool here = pmix != nullptr && pmix->is_true("present");
  uses.push_back(
      {"PMIx", here,
       here ? "processes that mpirun or srun has started find each other (holdfast node)"
            : "libpmix is not here (Debian: libpmix2); without it holdfast node cannot be "
              "started by mpirun or srun"});
  uses.push_back({"MPI", false, "this build has no fabric over it"});
}

void judge_checksums(const FactGroup& checksums, std::vector<Use>& uses) {
  const std::string chosen = text_of(checksums, "crc32c");
  for (const FactGroup& kernel : checksums.parts) {
    const bool used = kernel.name == chosen;
    std::string why = "messages are checked by it: " + text_of(kernel, "idea");
    if (!used) {
      why = kernel.is_true("runs_here") ? "messages take " + chosen + ", which runs here, too"
                                        : "the processor or its system lacks the instructions";
    }
    uses.push_back({"CRC-32C kernel " + kernel.name, used, std::move(why)});
  }
}

void judge_rest(const FactGroup& machine, std::vector<Use>& uses) {
  uses.push_back({"shared memory, TCP", true,
                  "launched processes talk over them if told so (launch --fabric, fabric.kind)"});
  if (const FactGroup* processor = machine.part("processor")) {
    uses.push_back({std::to_string(number_of(*processor, "cores")) + " cores", true,
                    "replicates of a simulation that run at the same time (--jobs)"});
  }
  if (const FactGroup* memory = machine.part("memory")) {
    const std::string pages = text_of(*memory, "transparent_huge_pages");
    const bool used = pages == "always" || pages == "madvise";
    uses.push_back({"transparent huge pages", used,
                    used ? "the simulator asks for them where it keeps processes"
                         : "the kernel gives none; a large simulation is slower"});
    uses.push_back({"reserved huge pages", false, "transparent ones serve"});
  }
}

}  // namespace

std::vector<Use> uses_of(const FactGroup& machine) {
  std::vector<Use> uses;
  if (const FactGroup* network = machine.part("network")) judge_network(*network, uses);
  if (const FactGroup* sockets = machine.part("sockets")) judge_sockets(*sockets, uses);
  if (const FactGroup* rdma = machine.part("rdma")) judge_rdma(*rdma, uses);
  if (const FactGroup* software = machine.part("software")) judge_software(*software, uses);
  if (const FactGroup* checksums = machine.part("checksums")) judge_checksums(*checksums, uses);
  judge_rest(machine, uses);
  return uses;
}

}  // namespace holdfast::hw
