// A process that has hardly a descriptor left, for tests of what it does then.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hw/descriptor.hpp"

namespace holdfast::hw {

// While it lives, `left` more descriptors can be opened.
class FewDescriptors {
 public:
  explicit FewDescriptors(int left) {
    const Descriptor first_free(::dup(STDERR_FILENO));
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit low{static_cast<rlim_t>(first_free.get() + left), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  ~FewDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace holdfast::hw
