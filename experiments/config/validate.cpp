// A walk over a value with its part of the schema at its side; it goes on after an error, so that a
// file is mended in one go.
#include "experiments/config/validate.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/config/nearest.hpp"
#include "experiments/config/quantity.hpp"
#include "experiments/config/read_json.hpp"
#include "experiments/config/schema.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner::config {

namespace {

// One walk over a value: the pointer of where it is and the problems found so far.
class Validator {
 public:
  Validator(Completeness completeness, Problems& problems)
      : completeness_(completeness), problems_(problems) {}

  void check(const Node& schema, const Node& value, const std::string& pointer);

 private:
  void check_number(const Node& schema, const Node& value, const std::string& pointer);
  void check_text(const Node& schema, const Node& value, const std::string& pointer);
  void check_list(const Node& schema, const Node& value, const std::string& pointer);
  void check_object(const Node& schema, const Node& value, const std::string& pointer);
  void check_whole(const Node& schema, const Node& value, const std::string& pointer);
  void check_required(const Node& object_schema, const Node* keys, const Node& value,
                      const Origin& origin, const std::string& pointer);
  void check_forbidden(const Node& schema, const Condition& condition, const Node& value,
                       const std::string& pointer);
  void report(const Node& value, const std::string& pointer, std::string message) {
    problems_.push_back({value.origin, pointer, std::move(message)});
  }

  Completeness completeness_;
  Problems& problems_;
};

std::string found(const Node& value) {
  return "found " + short_json(value);
}

bool is_whole(const Node& value) {
  // Beyond 2^53 a fraction cannot be told from a whole number.
  return value.is(NodeKind::integer) ||
         (value.is(NodeKind::real) && std::abs(value.real) <= 0x1p53 &&
          value.real == std::trunc(value.real));
}

bool has_type(const Node& value, std::string_view type) {
  switch (value.kind) {
    case NodeKind::null:
      return false;
    case NodeKind::boolean:
      return type == "boolean";
    case NodeKind::integer:
    case NodeKind::real:
      return type == "number" || (type == "integer" && is_whole(value));
    case NodeKind::string:
      return type == "string";
    case NodeKind::array:
      return type == "array";
    case NodeKind::object:
      return type == "object";
  }
  return false;
}

bool has_type(const Node& value, const Node& type) {
  if (type.is(NodeKind::string)) return has_type(value, type.text);
  return std::any_of(type.items.begin(), type.items.end(),
                     [&](const Node& t) { return has_type(value, t.text); });
}

// How to mend a value of the wrong type, where that can be guessed.
std::string type_hint(const Node& schema, const Node& value) {
  if (schema.find("x-form") != nullptr && value.is_number()) {
    const std::string& form = schema.find("x-form")->text;
    if (form == "time" || form == "age" || form == "rate" || form == "percentage")
      return "; a bare number has no unit";
    return "; write it in double quotes";
  }
  const Node* type = schema.find("type");
  if (value.is(NodeKind::string)) {
    const ReadJson inner = read_json(value.text);
    if (inner.node && has_type(*inner.node, *type)) return "; write it without quotes";
  }
  const Node* items = schema.find("items");
  if (items != nullptr && items->find("type") != nullptr && has_type(value, *items->find("type"))) {
    return "; a list of one is written [" + short_json(value) + "]";
  }
  return "";
}

// "found ...; expected ...; did you mean ...?" for a value that is none of the words.
std::string no_such_word(const Node& schema, const Node& value) {
  std::string message = found(value) + "; expected " + expectation(schema);
  if (!value.is(NodeKind::string) || schema.find("enum")->items.size() == 1) return message;
  std::vector<std::string> words;
  for (const Node& word : schema.find("enum")->items) {
    words.push_back(word.is(NodeKind::string) ? word.text : to_json(word, -1));
  }
  return message + did_you_mean(value.text, words);
}

// Appends the dotted path of every object of the schema that has this key.
void collect_homes(const Node& schema, const std::string& path, std::string_view key,
                   std::vector<std::string>& homes) {
  if (const Node* items = schema.find("items")) return collect_homes(*items, path, key, homes);
  const Node* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const Member& m : properties->members) {
    if (m.key == key) homes.push_back(path.empty() ? "the top level" : quoted(path));
    collect_homes(m.value, path.empty() ? m.key : path + "." + m.key, key, homes);
  }
}

// Where a key belongs that is right in exactly one place.
std::string home_of(std::string_view key) {
  std::vector<std::string> homes;
  collect_homes(experiment_schema_node(), "", key, homes);
  return homes.size() == 1 ? homes.front() : "";
}

