// Sockets, watches and recorders of one process.
#include "hw/launch/ground.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kUdpRail = 0;

// Every process can be watched by every other, and each of them may be sent to.
constexpr std::uint32_t kSpareHandles = 8;

class LaunchedAddresses final : public AddressBook {
 public:
  LaunchedAddresses(const Assignment& assignment, const ProcessTable& table)
      : assignment_(assignment), table_(table) {}

  Address address(std::size_t rail, ProcessId process) const override {
    if (rail == kUdpRail)
      return to_address(UdpEndpoint{kLoopback, assignment_.ports[process.value]});
    // A process that was never started has ended, as far as a watcher is concerned; no process has
    // this number, which is above Linux's limit.
    constexpr ProcessIdentity kNobody{0x7fff'ffff, 0};
    return to_address(table_.get(process).value_or(kNobody));
  }

 private:
  const Assignment& assignment_;
  const ProcessTable& table_;
};

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
  UdpOptions options;
  options.local = {kLoopback, assignment.ports[assignment.self.value]};
  options.share_port = true;  // the launcher keeps it reserved
  options.peers_max = assignment.processes() + kSpareHandles;
  if (Status status = UdpFabric::open(options, udp); !status.is_ok()) return status;
  watch = std::make_unique<WatchFabric>(assignment.processes() + kSpareHandles);
  addresses = std::make_unique<LaunchedAddresses>(assignment, table);
  rails = {udp.get(), watch.get()};
  return assignment.recording.empty() ? Status::ok() : record(assignment);
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
