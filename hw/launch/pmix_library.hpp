// libpmix, loaded only where it is installed, so that neither the build nor a run needs it.
//
// The few declarations that are used stand here as PMIx 2 to 5 have them under one name of the
// library: the standard promises that they stay (PMIx Standard 4.1, sections 3.2 and 5 to 9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::hw {

struct PmixProcess {  // pmix_proc_t
  char space[256];    // the job's name
  std::uint32_t rank;
};

struct PmixBytes {  // pmix_byte_object_t
  char* bytes;
  std::size_t size;
};

struct PmixValue {  // pmix_value_t, of which we write no more than the members named here
  std::uint16_t type;
  union {
    bool flag;
    std::uint32_t number;
    PmixBytes object;
    std::byte room[64];
  };
};

struct PmixInfo {  // pmix_info_t; never in an array of several
  char key[512];
  std::uint32_t directives;
  PmixValue value;
};

constexpr std::uint16_t kPmixBool = 1;
constexpr std::uint16_t kPmixUint32 = 14;
constexpr std::uint16_t kPmixByteObject = 27;
constexpr std::uint8_t kPmixGlobal = 3;                   // scope: for all processes of the job
constexpr std::uint32_t kPmixEverybody = UINT32_MAX - 1;  // rank: what the job has, not a process
constexpr int kPmixLostConnection = -61;
constexpr int kPmixHandled = -334;

using PmixDone = void (*)(int status, PmixInfo* results, std::size_t count, void (*)(int, void*),
                          void*, void* data);
using PmixHandler = void (*)(std::size_t handler, int status, const PmixProcess* source,
                             PmixInfo* about, std::size_t abouts, PmixInfo* results,
                             std::size_t count, PmixDone done, void* data);

class PmixLibrary {
 public:
  // Loads it for as long as the process lives: it has threads of its own. Empty: it is there; else
  // a sentence.
  std::string load();

  int (*init)(PmixProcess*, PmixInfo*, std::size_t) = nullptr;
  int (*finalize)(const PmixInfo*, std::size_t) = nullptr;
  int (*put)(std::uint8_t scope, const char* key, PmixValue*) = nullptr;
  int (*commit)() = nullptr;
  int (*fence)(const PmixProcess*, std::size_t, const PmixInfo*, std::size_t) = nullptr;
  int (*get)(const PmixProcess*, const char* key, const PmixInfo*, std::size_t,
             PmixValue**) = nullptr;
  int (*register_handler)(int* codes, std::size_t, PmixInfo*, std::size_t, PmixHandler,
                          void (*)(int, std::size_t, void*), void*) = nullptr;
  const char* (*error_text)(int status) = nullptr;
};

}  // namespace holdfast::hw