// Where an object was written: at the command line, if every part of it was set there.
const Origin& origin_of(const Node& object) {
  const Origin* origin = &object.origin;
  for (const Member& m : object.members) {
    if (m.value.origin.override_index < 0) return object.origin;
    origin = &m.value.origin;
  }
  return *origin;
}

void Validator::check(const Node& schema, const Node& value, const std::string& pointer) {
  if (const Node* words = schema.find("enum")) {
    const bool known = std::any_of(words->items.begin(), words->items.end(),
                                   [&](const Node& word) { return same_value(word, value); });
    if (!known) report(value, pointer, no_such_word(schema, value));
    return;
  }
  if (!has_type(value, *schema.find("type"))) {
    report(value, pointer,
           found(value) + "; expected " + expectation(schema) + type_hint(schema, value));
    return;
  }
  if (value.is_number()) check_number(schema, value, pointer);
  if (value.is(NodeKind::string)) check_text(schema, value, pointer);
  if (value.is(NodeKind::array)) check_list(schema, value, pointer);
  if (value.is(NodeKind::object)) check_object(schema, value, pointer);
}

void Validator::check_number(const Node& schema, const Node& value, const std::string& pointer) {
  const Node* minimum = schema.find("minimum");
  const Node* maximum = schema.find("maximum");
  const Node* below = schema.find("exclusiveMaximum");
  const bool within = (minimum == nullptr || value.real >= minimum->real) &&
                      (maximum == nullptr || value.real <= maximum->real) &&
                      (below == nullptr || value.real < below->real);
  if (!within) report(value, pointer, found(value) + "; expected " + expectation(schema));
}

// The quantity in nanoseconds, bits per second or millionths.
Parsed<std::int64_t> read_quantity(std::string_view form, std::string_view text) {
  if (form == "rate") return parse_rate(text);
  if (form == "percentage") return parse_percentage(text);
  const Parsed<Duration> time = parse_duration(text);
  if (!time.value) return {std::nullopt, time.error, time.hint};
  return {time.value->ns, "", ""};
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= 100 && letter(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || c == '.' || c == '_' || c == '-'; });
}

void Validator::check_text(const Node& schema, const Node& value, const std::string& pointer) {
  const std::string expected = "; expected " + expectation(schema);
  const Node* min_length = schema.find("minLength");
  if (min_length != nullptr && value.text.size() < static_cast<std::size_t>(min_length->integer)) {
    report(value, pointer, found(value) + expected);
    return;
  }
  const Node* form = schema.find("x-form");
  if (form == nullptr || form->text == "path") return;
  if (form->text == "name") {
    if (!is_name(value.text)) report(value, pointer, found(value) + expected);
    return;
  }
  if (form->text == "age" && value.text == "equilibrium") return;
  const auto quantity = read_quantity(form->text, value.text);
  if (!quantity.value) {
    const std::string hint = quantity.hint.empty() ? "" : "; " + quantity.hint;
    report(value, pointer, found(value) + ", which has " + quantity.error + expected + hint);
    return;
  }
  const Node* least = schema.find("x-minimum");
  const Node* most = schema.find("x-maximum");
  if (least != nullptr && *quantity.value < *read_quantity(form->text, least->text).value) {
    report(value, pointer, found(value) + "; expected at least " + short_json(*least));
  } else if (most != nullptr && *quantity.value > *read_quantity(form->text, most->text).value) {
    report(value, pointer, found(value) + "; expected at most " + short_json(*most));
  }
}

void Validator::check_list(const Node& schema, const Node& value, const std::string& pointer) {
  const Node* least = schema.find("minItems");
  const Node* most = schema.find("maxItems");
  if (least != nullptr && value.items.size() < static_cast<std::size_t>(least->integer)) {
    report(value, pointer, "found an empty list; expected at least " + short_json(*least));
  }
  if (most != nullptr && value.items.size() > static_cast<std::size_t>(most->integer)) {
    report(value, pointer,
           "found a list of " + std::to_string(value.items.size()) + " values; expected at most " +
               short_json(*most));
    return;
  }
  const Node* items = schema.find("items");
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Node& item = value.items[i];
    const std::string item_pointer = pointer_to(pointer, std::to_string(i));
    if (items != nullptr) check(*items, item, item_pointer);
    if (schema.find("uniqueItems") == nullptr) continue;
    const auto earlier =
        std::find_if(value.items.begin(), value.items.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const Node& other) { return same_value(other, item); });
    if (&*earlier != &item) {
      report(item, item_pointer, found(item) + " a second time; expected values that differ");
    }
  }
}

