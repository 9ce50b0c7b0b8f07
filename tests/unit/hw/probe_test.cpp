// Probes on made-up trees of the kernel's files, and on a stand-in for libibverbs.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "hw/probe/checksums.hpp"
#include "hw/probe/kernel_file.hpp"
#include "hw/probe/limits.hpp"
#include "hw/probe/memory.hpp"
#include "hw/probe/processor.hpp"
#include "hw/probe/rdma.hpp"
#include "hw/probe/sockets.hpp"
#include "hw/probe/software.hpp"
#include "hw/probe/use.hpp"
#include "hw/probe/verbs_library.hpp"
#include "stack/checksum/crc32c_kernel.hpp"

namespace holdfast::hw {
namespace {

namespace fs = std::filesystem;

// A folder of made-up kernel files that is gone afterwards.
class Tree : public ::testing::Test {
 protected:
  Tree() {
    std::string name = (fs::temp_directory_path() / "holdfast-probe-XXXXXX").string();
    root_ = mkdtemp(name.data());
    files_ = {root_ + "/sys", root_ + "/proc"};
  }
  ~Tree() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }

  // A port as the kernel shows it.
  void write_port(const std::string& device, const std::string& number, const std::string& state,
                  const std::string& lid, const std::string& lmc) const {
    const std::string folder = "sys/class/infiniband/" + device + "/ports/" + number + "/";
    write(folder + "state", state + "\n");
    write(folder + "phys_state", "5: LinkUp\n");
    write(folder + "link_layer", "InfiniBand\n");
    write(folder + "rate", "100 Gb/sec (4X EDR)\n");
    write(folder + "lid", lid + "\n");
    write(folder + "lid_mask_count", lmc + "\n");
    write(folder + "sm_lid", "0x1\n");
  }

