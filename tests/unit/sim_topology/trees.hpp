// Generated trees for the tests of everything that stands on one.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "sim/topology/pgft.hpp"

namespace holdfast::sim {

inline Pgft make_tree(const PgftSpec& spec) {
  Pgft tree;
  const Status status = Pgft::create(spec, tree);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return tree;
}

inline const LinkSpec kLink100{100'000'000'000, nanoseconds(150)};  // a byte: 8 units of SimTime

// One to four levels, with parallel links and several planes.
inline const std::vector<PgftSpec>& small_trees() {
  static const std::vector<PgftSpec> trees = {
      {{5}, {1}, {1}},
      {{4, 4}, {1, 4}, {1, 1}},
      {{18, 18}, {1, 9}, {1, 2}},
      {{4, 4, 4}, {1, 4, 4}, {1, 1, 1}},
      {{3, 2, 4}, {1, 2, 3}, {1, 3, 2}},
      {{2, 3, 2}, {2, 2, 3}, {2, 1, 2}},
      {{2, 2, 2, 3}, {1, 2, 1, 2}, {1, 1, 2, 1}},
  };
  return trees;
}

}  // namespace holdfast::sim
