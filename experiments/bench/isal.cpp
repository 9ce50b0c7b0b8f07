// crc32_iscsi(data, length, register) leaves inverting the register to its caller.
#include "experiments/bench/isal.hpp"

#include <dlfcn.h>

namespace holdfast::bench {
namespace {

using Crc32Iscsi = unsigned int (*)(unsigned char*, int, unsigned int);

Crc32Iscsi loaded() {
  static const Crc32Iscsi function = [] {
    void* const library = ::dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Crc32Iscsi>(library == nullptr ? nullptr
                                                           : ::dlsym(library, "crc32_iscsi"));
  }();
  return function;
}

std::uint32_t crc32c(std::span<const std::byte> from) {
  // It reads only, whatever its type says.
  auto* const data =
      const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(from.data()));
  return ~loaded()(data, static_cast<int>(from.size()), 0xffffffffu);
}

}  // namespace

IsalCrc32c find_isal_crc32c() {
  return loaded() == nullptr ? nullptr : crc32c;
}

}  // namespace holdfast::bench
