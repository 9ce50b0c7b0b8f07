// The world's faults as values. Nothing in the stack throws across a seam, exits or aborts because
// of what a network, a peer or a user did; it returns one of these and the caller must look at it.
#pragma once

#include <string>
#include <utility>

namespace holdfast {

// Success, or a sentence for the person who has to mend it. A sentence costs an allocation, so hot
// paths answer with enumerations of their own instead.
class [[nodiscard]] Status {
 public:
  static Status ok() { return Status(); }
  static Status error(std::string message) {
    Status status;
    status.failed_ = true;
    status.message_ = std::move(message);
    return status;
  }

  bool is_ok() const { return !failed_; }
  const std::string& message() const { return message_; }

 private:
  Status() = default;
  bool failed_ = false;
  std::string message_;
};

}  // namespace holdfast
