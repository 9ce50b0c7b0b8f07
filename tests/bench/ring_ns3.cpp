// The heartbeat ring on ns-3 3.37, as fast as ns-3 allows it.
//
// Each process is a node with a point-to-point link of 100 Gb/s and 2 us to its successor, the
// cheapest fabric that carries this traffic (but for `tree`): a star around one router, whose
// static routes are searched one by one, would cost more. Beats are plain scheduled
// events, without applications. Whoever hears nothing for the timeout suspects; this is checked at
// each beat. Variants:
//   - device, the default and the fastest: frames between devices, without sockets, UDP or IP;
//   - udp: UDP sockets over IPv4 with static routing;
//   - tree: the fat tree of ring.json, store-and-forward. Switches are nodes that send a packet on
//     with the device that its destination names, without IP and without tables.
// Chosen for speed, each after trying the alternatives with 1,024 and 16,384 processes:
//   - the scheduler over std::priority_queue (map: equal or slower; heap and calendar: slower);
//   - no queueing discipline on the links (with the default one UDP takes twice as long);
//   - point-to-point devices (SimpleNetDevice: no difference).
//
// usage: ring_ns3 PROCESSES SECONDS [device|udp|tree]; tests/bench/ring compares. Compiled as
// C++17: the package's headers are not C++20.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
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
    const ns3::Ptr<ns3::Packet> packet =
        ns3::Create<ns3::Packet>(frame.data(), static_cast<std::uint32_t>(frame.size()));
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
  // The payload begins with the destination's host, for the switches of the tree.
  std::array<std::uint8_t, bench::kHeartbeatBytes> frame{};
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

// A switch of PGFT(3; 16,32,32; 1,16,32; 1,1,1), routed by destination (d-mod-k).
struct Switch {
  unsigned level;          // 1: leaf
  std::uint32_t pod;       // of leaves and the level above
  std::uint32_t leaf = 0;  // of leaves, within the pod
  ns3::Ptr<ns3::Node> node = ns3::CreateObject<ns3::Node>();
  std::vector<ns3::Ptr<ns3::NetDevice>> down{};
  std::vector<ns3::Ptr<ns3::NetDevice>> up{};

  bool receive(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet> packet, std::uint16_t,
               const ns3::Address&) {
    std::uint32_t host = 0;
    packet->CopyData(reinterpret_cast<std::uint8_t*>(&host), sizeof host);
    const ns3::Ptr<ns3::NetDevice>& out = towards(host);
    out->Send(packet->Copy(), out->GetBroadcast(), kProtocol);
    return true;
  }

 private:
  const ns3::Ptr<ns3::NetDevice>& towards(std::uint32_t host) const {
    const std::uint32_t port = host % 16, its_leaf = host / 16 % 32, its_pod = host / 512;
    if (level == 3) return down[its_pod];
    if (level == 2) return its_pod == pod ? down[its_leaf] : up[its_leaf];
    return its_pod == pod && its_leaf == leaf ? down[port] : up[port];
  }
};

// All switches and their links; hosts only for the processes.
class Tree {
 public:
  static constexpr std::uint32_t kPods = 32, kLeaves = 32, kHosts = 16, kSpines = 16;
  static constexpr std::uint32_t kHostsMax = kPods * kLeaves * kHosts;

  explicit Tree(std::vector<Process>& processes) {
    link_.SetDeviceAttribute("DataRate", ns3::StringValue("100Gbps"));
    link_.SetChannelAttribute("Delay", ns3::StringValue("240ns"));  // a cable's and a switch's
    link_.DisableFlowControl();
    switches_.reserve(kPods * (kLeaves + kSpines) + kSpines * kPods);  // they stay where they are
    for (std::uint32_t pod = 0; pod < kPods; ++pod) {
      for (std::uint32_t i = 0; i < kSpines; ++i) switches_.push_back({2, pod});
    }
    for (std::uint32_t i = 0; i < kSpines * kPods; ++i) switches_.push_back({3, 0});
    for (std::uint32_t pod = 0; pod < kPods; ++pod) add_leaves(pod, processes);
    for (std::uint32_t pod = 0; pod < kPods; ++pod) {
      for (std::uint32_t i = 0; i < kSpines * kPods; ++i) {
        connect(switches_[kPods * kSpines + i], switches_[pod * kSpines + i / kPods]);
      }
    }
  }

 private:
  void add_leaves(std::uint32_t pod, std::vector<Process>& processes) {
    for (std::uint32_t i = 0; i < kLeaves; ++i) {
      switches_.push_back({1, pod, i});
      Switch& leaf = switches_.back();
      for (std::uint32_t up = 0; up < kSpines; ++up) connect(switches_[pod * kSpines + up], leaf);
      for (std::uint32_t port = 0; port < kHosts; ++port) {
        const std::size_t host = (pod * kLeaves + i) * kHosts + port;
        if (host < processes.size()) connect(leaf, processes[host]);
      }
    }
  }

  void connect(Switch& above, Switch& below) {
    const ns3::NetDeviceContainer ends = link_.Install(above.node, below.node);
    above.down.push_back(ends.Get(0));
    below.up.push_back(ends.Get(1));
    ends.Get(0)->SetReceiveCallback(ns3::MakeCallback(&Switch::receive, &above));
    ends.Get(1)->SetReceiveCallback(ns3::MakeCallback(&Switch::receive, &below));
  }

  void connect(Switch& leaf, Process& process) {
    const ns3::NetDeviceContainer ends = link_.Install(leaf.node, process.node);
    leaf.down.push_back(ends.Get(0));
    process.device_to_successor = ends.Get(1);
    process.successor_address = ends.Get(0)->GetAddress();
    ends.Get(0)->SetReceiveCallback(ns3::MakeCallback(&Switch::receive, &leaf));
    ends.Get(1)->SetReceiveCallback(ns3::MakeCallback(&Process::receive_from_device, &process));
  }

  ns3::PointToPointHelper link_;
  std::vector<Switch> switches_;
};

// The ring goes round in a shuffled order, as in ring.json, so nearly all heartbeats cross the top.
void shuffle_ring(std::vector<Process>& processes) {
  std::vector<std::uint32_t> order(processes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t successor = order[(i + 1) % order.size()];
    std::memcpy(processes[order[i]].frame.data(), &successor, sizeof successor);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options(argc, argv, "device");
  ns3::ObjectFactory scheduler;
  scheduler.SetTypeId("ns3::PriorityQueueScheduler");
  ns3::Simulator::SetScheduler(scheduler);
  std::vector<Process> processes(options.processes);
  std::optional<Tree> tree;
  if (options.variant == "device") {
    connect_devices(processes);
  } else if (options.variant == "udp") {
    connect_sockets(processes);
  } else if (options.variant == "tree" && options.processes <= Tree::kHostsMax) {
    tree.emplace(processes);
    shuffle_ring(processes);
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
