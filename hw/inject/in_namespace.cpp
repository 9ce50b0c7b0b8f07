// setns(2), there and back.
#include "hw/inject/in_namespace.hpp"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "hw/descriptor.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

Status enter_namespace(int name_space) {
  if (::setns(name_space, CLONE_NEWNET) == 0) return Status::ok();
  return Status::error(std::string("cannot enter a network namespace: ") + std::strerror(errno));
}

Status in_namespace(int name_space, const std::function<Status()>& act) {
  const Descriptor own(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!own.is_open())
    return Status::error(std::string("cannot open a network namespace: ") + std::strerror(errno));
  if (Status status = enter_namespace(name_space); !status.is_ok()) return status;
  Status status = act();
  const bool is_back = ::setns(own.get(), CLONE_NEWNET) == 0;
  HOLDFAST_ASSERT(is_back);  // else all that follows would happen in the wrong network
  return status;
}

}  // namespace holdfast::hw
