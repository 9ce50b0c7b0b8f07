// What messages hold, and that whatever else comes is noticed.
#include "experiments/netpipe/generator.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::netpipe {
namespace {

std::vector<std::byte> made(const MessageName& name, std::size_t bytes) {
  std::vector<std::byte> message(bytes);
  generate(name, message);
  return message;
}

TEST(Generator, KnowsItsOwnAtEveryLength) {
  for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
    const MessageName name{9, 1, static_cast<std::uint32_t>(bytes)};
    EXPECT_TRUE(is_generated(name, made(name, bytes))) << bytes;
  }
}

TEST(Generator, EveryByteCounts) {
  const MessageName name{1, 0, 3};
  for (const std::size_t bytes : {1u, 7u, 8u, 29u, 64u, 157u}) {
    for (std::size_t i = 0; i < bytes; ++i) {
      std::vector<std::byte> message = made(name, bytes);
      message[i] ^= std::byte{0x10};
      EXPECT_FALSE(is_generated(name, message)) << i << " of " << bytes;
    }
  }
}

TEST(Generator, AnotherMessageIsNotThisOne) {
  const std::vector<std::byte> message = made({5, 0, 7}, 16);
  for (const MessageName& other :
       {MessageName{4, 0, 7}, MessageName{6, 0, 7}, MessageName{5, 1, 7}, MessageName{5, 0, 8}})
    EXPECT_FALSE(is_generated(other, message));
}

}  // namespace
}  // namespace holdfast::netpipe