  std::string root_;
  KernelFiles files_;
};

std::string text(const FactGroup* group, const std::string& fact) {
  const Fact* found = group == nullptr ? nullptr : group->find(fact);
  if (found == nullptr) return "no such fact";
  if (!found->value) return "not known: " + found->why_not;
  if (const bool* yes = std::get_if<bool>(&*found->value)) return *yes ? "yes" : "no";
  if (const auto* number = std::get_if<std::int64_t>(&*found->value))
    return std::to_string(*number) + found->unit;
  return std::get<std::string>(*found->value) + found->unit;
}

TEST_F(Tree, PortsOfAnAdapter) {
  write_port("mlx5_0", "1", "4: ACTIVE", "0x1a4", "2");
  write_port("mlx5_0", "2", "1: DOWN", "0xffff", "0");
  write("sys/class/infiniband/mlx5_0/node_guid", "0002:c903:0008:0e84\n");
  write("sys/class/infiniband/mlx5_0/fw_ver", "16.35.2000\n");
  fs::remove(root_ + "/sys/class/infiniband/mlx5_0/ports/2/rate");
  write("sys/class/infiniband/mlx5_0/ports/2/sm_lid", "soon\n");
  const FactGroup rdma = probe_rdma(files_);
  ASSERT_EQ(rdma.parts.size(), 1u);
  const FactGroup* device = rdma.part("mlx5_0");
  EXPECT_EQ(text(device, "node_guid"), "0002:c903:0008:0e84");
  EXPECT_EQ(text(device, "firmware"), "16.35.2000");
  ASSERT_EQ(device->parts.size(), 2u);
  const FactGroup* up = device->part("1");
  EXPECT_EQ(text(up, "state"), "ACTIVE");
  EXPECT_EQ(text(up, "physical_state"), "LinkUp");
  EXPECT_EQ(text(up, "link_layer"), "InfiniBand");
  EXPECT_EQ(text(up, "rate"), "100 Gb/sec (4X EDR)");
  EXPECT_EQ(text(up, "lid"), "420");
  EXPECT_EQ(text(up, "lmc"), "2");
  EXPECT_EQ(text(up, "sm_lid"), "1");
  const FactGroup* down = device->part("2");
  EXPECT_EQ(text(down, "state"), "DOWN");
  EXPECT_EQ(text(down, "lmc"), "0");
  EXPECT_EQ(text(down, "rate"), "not known: " + root_ +
                                    "/sys/class/infiniband/mlx5_0/ports/2/rate: No such file or "
                                    "directory");
  EXPECT_NE(text(down, "sm_lid").find("says \"soon\", which is no number"), std::string::npos);
}

TEST_F(Tree, NoAdapter) {
  FactGroup rdma = probe_rdma(files_);
  EXPECT_TRUE(rdma.parts.empty());
  probe_path_migration(rdma, "no-such-library.so");
  EXPECT_TRUE(rdma.parts.empty());
}

TEST(PathMigration, IsAskedOfEachAdapter) {
  FactGroup rdma{"rdma", {}, {}};
  for (const char* name : {"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3", "hfi1_0"})
    rdma.parts.push_back({name, {}, {}});
  probe_path_migration(rdma, HOLDFAST_FAKE_VERBS);
  EXPECT_EQ(text(rdma.part("mlx5_0"), "path_migration"), "yes");
  EXPECT_EQ(text(rdma.part("mlx5_1"), "path_migration"), "no");
  EXPECT_EQ(text(rdma.part("mlx5_2"), "path_migration"),
            "not known: the adapter cannot be opened: Permission denied; it takes access to "
            "/dev/infiniband/uverbs*");
  EXPECT_EQ(text(rdma.part("mlx5_3"), "path_migration"),
            "not known: the adapter does not answer: Input/output error");
  EXPECT_EQ(text(rdma.part("hfi1_0"), "path_migration"),
            "not known: libibverbs knows no such device");
}

TEST(PathMigration, IsNotAskedWithoutTheLibrary) {
  FactGroup rdma{"rdma", {}, {{"mlx5_0", {}, {}}}};
  probe_path_migration(rdma, "libno-such-verbs.so.1");
  EXPECT_EQ(text(rdma.part("mlx5_0"), "path_migration"),
            "not known: libibverbs is not installed (Debian: libibverbs1)");
}

TEST_F(Tree, Memory) {
  write("proc/meminfo", "MemTotal:       24689520 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "12\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "7\n");
  const FactGroup memory = probe_memory(files_);
  EXPECT_EQ(text(&memory, "total"), "25282068480bytes");
  EXPECT_EQ(text(&memory, "available"), "1048576bytes");
  EXPECT_EQ(text(&memory, "transparent_huge_pages"), "madvise");
  EXPECT_EQ(text(memory.part("hugepages-2048kB"), "pages"), "12");
  EXPECT_EQ(text(memory.part("hugepages-2048kB"), "free"), "7");
}

TEST_F(Tree, WhatIsNotThereIsSaid) {
  write("proc/meminfo", "MemTotal: much\n");
  const FactGroup memory = probe_memory(files_);
  EXPECT_EQ(text(&memory, "total"), "not known: " + files_.proc + "/meminfo has no MemTotal");
  EXPECT_NE(text(&memory, "transparent_huge_pages").find("No such file"), std::string::npos);
  const FactGroup clock = probe_clock(files_);
  EXPECT_NE(text(&clock, "source").find("not known: " + files_.sys), std::string::npos);
  const FactGroup processor = probe_processor(files_);
  EXPECT_NE(text(&processor, "model").find("not known: "), std::string::npos);
  const FactGroup modules = probe_modules(files_);
  EXPECT_EQ(text(&modules, "loaded"), "not known: " + files_.sys + "/module is not there");
}

TEST_F(Tree, Limits) {
  write("proc/sys/net/core/rmem_max", "212992\n");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{77, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const FactGroup limits = probe_limits(files_);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(text(&limits, "net.core.rmem_max"), "212992bytes");
  EXPECT_NE(text(&limits, "net.core.wmem_max").find("No such file"), std::string::npos);
  EXPECT_EQ(text(&limits, "open_files"), "77");
}

TEST_F(Tree, ModulesAndPrograms) {
  write("sys/module/rdma_rxe/refcnt", "0\n");
  const FactGroup modules = probe_modules(files_);
  EXPECT_TRUE(modules.is_true("rdma_rxe"));
  EXPECT_EQ(text(&modules, "mlx5_ib"), "no");
  write("bin/mpirun", "");
  fs::permissions(root_ + "/bin/mpirun", fs::perms::owner_all);
  write("bin/ibsim", "");  // which is no program
  fs::permissions(root_ + "/bin/ibsim", fs::perms::none);
  const FactGroup software = probe_software("/nowhere:" + root_ + "/bin");
  EXPECT_TRUE(software.part("mpirun")->is_true("present"));
  EXPECT_EQ(text(software.part("opensm"), "present"), "no");
  EXPECT_EQ(text(software.part("opensm"), "package"), "opensm");
}

const Use* use_of(const std::vector<Use>& uses, const std::string& what) {
  for (const Use& use : uses)
    if (use.what.starts_with(what)) return &use;
  return nullptr;
}

FactGroup with_port(const char* device, const char* state) {
  FactGroup port{"1", {}, {}};
  port.add("state", std::string(state));
  return {device, {}, {port}};
}

FactGroup machine_with(bool loopback_up, std::int64_t receive_buffer, bool pmix = true) {
  FactGroup lo{"lo", {}, {}};
  lo.add("loopback", true);
  lo.add("up", loopback_up);
  FactGroup eth{"eth0", {}, {}};
  eth.add("loopback", false);
  eth.add("up", true);
  eth.add("addresses", std::string("fe80::1/64, 10.0.0.5/24"));
  FactGroup sockets{"sockets", {}, {}};
  sockets.add("receive_buffer", receive_buffer, "bytes");
  sockets.add("pidfd", true);
  FactGroup library{"PMIx", {}, {}};
  library.add("present", pmix);
  return {"machine",
          {},
          {{"network", {}, {lo, eth}},
           sockets,
           {"rdma", {}, {with_port("mlx5_0", "ACTIVE"), with_port("mlx5_1", "DOWN")}},
           {"software", {}, {library}}}};
}

TEST(Uses, OfAMachineThatHasAll) {
  const std::vector<Use> uses = uses_of(machine_with(true, 4 << 20));
  EXPECT_TRUE(use_of(uses, "UDP over the loopback")->used);
  EXPECT_TRUE(use_of(uses, "pidfd")->used);
  EXPECT_TRUE(use_of(uses, "network device eth0")->used);
  EXPECT_TRUE(use_of(uses, "shared memory, TCP")->used);
  EXPECT_TRUE(use_of(uses, "RDMA device mlx5_0")->used);
  EXPECT_FALSE(use_of(uses, "RDMA device mlx5_1")->used);
  EXPECT_EQ(use_of(uses, "receive buffers")->why, "as large as the UDP fabric asks for");
  EXPECT_TRUE(use_of(uses, "PMIx")->used);
}

TEST(Uses, OfAMachineThatLacksSomething) {
  const std::vector<Use> uses = uses_of(machine_with(false, 212'992, false));
  EXPECT_FALSE(use_of(uses, "PMIx")->used);
  EXPECT_NE(use_of(uses, "PMIx")->why.find("libpmix2"), std::string::npos);
  EXPECT_FALSE(use_of(uses, "UDP over the loopback")->used);
  EXPECT_NE(use_of(uses, "UDP over the loopback")->why.find("ip link set lo up"),
            std::string::npos);
  EXPECT_NE(use_of(uses, "receive buffers")->why.find("sysctl net.core.rmem_max=4194304"),
            std::string::npos);
  EXPECT_FALSE(use_of(uses, "times of arrival")->used);  // nobody has tried
}

FactGroup device(const char* name, bool up, const char* addresses) {
  FactGroup one{name, {}, {}};
  one.add("loopback", false);
  one.add("up", up);
  one.add("addresses", std::string(addresses));
  return one;
}

TEST(Uses, ADeviceThatIsDownOrThatNobodyReachesIsNotUsed) {
  const FactGroup machine{"machine",
                          {},
                          {{"network",
                            {},
                            {device("ifb0", false, "none"), device("eth0", false, "10.0.0.5/24"),
                             device("eth1", true, "none"), device("eth2", true, "fe80::1/64"),
                             device("eth3", true, "fe80::1/64, fd00::7/64")}}}};
  const std::vector<Use> uses = uses_of(machine);
  for (const char* name : {"ifb0", "eth0", "eth1", "eth2", "eth3"}) {
    const Use* use = use_of(uses, std::string("network device ") + name);
    EXPECT_EQ(use->used, name == std::string("eth3")) << name;
  }
  EXPECT_EQ(use_of(uses, "network device eth0")->why, "it is down");
  EXPECT_NE(use_of(uses, "network device eth2")->why.find("link-local"), std::string::npos);
}

// The kernel's word for it and what two fabrics did are one.
TEST(Uses, OffloadsAreSaidToBeUsedAsTheFabricUsesThem) {
  const FactGroup machine{"machine", {}, {probe_sockets()}};
  const FactGroup& sockets = machine.parts[0];
  EXPECT_EQ(text(&sockets, "sends_runs"), text(&sockets, "udp_segment"));
  EXPECT_EQ(text(&sockets, "receives_runs"), text(&sockets, "udp_gro"));
  const std::vector<Use> uses = uses_of(machine);
  EXPECT_EQ(use_of(uses, "UDP_SEGMENT")->used, sockets.is_true("sends_runs"));
  EXPECT_EQ(use_of(uses, "UDP_GRO")->used, sockets.is_true("receives_runs"));
}

TEST(Uses, TheKernelOfChecksumsThatMessagesHaveIsNamedAndNoOther) {
  const FactGroup machine{"machine", {}, {probe_checksums()}};
  std::size_t used = 0, kernels = 0;
  for (const Use& use : uses_of(machine)) {
    if (!use.what.starts_with("CRC-32C kernel ")) continue;
    ++kernels;
    used += use.used ? 1 : 0;
    EXPECT_EQ(use.used, use.what.ends_with(newest_crc32c_kernel().name)) << use.what;
  }
  EXPECT_EQ(used, 1u);
  EXPECT_EQ(kernels, crc32c_kernels().size());
}

}  // namespace
}  // namespace holdfast::hw
