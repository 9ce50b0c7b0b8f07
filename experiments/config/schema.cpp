// Reads the schema once and answers questions about it; the walk over a document is in
// validate.cpp.
#include "experiments/config/schema.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "experiments/config/load.hpp"
#include "experiments/config/nearest.hpp"
#include "experiments/config/read_json.hpp"
#include "stack/base/assert.hpp"
#include "stack/detect/detector.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast::runner::config {

namespace {

constexpr std::array<std::string_view, 32> kKeywords{"$schema",
                                                     "$defs",
                                                     "title",
                                                     "description",
                                                     "type",
                                                     "required",
                                                     "properties",
                                                     "items",
                                                     "enum",
                                                     "const",
                                                     "default",
                                                     "examples",
                                                     "pattern",
                                                     "minimum",
                                                     "maximum",
                                                     "minItems",
                                                     "maxItems",
                                                     "allOf",
                                                     "if",
                                                     "then",
                                                     "x-form",
                                                     "uniqueItems",
                                                     "x-fixed",
                                                     "x-minimum",
                                                     "x-maximum",
                                                     "x-option",
                                                     "x-required",
                                                     "x-registry",
                                                     "minLength",
                                                     "exclusiveMaximum",
                                                     "additionalProperties",
                                                     "dependentRequired"};
bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

// The names that the stack has registered, as the words of a schema that says x-registry.
void add_registered(Node& schema, std::string_view folder) {
  Member words{"enum", {}, Node{}};
  words.value.kind = NodeKind::array;
  const auto add = [&](std::string_view name) {
    words.value.items.push_back(string_node(std::string(name)));
  };
  if (folder == "detect") {
    for (const DetectorEntry& entry : detectors()) add(entry.name);
  } else {
    HOLDFAST_ASSERT(folder == "propagate");
    for (const PropagationEntry& entry : propagations()) add(entry.name);
  }
  schema.members.push_back(std::move(words));
}

// Puts the definition that `schema` refers to into it; what stands beside $ref has precedence.
void resolve_references(Node& schema, const Node& definitions) {
  const Node* reference = schema.find("$ref");
  if (reference != nullptr) {
    constexpr std::string_view prefix = "#/$defs/";
    HOLDFAST_ASSERT(reference->text.starts_with(prefix));
    const Node* definition = definitions.find(reference->text.substr(prefix.size()));
    HOLDFAST_ASSERT(definition != nullptr);
    schema.erase("$ref");
    for (const Member& m : definition->members) {
      if (schema.find(m.key) == nullptr) schema.members.push_back(m);
    }
  }
  if (const Node* registry = schema.find("x-registry")) {
    const std::string folder = registry->text;
    add_registered(schema, folder);
  }
  for (Member& m : schema.members) {
    HOLDFAST_ASSERT(is_keyword(m.key));
    if (m.key == "properties") {
      for (Member& property : m.value.members) resolve_references(property.value, definitions);
    } else if (m.key == "allOf") {
      for (Node& branch : m.value.items) resolve_references(branch, definitions);
    } else if (m.key == "items" || m.key == "if" || m.key == "then" ||
               m.key == "additionalProperties") {
      resolve_references(m.value, definitions);
    }
  }
}

Node load_schema() {
  ReadJson read = read_json(experiment_schema());
  HOLDFAST_ASSERT(read.node.has_value());
  const Node definitions = *read.node->find("$defs");
  resolve_references(*read.node, definitions);
  return *std::move(read.node);
}

bool allows_type(const Node& schema, std::string_view name) {
  const Node* type = schema.find("type");
  if (type == nullptr) return false;
  if (type->is(NodeKind::string)) return type->text == name;
  return std::any_of(type->items.begin(), type->items.end(),
                     [&](const Node& n) { return n.text == name; });
}

std::string such_as(const Node& schema) {
  if (const Node* examples = schema.find("examples")) {
    return ", such as " + short_json(examples->items.front());
  }
  const Node* standard = schema.find("default");
  return standard != nullptr ? ", such as " + short_json(*standard) : "";
}

std::string number_range(const Node& schema) {
  std::string text;
  if (const Node* minimum = schema.find("minimum")) text += " from " + short_json(*minimum);
  if (const Node* maximum = schema.find("maximum")) text += " to " + short_json(*maximum);
  if (const Node* below = schema.find("exclusiveMaximum")) {
    text += " to less than " + short_json(*below);
  }
  return text;
}

std::string text_expectation(const Node& schema) {
  const Node* form = schema.find("x-form");
  if (form == nullptr) return "a text" + such_as(schema);
  if (form->text == "time") return "a time with its unit" + such_as(schema);
  if (form->text == "age") return "a time with its unit, or \"equilibrium\"" + such_as(schema);
  if (form->text == "rate") return "a rate with its unit" + such_as(schema);
  if (form->text == "percentage") return "a share in percent" + such_as(schema);
  if (form->text == "path") return "the name of a file" + such_as(schema);
  return "a name of letters, digits, '.', '_' and '-', at most 100" + such_as(schema);
}

std::string object_expectation(const Node& schema) {
  std::vector<std::string> keys;
  for (const std::string& key : keys_of(schema)) keys.push_back(quoted(key));
  if (keys.empty()) return "an object";
  return (keys.size() == 1 ? "an object with the key " : "an object with the keys ") +
         listed(keys, "and");
}

}  // namespace

