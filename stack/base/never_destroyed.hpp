// An object that lives from its first use until there is no process any more.
//
// Static objects are destroyed when main returns, in an order that nobody knows, while other
// threads go on: an engine on a thread of its own may still use a policy, or one of the program's
// static objects may hold the engine.
#pragma once

#include <cstddef>
#include <new>

namespace holdfast {

template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() { new (place_) T(); }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  const T& get() const { return *std::launder(reinterpret_cast<const T*>(place_)); }

 private:
  alignas(T) std::byte place_[sizeof(T)];
};

}  // namespace holdfast
