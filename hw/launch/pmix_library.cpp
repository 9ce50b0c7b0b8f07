// dlopen and dlsym; never dlclose.
#include "hw/launch/pmix_library.hpp"

#include <dlfcn.h>

namespace holdfast::hw {

std::string PmixLibrary::load(const char* name) {
  void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return std::string(name) + " cannot be loaded (Debian: libpmix2): " + (why ? why : "");
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
  return missing.empty() ? "" : std::string(name) + " has no " + missing;
}

}  // namespace holdfast::hw
