// What a launcher keeps for the processes of a job as long as it lasts: an address each, the table
// of who they are, the job's number and key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/launch/assignment.hpp"
#include "hw/launch/process_table.hpp"
#include "hw/launch/reserved_port.hpp"
#include "hw/launch/shared_directory.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class JobPlaces {
 public:
  // An error says what the system refused. The configuration and the seed are every process's.
  // Addresses by rail and process: of UDP and TCP, that nobody else uses, or of a rail none, then
  // ports of this machine's loopback are reserved, each rail at an address of its own (127.0.0.1,
  // 127.0.0.2 and so on); of verbs, ports of adapters; of shared memory,
  // which is one rail, none.
  Status reserve(
      std::uint32_t processes, JobFabric fabric, const std::string& configuration,
      std::uint64_t seed,
      std::vector<std::vector<Address>> addresses = std::vector<std::vector<Address>>(1));

  // After that: the key that the job was given takes the place of the one that was drawn.
  void use_key(const JobKey& key) { common_.key = key; }
  // After that: as many rails more, for messages, at the same addresses; over verbs at the same
  // ports.
  Status reserve_messages();

  // Descriptors that this holds open, of a job with so many rails to be reserved: those of messages
  // count, those whose addresses are given do not.
  static std::uint64_t descriptors(std::uint32_t processes, JobFabric fabric,
                                   std::uint32_t reserved_rails);

  // A process says where it is, if the word is about that.
  void hear(ProcessId process, const Word& word);

  ProcessTable& table() { return table_; }
  const ProcessTable& table() const { return table_; }
  // Without a recording.
  Assignment assignment(ProcessId process, std::uint32_t boot) const;

 private:
  // The rail with that number; `name` and the process's number are what it is called in shared
  // memory.
  Status reserve_rail(std::uint32_t processes, std::uint32_t rail, const char* name,
                      std::vector<Address>& addresses);

  std::vector<ReservedPort> ports_;
  SharedDirectory directory_;
  ProcessTable table_;
  Assignment common_;
};

}  // namespace holdfast::hw
