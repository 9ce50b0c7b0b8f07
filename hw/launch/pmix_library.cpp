// dlopen and dlsym; never dlclose.
#include "hw/launch/pmix_library.hpp"

#include <dlfcn.h>

namespace holdfast::hw {

namespace {

constexpr const char* kName = "libpmix.so.2";

}  // namespace

std::string PmixLibrary::load() {
  void* const handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return std::string(kName) + " cannot be loaded (Debian: libpmix2): " + (why ? why : "");
  }
  std::string missing;
  const auto find = [&]<class Function>(const char* function, Function& into) {
    into = reinterpret_cast<Function>(::dlsym(handle, function));
    if (into == nullptr) missing = function;
  };
  find("PMIx_Init", init);
  find("PMIx_Finalize", finalize);
  find("PMIx_Put", put);
  find("PMIx_Commit", commit);
  find("PMIx_Fence", fence);
  find("PMIx_Get", get);
  find("PMIx_Register_event_handler", register_handler);
  find("PMIx_Error_string", error_text);
  return missing.empty() ? "" : std::string(kName) + " has no " + missing;
}

}  // namespace holdfast::hw
