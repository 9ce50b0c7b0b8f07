// An override is checked against the schema before it changes anything, so that a misspelt path is
// not reported as a wrong key of the file.
#include "experiments/config/override.hpp"

#include <algorithm>

#include "experiments/config/nearest.hpp"
#include "experiments/config/read_json.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/sweep.hpp"
#include "experiments/config/validate.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner::config {

namespace {

constexpr std::string_view kSweepPrefix = "sweep.";

bool is_index(std::string_view segment) {
  return segment.find_first_not_of("0123456789") == std::string_view::npos;
}

Node parse_value(std::string_view text, const Origin& origin) {
  ReadJson read = read_json(text);
  Node node = read.node ? *std::move(read.node) : string_node(std::string(text));
  set_origin(node, origin);
  return node;
}

std::string pointer_of(const std::vector<std::string>& path) {
  std::string pointer;
  for (const std::string& segment : path) pointer = pointer_to(pointer, segment);
  return pointer;
}

// Takes what is set out of the sweep; a part of something swept cannot be set.
bool release_from_sweep(Node& document, const std::string& path, const Origin& origin,
                        Problems& problems) {
  const auto forget = [&](Node& part) {
    std::erase_if(part.members, [&](const Member& m) { return lies_within(m.key, path); });
  };
  Node* sweep = document.find("sweep");
  if (sweep == nullptr) return true;
  forget(*sweep);
  for (Node& part : sweep->items) forget(part);
  for (const SweepPart& part : parts_of_sweep(document)) {
    for (const Member& m : part.sweep->members) {
      if (!lies_within(path, m.key)) continue;
      problems.push_back({origin, pointer_to(part.pointer, m.key),
                          "found a sweep of all of " + quoted(m.key) +
                              "; expected none where a part of it is set; set all of it, or "
                              "\"sweep." +
                              m.key + "\""});
      return false;
    }
  }
  return true;
}

// Whether the schema has a plain value and an object for the same thing.
bool may_be_plain_or_object(const Node& schema) {
  const Node* type = schema.find("type");
  return type != nullptr && type->is(NodeKind::array) && schema.find("properties") != nullptr;
}

// A plain value gives way to the object of which a part is set: `replicates` to `replicates.until`.
void make_room(Node& document, const std::vector<std::string>& path, const Origin& origin) {
  Node* node = &document;
  std::vector<std::string> reached;
  for (const std::string& segment : path) {
    const Node* schema = schema_at(reached);
    const bool plain = !node->is(NodeKind::object) && !node->is(NodeKind::array);
    if (plain && schema != nullptr && may_be_plain_or_object(*schema)) {
      *node = Node{};
      node->kind = NodeKind::object;
      node->origin = origin;
    }
    node = step_into(*node, segment);
    if (node == nullptr) return;
    reached.push_back(segment);
  }
}

void apply_override(const std::string& entry, const Origin& origin, Node& document,
                    Problems& problems) {
  const std::size_t equals = entry.find('=');
  const std::string path_text = entry.substr(0, equals);
  std::vector<std::string> path = split_path(path_text);
  const bool into_sweep = path_text.starts_with(kSweepPrefix);
  if (into_sweep) path = {"sweep", path_text.substr(kSweepPrefix.size())};
  if (equals == std::string::npos || path.empty() || path.back().empty()) {
    problems.push_back({origin, "", "expected PATH=VALUE, such as detector.period=50 ms"});
    return;
  }
  if (!into_sweep) {
    if (!check_path(path, origin, pointer_of(path), problems)) return;
    if (!release_from_sweep(document, path_text, origin, problems)) return;
    make_room(document, path, origin);
  }
  if (const auto why = why_no_path(document, path)) {
    problems.push_back({origin, pointer_of(path), no_place(*why)});
    return;
  }
  put(document, path, parse_value(std::string_view(entry).substr(equals + 1), origin));
}

// The keys of the file that a kind from the command line has made meaningless.
void drop_superseded(const Node& schema, Node& value) {
  if (const Node* items = schema.find("items")) {
    for (Node& item : value.items) drop_superseded(*items, item);
  }
  for (const Condition& condition : conditions_of(schema)) {
    const Node* key = value.find(condition.key);
    if (key == nullptr || key->origin.override_index < 0 || !holds(condition, value)) continue;
    std::erase_if(value.members, [&](const Member& m) {
      return m.value.origin.override_index < 0 && forbids(condition, m.key);
    });
  }
  const Node* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (Member& m : value.members) {
    if (const Node* property = properties->find(m.key)) drop_superseded(*property, m.value);
  }
}

}  // namespace

void apply_overrides(const std::vector<Assignment>& overrides, Node& document, Problems& problems) {
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    Origin origin;
    origin.override_index = static_cast<std::int32_t>(i);
    apply_override(overrides[i].text, origin, document, problems);
  }
  drop_superseded(experiment_schema_node(), document);
}

std::optional<std::string> why_no_path(const Node& document, const std::vector<std::string>& path) {
  const Node* node = &document;
  for (const std::string& segment : path) {
    const bool nothing = node == nullptr || node->is(NodeKind::null);
    // What is missing can be made where it is an object, but an entry of a list cannot.
    if (nothing && is_index(segment)) return "no list";
    if (nothing) continue;
    if (node->is(NodeKind::object)) {
      node = node->find(segment);
    } else if (node->is(NodeKind::array)) {
      if (step_into(*node, segment) == nullptr) {
        return "a list of " + std::to_string(node->items.size()) + " entries, counted from 0";
      }
      node = step_into(*node, segment);
    } else {
      return short_json(*node);
    }
  }
  return std::nullopt;
}

void put(Node& document, const std::vector<std::string>& path, Node value) {
  HOLDFAST_ASSERT(!why_no_path(document, path));
  Node* holder = nullptr;
  Node* node = &document;
  for (const std::string& segment : path) {
    holder = node;
    node = node->is(NodeKind::array) ? step_into(*node, segment) : &node->member(segment);
  }
  for (Member& m : holder->members) {
    if (&m.value == node) m.key_origin = value.origin;
  }
  *node = std::move(value);
}

bool check_path(const std::vector<std::string>& path, const Origin& origin,
                const std::string& pointer, Problems& problems) {
  for (std::size_t known = 0; known < path.size(); ++known) {
    const std::vector<std::string> next(path.begin(),
                                        path.begin() + static_cast<std::ptrdiff_t>(known) + 1);
    if (schema_at(next) != nullptr) continue;
    const Node& parent = *schema_at({next.begin(), next.end() - 1});
    if (parent.find("properties") != nullptr) {
      problems.push_back(unknown_key(parent, path[known], origin, pointer));
    } else {
      const std::string expected =
          parent.find("items") != nullptr ? "the index of an entry" : "nothing below the value";
      problems.push_back(
          {origin, pointer, "found " + quoted(path[known]) + " in the path; expected " + expected});
    }
    return false;
  }
  return true;
}

std::string no_place(const std::string& why) {
  return "found on this path " + why + "; expected a place for the value";
}

bool lies_within(std::string_view path, std::string_view ancestor) {
  return path.starts_with(ancestor) &&
         (path.size() == ancestor.size() || path[ancestor.size()] == '.');
}

}  // namespace holdfast::runner::config
