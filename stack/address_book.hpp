// Where the processes of a job can be reached: what whoever starts them knows, and whoever sends
// asks for.
#pragma once

#include <cstddef>

#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"

namespace holdfast {

class AddressBook {
 public:
  virtual ~AddressBook() = default;
  // On the fabric that is rail `rail` of every process.
  virtual Address address(std::size_t rail, ProcessId process) const = 0;
};

}  // namespace holdfast
