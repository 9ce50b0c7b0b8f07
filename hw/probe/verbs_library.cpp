// The few declarations of <infiniband/verbs.h> that are needed, as libibverbs.so.1 has had them
// since its first release (rdma-core keeps them, symbol version IBVERBS_1.1).
#include "hw/probe/verbs_library.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace holdfast::hw {
namespace {

struct VerbsDevice;   // struct ibv_device
struct VerbsContext;  // struct ibv_context

// struct ibv_device_attr up to device_cap_flags. The library writes all of it, 232 bytes.
struct DeviceAttributes {
  char firmware[64];
  std::uint64_t guids[2];
  std::uint64_t memory[2];  // max_mr_size, page_size_cap
  std::uint32_t versions[3];
  std::int32_t queue_pairs[2];  // max_qp, max_qp_wr
  std::uint32_t capabilities;
  std::byte rest[1024];
};
static_assert(offsetof(DeviceAttributes, capabilities) == 116);

constexpr std::uint32_t kAutomaticPathMigration = 1u << 4;  // IBV_DEVICE_AUTO_PATH_MIG

class VerbsLibrary {
 public:
  explicit VerbsLibrary(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    complete_ = handle_ && find("ibv_get_device_list", get_device_list) &&
                find("ibv_free_device_list", free_device_list) &&
                find("ibv_get_device_name", get_device_name) &&
                find("ibv_open_device", open_device) && find("ibv_close_device", close_device) &&
                find("ibv_query_device", query_device);
  }
  ~VerbsLibrary() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  VerbsLibrary(const VerbsLibrary&) = delete;
  VerbsLibrary& operator=(const VerbsLibrary&) = delete;

  bool is_there() const { return handle_ != nullptr; }
  bool is_complete() const { return complete_; }

  VerbsDevice** (*get_device_list)(int*) = nullptr;
  void (*free_device_list)(VerbsDevice**) = nullptr;
  const char* (*get_device_name)(VerbsDevice*) = nullptr;
  VerbsContext* (*open_device)(VerbsDevice*) = nullptr;
  int (*close_device)(VerbsContext*) = nullptr;
  int (*query_device)(VerbsContext*, DeviceAttributes*) = nullptr;

 private:
  template <class Function>
  bool find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle_, name));
    return function != nullptr;
  }

  void* handle_ = nullptr;
  bool complete_ = false;
};

// Adds what one adapter says.
void ask(const VerbsLibrary& verbs, VerbsDevice* device, FactGroup& group) {
  VerbsContext* const context = verbs.open_device(device);
  if (context == nullptr) {
    group.add_unknown("path_migration", std::string("the adapter cannot be opened: ") +
                                            std::strerror(errno) +
                                            "; it takes access to /dev/infiniband/uverbs*");
    return;
  }
  DeviceAttributes attributes{};
  const int error = verbs.query_device(context, &attributes);
  verbs.close_device(context);
  if (error == 0) {
    group.add("path_migration", (attributes.capabilities & kAutomaticPathMigration) != 0);
  } else {
    group.add_unknown("path_migration",
                      std::string("the adapter does not answer: ") + std::strerror(error));
  }
}

void ask_all(const VerbsLibrary& verbs, FactGroup& rdma) {
  int count = 0;
  VerbsDevice** const list = verbs.get_device_list(&count);
  for (int i = 0; list != nullptr && i < count; ++i) {
    const std::string name = verbs.get_device_name(list[i]);
    for (FactGroup& group : rdma.parts)
      if (group.name == name) ask(verbs, list[i], group);
  }
  if (list != nullptr) verbs.free_device_list(list);
}

}  // namespace

void probe_path_migration(FactGroup& rdma, const char* library) {
  if (rdma.parts.empty()) return;
  const VerbsLibrary verbs(library);
  std::string why_not = "libibverbs knows no such device";
  if (!verbs.is_there()) why_not = "libibverbs is not installed (Debian: libibverbs1)";
  if (verbs.is_there() && !verbs.is_complete()) why_not = "libibverbs lacks a function";
  if (verbs.is_complete()) ask_all(verbs, rdma);
  for (FactGroup& device : rdma.parts)
    if (device.find("path_migration") == nullptr) device.add_unknown("path_migration", why_not);
}

}  // namespace holdfast::hw