const Node& experiment_schema_node() {
  static const Node schema = load_schema();
  return schema;
}

const Node* schema_at(const std::vector<std::string>& path) {
  const Node* schema = &experiment_schema_node();
  for (const std::string& segment : path) {
    const bool index = segment.find_first_not_of("0123456789") == std::string::npos;
    const Node* properties = schema->find("properties");
    if (properties != nullptr) {
      schema = properties->find(segment);
    } else {
      schema = index ? schema->find("items") : nullptr;
    }
    if (schema == nullptr) return nullptr;
  }
  return schema;
}

std::vector<std::string> keys_of(const Node& schema) {
  std::vector<std::string> keys;
  if (const Node* properties = schema.find("properties")) {
    for (const Member& m : properties->members) keys.push_back(m.key);
  }
  return keys;
}

std::vector<Condition> conditions_of(const Node& schema) {
  std::vector<Condition> conditions;
  const Node* branches = schema.find("allOf");
  if (branches == nullptr) return conditions;
  for (const Node& branch : branches->items) {
    const Node& test = *branch.find("if");
    const Member& property = test.find("properties")->members.front();
    conditions.push_back({property.key, property.value.find("const"),
                          test.find("required") != nullptr, branch.find("then")});
  }
  return conditions;
}

bool holds(const Condition& condition, const Node& object) {
  const Node* value = object.find(condition.key);
  return value != nullptr ? same_value(*value, *condition.value) : !condition.explicitly;
}

bool forbids(const Condition& condition, std::string_view key) {
  const Node* properties = condition.then->find("properties");
  return properties != nullptr && properties->find(key) != nullptr;
}

std::string expectation(const Node& schema) {
  if (const Node* words = schema.find("enum")) {
    std::vector<std::string> texts;
    for (const Node& word : words->items) texts.push_back(to_json(word, -1));
    return listed(texts, "or");
  }
  const bool integer = allows_type(schema, "integer");
  if (integer && allows_type(schema, "string")) return "a whole number or a text" + such_as(schema);
  if (integer && allows_type(schema, "object"))
    return "a whole number" + number_range(schema) + ", or " + object_expectation(schema);
  if (integer) return "a whole number" + number_range(schema);
  if (allows_type(schema, "number")) return "a number" + number_range(schema);
  if (allows_type(schema, "boolean")) return "true or false";
  if (allows_type(schema, "string")) return text_expectation(schema);
  if (allows_type(schema, "array") && allows_type(schema, "object")) {
    return "an object, or a list of objects";
  }
  if (allows_type(schema, "array")) return "a list" + such_as(schema);
  return object_expectation(schema);
}

void fill_defaults(const Node& schema, Node& value) {
  if (const Node* items = schema.find("items")) {
    for (Node& item : value.items) fill_defaults(*items, item);
  }
  const Node* properties = schema.find("properties");
  if (properties == nullptr || !value.is(NodeKind::object)) return;
  std::vector<Member> ordered;
  for (const Member& property : properties->members) {
    if (property.key == "$schema") continue;
    Node* present = value.find(property.key);
    const Node* standard = property.value.find("default");
    if (present == nullptr && standard == nullptr) continue;
    Member filled{property.key, value.origin, Node{}};
    filled.value = present != nullptr ? std::move(*present) : *standard;
    if (present == nullptr) set_origin(filled.value, value.origin);
    fill_defaults(property.value, filled.value);
    ordered.push_back(std::move(filled));
  }
  value.members = std::move(ordered);
}

}  // namespace holdfast::runner::config
