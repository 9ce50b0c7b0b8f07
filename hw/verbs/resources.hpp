// What libibverbs gives out, each with one owner that gives it back.
#pragma once

#include <infiniband/verbs.h>

#include <memory>

namespace holdfast::hw {

// ibv_reg_mr is a macro that mixes its flags with those of another enumeration.
constexpr int kLocalWrite = IBV_ACCESS_LOCAL_WRITE;

struct GiveBack {
  void operator()(ibv_context* context) const { ::ibv_close_device(context); }
  void operator()(ibv_pd* domain) const { ::ibv_dealloc_pd(domain); }
  void operator()(ibv_mr* region) const { ::ibv_dereg_mr(region); }
  void operator()(ibv_comp_channel* channel) const { ::ibv_destroy_comp_channel(channel); }
  void operator()(ibv_cq* queue) const { ::ibv_destroy_cq(queue); }
  void operator()(ibv_srq* queue) const { ::ibv_destroy_srq(queue); }
  void operator()(ibv_qp* pair) const { ::ibv_destroy_qp(pair); }
  void operator()(ibv_ah* handle) const { ::ibv_destroy_ah(handle); }
};

template <class Resource>
using Owned = std::unique_ptr<Resource, GiveBack>;

// Devices as libibverbs lists them.
class DeviceList {
 public:
  DeviceList() : devices_(::ibv_get_device_list(&count_)) {}
  ~DeviceList() {
    if (devices_ != nullptr) ::ibv_free_device_list(devices_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  ibv_device** begin() const { return devices_; }
  ibv_device** end() const { return devices_ == nullptr ? nullptr : devices_ + count_; }

 private:
  int count_ = 0;
  ibv_device** devices_ = nullptr;
};

}  // namespace holdfast::hw
