// Text is written by nlohmann/json; it is seen here and in read_json.cpp only.
#include "experiments/config/node.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace holdfast::runner::config {

namespace {

constexpr std::size_t kShortBytes = 60;

nlohmann::ordered_json to_nlohmann(const Node& node) {
  switch (node.kind) {
    case NodeKind::null:
      return nullptr;
    case NodeKind::boolean:
      return node.boolean;
    case NodeKind::integer:
      return node.integer;
    case NodeKind::real:
      return node.real;
    case NodeKind::string:
      return node.text;
    case NodeKind::array: {
      auto array = nlohmann::ordered_json::array();
      for (const Node& item : node.items) array.push_back(to_nlohmann(item));
      return array;
    }
    case NodeKind::object: {
      auto object = nlohmann::ordered_json::object();
      for (const Member& member : node.members) object[member.key] = to_nlohmann(member.value);
      return object;
    }
  }
  return nullptr;
}

std::optional<std::size_t> as_index(std::string_view segment) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(segment.data(), segment.data() + segment.size(), index);
  if (error != std::errc() || end != segment.data() + segment.size()) return std::nullopt;
  return index;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Member& m : members) {
    if (m.key == key) return &m.value;
  }
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

Node& Node::member(std::string_view key) {
  kind = NodeKind::object;
  if (Node* present = find(key)) return *present;
  members.push_back(Member{std::string(key), origin, Node{}});
  members.back().value.origin = origin;
  return members.back().value;
}

void Node::erase(std::string_view key) {
  std::erase_if(members, [&](const Member& m) { return m.key == key; });
}

Node string_node(std::string text) {
  Node node;
  node.kind = NodeKind::string;
  node.text = std::move(text);
  return node;
}

bool same_value(const Node& a, const Node& b) {
  if (a.is(NodeKind::integer) && b.is(NodeKind::integer)) return a.integer == b.integer;
  if (a.is_number() && b.is_number()) return a.real == b.real;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case NodeKind::boolean:
      return a.boolean == b.boolean;
    case NodeKind::string:
      return a.text == b.text;
    case NodeKind::array:
      return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_value);
    case NodeKind::object:
      return a.members.size() == b.members.size() &&
             std::all_of(a.members.begin(), a.members.end(), [&](const Member& m) {
               const Node* other = b.find(m.key);
               return other != nullptr && same_value(m.value, *other);
             });
    default:
      return true;
  }
}

std::string to_json(const Node& node, int indent) {
  return to_nlohmann(node).dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string short_json(const Node& node) {
  std::string text = to_json(node, -1);
  if (text.size() <= kShortBytes) return text;
  std::size_t cut = kShortBytes;
  // Not within a character: continuation bytes of UTF-8 begin with the bits 10.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0u) == 0x80u) --cut;
  return text.substr(0, cut) + "…";
}

const Node* step_into(const Node& node, std::string_view segment) {
  if (node.is(NodeKind::object)) return node.find(segment);
  if (!node.is(NodeKind::array)) return nullptr;
  const auto index = as_index(segment);
  return index && *index < node.items.size() ? &node.items[*index] : nullptr;
}

Node* step_into(Node& node, std::string_view segment) {
  return const_cast<Node*>(step_into(static_cast<const Node&>(node), segment));
}

const Node* at_pointer(const Node& root, std::string_view pointer) {
  const Node* node = &root;
  while (node != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view segment = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(segment.size());
    node = step_into(*node, segment);
  }
  return node;
}

std::string pointer_to(const std::string& pointer, std::string_view segment) {
  std::string result = pointer + "/";
  for (const char c : segment) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> segments;
  for (;;) {
    const std::size_t dot = path.find('.');
    if (path.substr(0, dot).empty()) return {};
    segments.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return segments;
    path.remove_prefix(dot + 1);
  }
}

void set_origin(Node& node, const Origin& origin) {
  node.origin = origin;
  for (Node& item : node.items) set_origin(item, origin);
  for (Member& member : node.members) {
    member.key_origin = origin;
    set_origin(member.value, origin);
  }
}

}  // namespace holdfast::runner::config
