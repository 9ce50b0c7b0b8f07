// The register of kernels, and the plan that messages have.
#include "hw/probe/checksums.hpp"

#include <string>

#include "stack/checksum/checksum.hpp"
#include "stack/checksum/crc32c_kernel.hpp"

namespace holdfast::hw {

FactGroup probe_checksums() {
  FactGroup checksums{"checksums", {}, {}};
  checksums.add("crc32c", std::string(ChecksumPlan::of_this_processor().crc32c->name));
  for (const Crc32cKernel* kernel : crc32c_kernels()) {
    FactGroup one{std::string(kernel->name), {}, {}};
    one.add("idea", std::string(kernel->idea));
    one.add("runs_here", kernel->runs_here());
    checksums.parts.push_back(std::move(one));
  }
  return checksums;
}

}  // namespace holdfast::hw
