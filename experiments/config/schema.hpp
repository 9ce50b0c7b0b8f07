// The schema of the experiment file as data, and what the program asks of it. What keys there are,
// their types, units, limits, words and defaults stand in configs/schema/experiment.schema.json and
// nowhere else; but for the names of what is registered in the stack, which are added as words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/node.hpp"

namespace holdfast::runner::config {

// The whole schema, every $ref replaced by what it names. Loaded once; a keyword that this program
// does not understand is our bug and stops it.
const Node& experiment_schema_node();

// The schema of what a path of keys and list indices leads to, or nullptr.
const Node* schema_at(const std::vector<std::string>& path);

// The keys that an object of this schema may have, in the schema's order.
std::vector<std::string> keys_of(const Node& schema);

// A condition ("if" and "then") of an object's schema: `key` has `value`.
struct Condition {
  std::string key;
  const Node* value = nullptr;
  bool explicitly = false;  // the default does not count: the key must be there
  const Node* then = nullptr;
};
std::vector<Condition> conditions_of(const Node& schema);
bool holds(const Condition& condition, const Node& object);
// Whether `then` says that an object may not have this key.
bool forbids(const Condition& condition, std::string_view key);

// What a value must be, as the end of the sentence "expected ...".
std::string expectation(const Node& schema);

// Adds what is missing and has a default, and puts the keys into the schema's order. `value` must
// be valid. "$schema" is taken out: it means nothing away from its file.
void fill_defaults(const Node& schema, Node& value);

}  // namespace holdfast::runner::config