void Validator::check_object(const Node& schema, const Node& value, const std::string& pointer) {
  const Node* properties = schema.find("properties");
  const Node* additional = schema.find("additionalProperties");
  for (const Member& m : value.members) {
    const Node* property = properties != nullptr ? properties->find(m.key) : nullptr;
    if (property == nullptr && additional->is(NodeKind::object)) property = additional;
    const std::string member_pointer = pointer_to(pointer, m.key);
    if (property != nullptr) {
      check(*property, m.value, member_pointer);
    } else {
      problems_.push_back(unknown_key(schema, m.key, m.key_origin, member_pointer));
    }
  }
  if (completeness_ == Completeness::whole) check_whole(schema, value, pointer);
}

void Validator::check_whole(const Node& schema, const Node& value, const std::string& pointer) {
  const Origin& own = pointer.empty() ? value.origin : origin_of(value);
  check_required(schema, schema.find("required"), value, own, pointer);
  check_required(schema, schema.find("x-required"), value, own, pointer);
  for (const Condition& condition : conditions_of(schema)) {
    if (!holds(condition, value)) continue;
    const Node* kind = value.find(condition.key);
    const bool chosen = kind != nullptr && kind->origin.insistence() > 0;
    const Origin& origin = chosen ? kind->origin : own;
    check_required(schema, condition.then->find("required"), value, origin, pointer);
    check_required(schema, condition.then->find("x-required"), value, origin, pointer);
    check_forbidden(schema, condition, value, pointer);
  }
  const Node* dependent = schema.find("dependentRequired");
  if (dependent == nullptr) return;
  for (const Member& m : dependent->members) {
    if (value.find(m.key) == nullptr) continue;
    for (const Node& key : m.value.items) {
      if (value.find(key.text) != nullptr) continue;
      Problem problem = missing_key(schema, key.text, value.find(m.key)->origin, pointer);
      problem.message += "; " + quoted(m.key) + " means nothing without it";
      problems_.push_back(std::move(problem));
    }
  }
}

void Validator::check_required(const Node& object_schema, const Node* keys, const Node& value,
                               const Origin& origin, const std::string& pointer) {
  if (keys == nullptr) return;
  for (const Node& key : keys->items) {
    if (value.find(key.text) != nullptr) continue;
    problems_.push_back(missing_key(object_schema, key.text, origin, pointer));
  }
}

void Validator::check_forbidden(const Node& schema, const Condition& condition, const Node& value,
                                const std::string& pointer) {
  const Node* kind = value.find(condition.key);
  for (const Member& m : value.members) {
    if (!forbids(condition, m.key)) continue;
    std::vector<std::string> homes;  // the other values of the condition's key that allow this one
    const std::vector<Condition> all = conditions_of(schema);
    for (const Node& word : schema.find("properties")->find(condition.key)->find("enum")->items) {
      const bool forbidden = std::any_of(all.begin(), all.end(), [&](const Condition& other) {
        return same_value(*other.value, word) && forbids(other, m.key);
      });
      if (!forbidden) homes.push_back(quoted(condition.key) + ": " + to_json(word, -1));
    }
    const bool kind_was_chosen =
        kind != nullptr && kind->origin.insistence() > m.value.origin.insistence();
    problems_.push_back({kind_was_chosen ? kind->origin : m.key_origin, pointer_to(pointer, m.key),
                         "found " + quoted(m.key) + ", which has no meaning with " +
                             quoted(condition.key) + ": " + to_json(*condition.value, -1) +
                             "; remove it, or write " + listed(homes, "or")});
  }
}

}  // namespace

void validate(const Node& schema, const Node& value, const std::string& pointer,
              Completeness completeness, Problems& problems) {
  Validator(completeness, problems).check(schema, value, pointer);
}

Problem unknown_key(const Node& object_schema, std::string_view key, const Origin& origin,
                    const std::string& pointer) {
  const std::vector<std::string> keys = keys_of(object_schema);
  std::vector<std::string> names;
  for (const std::string& name : keys) names.push_back(quoted(name));
  const std::string shown = short_json(string_node(std::string(key)));
  std::string message = "found the unknown key " + shown + "; expected " + listed(names, "or");
  const std::string home = home_of(key);
  // A key that is right elsewhere was more likely misplaced than misspelt.
  if (!home.empty()) {
    message += "; " + quoted(key) + " belongs in " + home;
  } else {
    message += did_you_mean(key, keys);
  }
  return {origin, pointer, message};
}

Problem missing_key(const Node& object_schema, std::string_view key, const Origin& origin,
                    const std::string& pointer) {
  const Node& schema = *object_schema.find("properties")->find(key);
  std::string message = "the key " + quoted(key) + " is missing; expected " + expectation(schema);
  if (const Node* option = schema.find("x-option")) {
    message += ", or " + option->text + " on the command line";
  }
  return {origin, pointer, message};
}

}  // namespace holdfast::runner::config
