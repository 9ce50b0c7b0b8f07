// A library is here if the dynamic loader finds it, a program if it is in PATH: a package's name
// says neither, as people build these themselves.
#include "hw/probe/software.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "hw/probe/kernel_file.hpp"

namespace holdfast::hw {
namespace {

struct Software {
  const char* name;
  const char* library;  // null: a program
  const char* program;
  const char* package;
  const char* use;
};

constexpr std::array kSoftware = {
    Software{"libibverbs", "libibverbs.so.1", nullptr, "libibverbs1",
             "asks adapters whether they have path migration"},
    Software{"PMIx", "libpmix.so.2", nullptr, "libpmix2", "tells processes who is in their job"},
    Software{"Open MPI", "libmpi.so.40", nullptr, "libopenmpi3", "an MPI"},
    Software{"MPICH", "libmpich.so.12", nullptr, "libmpich12", "an MPI"},
    Software{"mpirun", nullptr, "mpirun", "openmpi-bin or mpich", "starts jobs of MPI"},
    Software{"ibnetdiscover", nullptr, "ibnetdiscover", "infiniband-diags",
             "writes the topology that holdfast reads"},
    Software{"opensm", nullptr, "opensm", "opensm", "a subnet manager"},
    Software{"ibsim", nullptr, "ibsim", "ibsim-utils", "a network for a subnet manager"},
};

// Loads nothing but what the loader has to look at, and lets go of it.
bool has_library(const char* name) {
  void* const handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return false;
  ::dlclose(handle);
  return true;
}

bool has_program(const std::string& name, const std::string& path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string file = path.substr(at, end - at) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

constexpr std::array kModules = {"ib_core", "ib_uverbs", "ib_umad", "rdma_cm", "ib_ipoib",
                                 "mlx4_ib", "mlx5_ib",   "hfi1",    "ib_qib",  "irdma",
                                 "bnxt_re", "rdma_rxe",  "siw"};

}  // namespace

FactGroup probe_software(const std::string& path) {
  FactGroup software{"software", {}, {}};
  for (const Software& one : kSoftware) {
    FactGroup part{one.name, {}, {}};
    part.add("present",
             one.library != nullptr ? has_library(one.library) : has_program(one.program, path));
    part.add("package", std::string(one.package));
    part.add("use", std::string(one.use));
    software.parts.push_back(std::move(part));
  }
  return software;
}

FactGroup probe_modules(const KernelFiles& files) {
  FactGroup modules{"modules", {}, {}};
  const std::string folder = files.sys + "/module";
  if (::access(folder.c_str(), X_OK) != 0) {
    modules.add_unknown("loaded", folder + " is not there");
    return modules;
  }
  for (const char* name : kModules)
    modules.add(name, ::access((folder + "/" + name).c_str(), F_OK) == 0);
  return modules;
}

}  // namespace holdfast::hw
