// What is tried is what replicates begin with: room for processes and their descriptors, a network
// namespace, the ports of adapters, the key.
#include "experiments/program/real_machine.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "experiments/runner/launch_replicate.hpp"
#include "hw/inject/host_network.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/verbs_rail.hpp"

namespace holdfast::program {
namespace {

// Whether the system lets a launcher have what replicates will need.
Status try_limits(const Prepared& prepared) {
  for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
    const runner::CampaignPoint& point = prepared.campaign.points[i];
    if (!is_real(point)) continue;
    if (Status status = runner::make_room(point.experiment, *prepared.inputs[i]); !status.is_ok())
      return status;
  }
  return Status::ok();
}

// Tries once what replicates will do with hosts of their own.
Status try_hosts(const runner::Campaign& campaign) {
  bool separate = false;
  bool silent = false;
  for (const runner::CampaignPoint& point : campaign.points) {
    if (!is_real(point) || !point.experiment.fabric.separate_hosts) continue;
    separate = true;
    for (const runner::FailureConfig& failure : point.experiment.failures)
      silent = silent || failure.action == runner::FaultKind::impair;
  }
  if (!separate) return Status::ok();
  std::unique_ptr<hw::HostNetwork> network;
  Status status = hw::HostNetwork::open(1, 1, network);
  if (status.is_ok() && silent) status = network->begin(0, 0, hw::RailFault::silent_from);
  if (status.is_ok()) return status;
  return Status::error("fabric.hosts \"namespaces\": " + status.message());
}

// Finds once what replicates over adapters will need.
Status try_adapters(const runner::Campaign& campaign) {
  for (const runner::CampaignPoint& point : campaign.points) {
    const runner::FabricConfig& fabric = point.experiment.fabric;
    if (fabric.target != runner::Target::verbs) continue;
    hw::PortsByNetwork ports;
    if (Status status = hw::find_job_ports(fabric.rails, ports); !status.is_ok()) return status;
  }
  return Status::ok();
}

}  // namespace

bool is_real(const runner::CampaignPoint& point) {
  return point.experiment.fabric.target != runner::Target::simulated;
}

bool any_real(const runner::Campaign& campaign) {
  return std::any_of(campaign.points.begin(), campaign.points.end(), is_real);
}

Status try_machine(const Prepared& prepared, std::optional<JobKey>& key) {
  const runner::Campaign& campaign = prepared.campaign;
  if (!any_real(campaign)) return Status::ok();
  if (Status status = try_limits(prepared); !status.is_ok()) return status;
  if (Status status = try_hosts(campaign); !status.is_ok()) return status;
  if (Status status = try_adapters(campaign); !status.is_ok()) return status;
  return hw::find_job_key("", key);
}

}  // namespace holdfast::program
