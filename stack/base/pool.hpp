// Objects that are needed for a while, now by one and now by another: whoever is done gives its
// object back as it is, and what the object has allocated serves the next one. So a thousand users
// of whom three are busy take the memory of three, and who comes back to the pool allocates
// nothing. For one thread.
#pragma once

#include <memory>
#include <vector>

namespace holdfast {

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // As it was given back, or made anew. It stays where it is and belongs to the pool.
  T& take() {
    if (free_.empty()) {
      objects_.push_back(std::make_unique<T>());
      free_.reserve(objects_.capacity());
      return *objects_.back();
    }
    T& object = *free_.back();
    free_.pop_back();
    return object;
  }
  void give(T& object) { free_.push_back(&object); }

  std::size_t in_use() const { return objects_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<T>> objects_;
  std::vector<T*> free_;  // the last one given is the next one taken
};

}  // namespace holdfast
