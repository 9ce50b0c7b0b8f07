// Sockets, watches and recorders of one process.
#include "hw/launch/ground.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "hw/launch/message_lanes.hpp"
#include "hw/launch/socket_rail.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/shm/shm_address.hpp"
#include "hw/shm/shm_fabric.hpp"

namespace holdfast::hw {

namespace {

class LaunchedAddresses final : public AddressBook {
 public:
  LaunchedAddresses(const Assignment& assignment, const ProcessTable& table)
      : assignment_(assignment), table_(table) {}

  Address address(std::size_t rail, ProcessId process) const override {
    if (rail < assignment_.addresses.size()) {
      const Address& address = assignment_.addresses[rail][process.value];
      if (assignment_.fabric != JobFabric::verbs) return address;
      return at_queue_pair(address, table_.queue_pair(process, rail));
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

// Asked once for each handle, so a search will do.
ProcessId process_at(const AddressBook& book, std::size_t rail, std::uint32_t processes,
                     const Address& address) {
  for (std::uint32_t i = 0; i < processes; ++i)
    if (book.address(rail, {i}) == address) return {i};
  return kNoProcess;
}

// Of a launcher that is not ours.
Status no_address(const Assignment& assignment) {
  return Status::error("the assignment gives process " + std::to_string(assignment.self.value) +
                       " an address that is not of the job's fabric");
}

Status open_shm_rail(const Assignment& assignment, const std::vector<Address>& addresses,
                     ShmGeometry geometry, std::unique_ptr<Fabric>& rail) {
  const auto name = to_shm_name(addresses[assignment.self.value]);
  if (!name) return no_address(assignment);
  const std::uint32_t peers_max = assignment.processes() + kSpareHandles;
  geometry.lanes = std::min(peers_max, kShmLanesMax);
  ShmOptions options;
  options.name = *name;
  options.directory = assignment.directory;
  options.geometry = geometry;
  options.peers_max = peers_max;
  std::unique_ptr<ShmFabric> opened;
  const Status status = ShmFabric::open(options, opened);
  rail = std::move(opened);
  return status;
}

Status open_verbs_rail_of(const Assignment& assignment, const std::vector<Address>& addresses,
                          KeptQueue& kept, std::unique_ptr<Fabric>& rail) {
  const Address& local = addresses[assignment.self.value];
  const std::uint32_t peers_max = assignment.processes() + kSpareHandles;
  if (Status status = open_verbs_rail(local, assignment.job, peers_max, kept, rail);
      !status.is_ok()) {
    return status;
  }
  // Who is started again goes on with what there is: a port may be down, here or there.
  Status found = find_ways(*rail, addresses);
  return assignment.boot == 0 ? found : Status::ok();
}

Status open_rail(const Assignment& assignment, const std::vector<Address>& addresses,
                 KeptQueue& kept, std::unique_ptr<Fabric>& rail) {
  switch (assignment.fabric) {
    case JobFabric::verbs:
      return open_verbs_rail_of(assignment, addresses, kept, rail);
    case JobFabric::shm:
      return open_shm_rail(assignment, addresses, ShmGeometry{}, rail);
    case JobFabric::udp:
    case JobFabric::tcp:
      break;
  }
  const auto endpoint = to_udp_endpoint(addresses[assignment.self.value]);
  if (!endpoint) return no_address(assignment);
  return open_socket_rail(assignment.fabric, *endpoint, PortOwner::reserver,
                          assignment.processes() + kSpareHandles, rail);
}

}  // namespace

Status open_message_rail(const Assignment& assignment, const std::vector<Address>& addresses,
                         KeptQueue& kept, std::unique_ptr<Fabric>& rail) {
  if (assignment.fabric != JobFabric::shm) return open_rail(assignment, addresses, kept, rail);
  const ShmGeometry lanes =
      lanes_for_messages(assignment.processes(), assignment.message_addresses.size(),
                         file_system_bytes_at(assignment.directory));
  return open_shm_rail(assignment, addresses, lanes, rail);
}

Status say_queue_pairs(int control, std::byte kind, std::span<const Address> by_rail) {
  for (std::size_t rail = 0; rail < by_rail.size(); ++rail) {
    const std::uint32_t number = queue_pair_of(by_rail[rail]);
    if (number == 0) continue;
    if (Status status = send_word(control, placed_word(kind, rail, number)); !status.is_ok()) {
      return status;
    }
  }
  return Status::ok();
}

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
  for (const std::vector<Address>& by_process : assignment.addresses) {
    KeptQueue kept;  // by nobody else
    if (Status status = open_rail(assignment, by_process, kept, data.emplace_back());
        !status.is_ok()) {
      return status;
    }
    rails.push_back(counted.emplace_back(std::make_unique<CountingFabric>(*data.back())).get());
  }
  if (Status status = WatchFabric::open(assignment.processes() + kSpareHandles, watch);
      !status.is_ok()) {
    return status;
  }
  if (Status status = WatchFabric::try_watching(); !status.is_ok()) return status;
  addresses = std::make_unique<LaunchedAddresses>(assignment, table);
  rails.push_back(watch.get());
  if (assignment.faults.any() || !assignment.windows.empty()) impair(assignment);
  return Status::ok();
}

void Ground::impair(const Assignment& assignment) {
  const std::uint32_t processes = assignment.processes();
  for (std::size_t i = 0; i < data.size(); ++i) {
    impaired.push_back(std::make_unique<ImpairedFabric>(
        *rails[i], ImpairedOptions{.faults = assignment.faults,
                                   .windows = assignment.windows,
                                   .self = assignment.self,
                                   .rail = static_cast<std::uint8_t>(i),
                                   .process_at =
                                       [this, i, processes](const Address& address) {
                                         return process_at(*addresses, i, processes, address);
                                       },
                                   .seed = assignment.seed + i,  // another for each rail
                                   .life = life_number(assignment.self, assignment.boot),
                                   .clock = monotonic_now}));
    rails[i] = impaired.back().get();
  }
}

void Ground::start(Time at) {
  for (const auto& fabric : impaired) fabric->start(at);
}

Status Ground::say_ready(int control) const {
  if (Status status = say_queue_pairs(control, kPlaced, local_addresses(data)); !status.is_ok())
    return status;
  return send_word(control, {kReady, static_cast<std::uint32_t>(::getpid())});
}

std::vector<CountingFabric*> Ground::counted_rails() const {
  std::vector<CountingFabric*> carrying;
  for (const auto& fabric : counted) carrying.push_back(fabric.get());
  return carrying;
}

std::string Ground::notes() const {
  if (impaired.empty()) return {};
  FrameFaultCounts counts;
  for (const auto& fabric : impaired) counts += fabric->counts();
  std::string text;
  for (const auto& [name, count] : {std::pair{"frames_lost", counts.lost + counts.overflowed},
                                    {"frames_duplicated", counts.duplicated},
                                    {"frames_corrupted", counts.corrupted},
                                    {"frames_truncated", counts.truncated},
                                    {"frames_reordered", counts.reordered},
                                    {"frames_delayed", counts.delayed}})
    text += std::string(name) + " " + std::to_string(count) + "\n";
  return text;
}

Status Ground::record(const Assignment& assignment) {
  if (assignment.recording.empty()) return Status::ok();
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
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const auto number = static_cast<std::uint8_t>(i);
    recorders.push_back(std::make_unique<Recorder>(*rails[i], *recording, number));
    rails[i] = recorders[i].get();
  }
  return Status::ok();
}

}  // namespace holdfast::hw
