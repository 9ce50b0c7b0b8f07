// Checks a value against its part of the schema.
#pragma once

#include <string>

#include "experiments/config/node.hpp"
#include "experiments/config/problem.hpp"

namespace holdfast::runner::config {

enum class Completeness : std::uint8_t {
  parts,  // each value by itself: what a sweep or override may still supply is not missed
  whole,  // also which keys must be there, and which have no meaning beside which
};

// Appends what is wrong with `value`, which stands at `pointer`.
void validate(const Node& schema, const Node& value, const std::string& pointer,
              Completeness completeness, Problems& problems);

// The key of an object that no schema knows, with what was probably meant. `pointer` is the key's
// own.
Problem unknown_key(const Node& object_schema, std::string_view key, const Origin& origin,
                    const std::string& pointer);

// A key of `object_schema` that must be there and is not; `pointer` is the object's.
Problem missing_key(const Node& object_schema, std::string_view key, const Origin& origin,
                    const std::string& pointer);

}  // namespace holdfast::runner::config
