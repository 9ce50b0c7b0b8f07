// The heartbeat ring on ns-3 3.37, as fast as ns-3 allows it.
//
// Each process is a node with a point-to-point link of 100 Gb/s and 2 us to its successor, the
// cheapest fabric that carries this traffic: a fat tree, or a star around one router, whose static
// routes are searched one by one, would cost several hops a heartbeat. Beats are plain scheduled
// events, without applications. Whoever hears nothing for the timeout suspects; this is checked at
// each beat. Variants:
//   - device, the default and the fastest: frames between devices, without sockets, UDP or IP;
//   - udp: UDP sockets over IPv4 with static routing.
// Chosen for speed, each after trying the alternatives with 1,024 and 16,384 processes:
//   - the scheduler over std::priority_queue (map: equal or slower; heap and calendar: slower);
//   - no queueing discipline on the links (with the default one UDP takes twice as long);
//   - point-to-point devices (SimpleNetDevice: no difference).
//
// usage: ring_ns3 PROCESSES SECONDS [device|udp]; tests/bench/ring compares. Compiled as C++17:
// the package's headers are not C++20.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <cstdint>
#include <vector>

#include "tests/bench/peer_report.hpp"

namespace bench = holdfast::bench;

namespace {

constexpr std::uint16_t kPort = 9;
constexpr std::uint16_t kProtocol = 0x0800;

class Process {
 public:
  void beat() {
    if ((ns3::Simulator::Now() - last_heard).GetSeconds() > bench::kTimeout) ++suspicions;
    const ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet>(bench::kHeartbeatBytes);
    if (socket_to_successor != nullptr) {
      socket_to_successor->Send(packet);
    } else {
      device_to_successor->Send(packet, successor_address, kProtocol);
    }
    ns3::Simulator::Schedule(ns3::Seconds(bench::kPeriod), &Process::beat, this);
  }

  void receive_from_socket(ns3::Ptr<ns3::Socket> socket) {
    while (socket->Recv() != nullptr) hear();
  }

  bool receive_from_device(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet>, std::uint16_t,
                           const ns3::Address&) {
    hear();
    return true;
  }

  ns3::Ptr<ns3::Node> node = ns3::CreateObject<ns3::Node>();
  ns3::Ptr<ns3::NetDevice> device_to_successor;
  ns3::Address successor_address;
  ns3::Ptr<ns3::Socket> socket_to_successor;    // udp only
  ns3::Ptr<ns3::Socket> socket_to_predecessor;  // udp only
  ns3::Time last_heard;
  std::uint64_t heard = 0;
  std::uint64_t suspicions = 0;

 private:
  void hear() {
    ++heard;
    last_heard = ns3::Simulator::Now();
  }
};

ns3::PointToPointHelper link_helper() {
  ns3::PointToPointHelper link;
  link.SetDeviceAttribute("DataRate", ns3::StringValue("100Gbps"));
  link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds(bench::kLatency)));
  link.DisableFlowControl();
  return link;
}

void connect_devices(std::vector<Process>& processes) {
  ns3::PointToPointHelper link = link_helper();
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    Process& process = processes[rank];
    Process& successor = processes[(rank + 1) % processes.size()];
    const ns3::NetDeviceContainer ends = link.Install(process.node, successor.node);
    process.device_to_successor = ends.Get(0);
    process.successor_address = ends.Get(1)->GetAddress();
    ends.Get(1)->SetReceiveCallback(ns3::MakeCallback(&Process::receive_from_device, &successor));
  }
}

void connect_sockets(std::vector<Process>& processes) {
  ns3::InternetStackHelper internet;
  internet.SetIpv6StackInstall(false);
  internet.SetRoutingHelper(ns3::Ipv4StaticRoutingHelper());
  for (Process& process : processes) internet.Install(process.node);
  ns3::PointToPointHelper link = link_helper();
  ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
  const ns3::TypeId udp = ns3::UdpSocketFactory::GetTypeId();
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    Process& process = processes[rank];
    Process& successor = processes[(rank + 1) % processes.size()];
    const ns3::Ipv4InterfaceContainer ends =
        addresses.Assign(link.Install(process.node, successor.node));
    addresses.NewNetwork();
    const ns3::InetSocketAddress address(ends.GetAddress(1), kPort);
    successor.socket_to_predecessor = ns3::Socket::CreateSocket(successor.node, udp);
    successor.socket_to_predecessor->Bind(address);
    successor.socket_to_predecessor->SetRecvCallback(
        ns3::MakeCallback(&Process::receive_from_socket, &successor));
    process.socket_to_successor = ns3::Socket::CreateSocket(process.node, udp);
    process.socket_to_successor->Connect(address);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options(argc, argv, "device");
  ns3::ObjectFactory scheduler;
  scheduler.SetTypeId("ns3::PriorityQueueScheduler");
  ns3::Simulator::SetScheduler(scheduler);
  std::vector<Process> processes(options.processes);
  if (options.variant == "device") {
    connect_devices(processes);
  } else if (options.variant == "udp") {
    connect_sockets(processes);
  } else {
    return options.unknown_variant();
  }
  for (std::uint32_t rank = 0; rank < options.processes; ++rank) {
    ns3::Simulator::Schedule(ns3::Seconds(options.first_beat(rank)), &Process::beat,
                             &processes[rank]);
  }
  ns3::Simulator::Stop(ns3::Seconds(options.seconds));

  const bench::Stopwatch stopwatch;
  ns3::Simulator::Run();
  const double wall_seconds = stopwatch.seconds();
  std::uint64_t heartbeats = 0;
  std::uint64_t suspicions = 0;
  for (const Process& process : processes) {
    heartbeats += process.heard;
    suspicions += process.suspicions;
  }
  bench::report("ns3", options, heartbeats, suspicions, wall_seconds);
  ns3::Simulator::Destroy();
}
