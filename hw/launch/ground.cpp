// Sockets, watches and recorders of one process.
#include "hw/launch/ground.hpp"

#include <unistd.h>

#include <algorithm>

#include "hw/launch/socket_rail.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "hw/shm/shm_address.hpp"
#include "hw/shm/shm_fabric.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kDataRail = 0;

class LaunchedAddresses final : public AddressBook {
 public:
  LaunchedAddresses(const Assignment& assignment, const ProcessTable& table)
      : assignment_(assignment), table_(table) {}

  Address address(std::size_t rail, ProcessId process) const override {
    if (rail == kDataRail) {
      const Address& address = assignment_.addresses[rail][process.value];
      if (assignment_.fabric != JobFabric::verbs) return address;
      return at_queue_pair(address, table_.queue_pair(process));
    }
    // A process that was never started has ended, as far as a watcher is concerned; no process has
    // this number, which is above Linux's limit.
    constexpr ProcessIdentity kNobody{0x7fff'ffff, 0};
    return to_address(table_.get(process).value_or(kNobody));
  }

 private:
  const Assignment& assignment_;
  const ProcessTable& table_;
};

// Of a launcher that is not ours.
Status no_address(const Assignment& assignment) {
  return Status::error("the assignment gives process " + std::to_string(assignment.self.value) +
                       " an address that is not of the job's fabric");
}

Status open_data_rail(const Assignment& assignment, std::unique_ptr<Fabric>& fabric) {
  const Address& local = assignment.addresses[kDataRail][assignment.self.value];
  const std::uint32_t peers_max = assignment.processes() + kSpareHandles;
  if (assignment.fabric == JobFabric::verbs) {
    if (Status status = open_verbs_rail(local, assignment.job, peers_max, fabric);
        !status.is_ok()) {
      return status;
    }
    return find_ways(*fabric, assignment.addresses[kDataRail]);
  }
  if (assignment.fabric != JobFabric::shm) {
    const auto endpoint = to_udp_endpoint(local);
    if (!endpoint) return no_address(assignment);
    return open_socket_rail(assignment.fabric, *endpoint, PortOwner::launcher, peers_max, fabric);
  }
  const auto name = to_shm_name(local);
  if (!name) return no_address(assignment);
  ShmOptions options;
  options.name = *name;
  options.directory = assignment.directory;
  options.geometry.lanes = std::min(peers_max, kShmLanesMax);
  options.peers_max = peers_max;
  std::unique_ptr<ShmFabric> opened;
  const Status status = ShmFabric::open(options, opened);
  fabric = std::move(opened);
  return status;
}

}  // namespace

NodeStart start_of(const Assignment& assignment, std::span<Fabric* const> rails,
                   const AddressBook& addresses) {
  return {assignment.configuration, assignment.self, assignment.processes(),
          assignment.boot,          assignment.seed, assignment.job,
          assignment.key,           rails,           addresses};
}

Status Ground::open(const Assignment& assignment, int table_descriptor) {
  if (Status status = table.map(table_descriptor, assignment.processes()); !status.is_ok()) {
    return status;
  }
  if (Status status = open_data_rail(assignment, data); !status.is_ok()) return status;
  counted = std::make_unique<CountingFabric>(*data);
  watch = std::make_unique<WatchFabric>(assignment.processes() + kSpareHandles);
  addresses = std::make_unique<LaunchedAddresses>(assignment, table);
  rails = {counted.get(), watch.get()};
  return assignment.recording.empty() ? Status::ok() : record(assignment);
}

Status Ground::say_ready(int control) const {
  if (const std::uint32_t number = queue_pair_of(data->local_address()); number != 0) {
    if (Status status = send_word(control, {kPlaced, number}); !status.is_ok()) return status;
  }
  return send_word(control, {kReady, static_cast<std::uint32_t>(::getpid())});
}

Status Ground::record(const Assignment& assignment) {
  RecordingOpening opening;
  opening.configuration = assignment.configuration;
  opening.seed = assignment.seed;
  opening.self = assignment.self;
  opening.incarnation = first_incarnation_of_boot(assignment.boot);
  ByteWriter roster;
  encode_roster(assignment, roster);
  opening.roster.assign(roster.bytes().begin(), roster.bytes().end());
  if (Status status = RecordingWriter::create(assignment.recording, opening, recording);
      !status.is_ok()) {
    return status;
  }
  recorded_addresses = std::make_unique<RecordedAddresses>(*addresses, *recording);
  for (std::size_t i = 0; i < kNodeRails; ++i) {
    recorders[i] = std::make_unique<Recorder>(*rails[i], *recording, static_cast<std::uint8_t>(i));
    rails[i] = recorders[i].get();
  }
  return Status::ok();
}

}  // namespace holdfast::hw
