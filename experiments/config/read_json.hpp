// Reads JSON text into nodes that know their places, and says in plain words what is wrong with
// text that is no JSON. The grammar is strict JSON (RFC 8259); a key that occurs twice in an object
// is an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/config/node.hpp"

namespace holdfast::runner::config {

struct ReadJson {
  std::optional<Node> node;  // absent: `error` says why, `where` says at which place
  Origin where;
  std::string error;
};

// Objects and lists may be nested this deep.
constexpr std::size_t kNestingMax = 32;
// Keys of one object; each is compared with those before it.
constexpr std::size_t kKeysMax = 1000;

ReadJson read_json(std::string_view text);

}  // namespace holdfast::runner::config
