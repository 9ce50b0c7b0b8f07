// An object of a class that is chosen at run time, in the memory of whoever holds it: what a
// process reads all the time lies with the rest of it and not behind a pointer. At most one object
// in its life; neither copied nor moved.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast {

// `Base` has a virtual destructor. Holds whatever derives from it first and takes up to `Bytes`.
template <class Base, std::size_t Bytes>
class InPlace {
 public:
  InPlace() = default;
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;
  ~InPlace() {
    if (made_) object()->~Base();
  }

  template <class Derived, class... Arguments>
  void make(Arguments&&... arguments) {
    static_assert(std::is_base_of_v<Base, Derived> && std::has_virtual_destructor_v<Base>);
    static_assert(sizeof(Derived) <= Bytes && alignof(Derived) <= alignof(void*));
    HOLDFAST_ASSERT(!made_);
    Base* const base = new (memory_) Derived(std::forward<Arguments>(arguments)...);
    HOLDFAST_ASSERT(static_cast<void*>(base) == memory_);
    made_ = true;
  }

  bool made() const { return made_; }
  Base* operator->() { return object(); }
  const Base* operator->() const { return object(); }

 private:
  Base* object() { return std::launder(reinterpret_cast<Base*>(memory_)); }
  const Base* object() const { return std::launder(reinterpret_cast<const Base*>(memory_)); }

  alignas(void*) std::byte memory_[Bytes];
  bool made_ = false;
};

}  // namespace holdfast
