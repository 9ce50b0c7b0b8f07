// /sys/class/infiniband/DEVICE/ports/NUMBER/…; the kernel's Documentation/ABI/stable/
// sysfs-class-infiniband says what the files hold.
#include "hw/probe/rdma.hpp"

#include "hw/probe/kernel_file.hpp"

namespace holdfast::hw {
namespace {

// "4: ACTIVE" -> "ACTIVE".
void add_word_after_number(FactGroup& group, const std::string& fact, const std::string& path) {
  add_text(group, fact, path);
  Fact& added = group.facts.back();
  if (!added.value) return;
  std::string& text = std::get<std::string>(*added.value);
  if (const std::size_t colon = text.find(": "); colon != std::string::npos)
    text.erase(0, colon + 2);
}

FactGroup probe_port(const std::string& number, const std::string& folder) {
  FactGroup port{number, {}, {}};
  add_word_after_number(port, "state", folder + "/state");
  add_word_after_number(port, "physical_state", folder + "/phys_state");
  add_text(port, "link_layer", folder + "/link_layer");
  add_text(port, "rate", folder + "/rate");
  add_number(port, "lid", folder + "/lid");
  add_number(port, "lmc", folder + "/lid_mask_count");
  add_number(port, "sm_lid", folder + "/sm_lid");
  return port;
}

}  // namespace

FactGroup probe_rdma(const KernelFiles& files) {
  FactGroup rdma{"rdma", {}, {}};
  const std::string root = files.sys + "/class/infiniband";
  for (const std::string& name : list_kernel_folder(root)) {
    const std::string folder = root + "/" + name;
    FactGroup device{name, {}, {}};
    add_text(device, "node_guid", folder + "/node_guid");
    add_text(device, "firmware", folder + "/fw_ver");
    for (const std::string& port : list_kernel_folder(folder + "/ports"))
      device.parts.push_back(probe_port(port, folder + "/ports/" + port));
    rdma.parts.push_back(std::move(device));
  }
  return rdma;
}

}  // namespace holdfast::hw
