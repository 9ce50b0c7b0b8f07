// All probes, in the order in which people read.
#include "hw/probe/machine.hpp"

#include "hw/probe/checksums.hpp"
#include "hw/probe/limits.hpp"
#include "hw/probe/memory.hpp"
#include "hw/probe/network.hpp"
#include "hw/probe/processor.hpp"
#include "hw/probe/rdma.hpp"
#include "hw/probe/sockets.hpp"
#include "hw/probe/software.hpp"
#include "hw/probe/verbs_library.hpp"

namespace holdfast::hw {

FactGroup probe_machine(const std::string& path) {
  FactGroup rdma = probe_rdma();
  probe_path_migration(rdma);
  return {
      "machine",
      {},
      {probe_processor(), probe_checksums(), probe_clock(), probe_memory(), probe_limits(),
       probe_sockets(), probe_network(), std::move(rdma), probe_software(path), probe_modules()}};
}

}  // namespace holdfast::hw
