// A stand-in for libibverbs with four adapters: one has path migration, one has not, one may not be
// opened, one does not answer. It knows nothing of the product's declarations: the attributes are
// laid out as in <infiniband/verbs.h>.
#include <cerrno>
#include <cstdint>
#include <cstring>

extern "C" {

struct ibv_device {
  const char* name;
};

struct ibv_context {
  ibv_device* device;
};

struct ibv_device_attr {
  char fw_ver[64];
  std::uint64_t node_guid;
  std::uint64_t sys_image_guid;
  std::uint64_t max_mr_size;
  std::uint64_t page_size_cap;
  std::uint32_t vendor_id;
  std::uint32_t vendor_part_id;
  std::uint32_t hw_ver;
  int max_qp;
  int max_qp_wr;
  unsigned device_cap_flags;
  char rest[112];  // 232 bytes in all
};

static ibv_device devices[] = {{"mlx5_0"}, {"mlx5_1"}, {"mlx5_2"}, {"mlx5_3"}};
static ibv_device* list[] = {&devices[0], &devices[1], &devices[2], &devices[3], nullptr};
static ibv_context contexts[4];

ibv_device** ibv_get_device_list(int* count) {
  *count = 4;
  return list;
}

void ibv_free_device_list(ibv_device**) {}

const char* ibv_get_device_name(ibv_device* device) {
  return device->name;
}

ibv_context* ibv_open_device(ibv_device* device) {
  if (device == &devices[2]) {
    errno = EACCES;
    return nullptr;
  }
  ibv_context* const context = &contexts[device - devices];
  context->device = device;
  return context;
}

int ibv_close_device(ibv_context*) {
  return 0;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* attributes) {
  std::memset(attributes, 0xff, sizeof *attributes);
  attributes->device_cap_flags = context->device == &devices[0] ? 1u << 4 : ~(1u << 4);
  return context->device == &devices[3] ? EIO : 0;
}

}  // extern "C"
