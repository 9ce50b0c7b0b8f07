// A JSON value that remembers where it was written. Errors can then name a line and column, and a
// value that came from the command line can be told from one of the file. Objects keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner::config {

// Where a value was written: a place of the file (line and column count from 1, columns in
// characters), or one of the command line's overrides.
struct Origin {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::int32_t override_index = -1;  // which --set; -1: the file
  bool swept = false;                // a value of the sweep, put in its place

  // Of two values that do not go together, the one that was chosen with more intent is to be
  // mended: of the command line (2), rather than of the sweep (1), rather than of the file (0).
  int insistence() const { return override_index >= 0 ? 2 : swept ? 1 : 0; }
};

enum class NodeKind : std::uint8_t { null, boolean, integer, real, string, array, object };

struct Member;

struct Node {
  NodeKind kind = NodeKind::null;
  bool boolean = false;
  std::int64_t integer = 0;     // of integer, and of a real up to 2^53: its whole part
  double real = 0.0;            // of integer and real
  std::string text;             // of string: its value
  std::vector<Node> items;      // of array
  std::vector<Member> members;  // of object, in the order written, no key twice
  Origin origin;

  bool is(NodeKind k) const { return kind == k; }
  bool is_number() const { return kind == NodeKind::integer || kind == NodeKind::real; }

  // The member `key`, or nullptr; also where this is no object.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  // The member `key`, appended as null if it is missing. Makes this an object.
  Node& member(std::string_view key);
  void erase(std::string_view key);
};

struct Member {
  std::string key;
  Origin key_origin;
  Node value;
};

Node string_node(std::string text);

// Equal as JSON values: 1 and 1.0 are, objects regardless of order; origins do not count.
bool same_value(const Node& a, const Node& b);

// JSON text; indent < 0: on one line. Text that is not UTF-8 is replaced by U+FFFD.
std::string to_json(const Node& node, int indent);

// The same on one line and cut to a length fit for a message.
std::string short_json(const Node& node);

// A step of a dotted path or JSON pointer into `node`: a key, or an index of an array.
const Node* step_into(const Node& node, std::string_view segment);
Node* step_into(Node& node, std::string_view segment);

// The node at a JSON pointer such as /failures/0/at, or nullptr. Of keys without '~' and '/'.
const Node* at_pointer(const Node& root, std::string_view pointer);

// `pointer` followed by one more segment, escaped as RFC 6901 says.
std::string pointer_to(const std::string& pointer, std::string_view segment);

// "a.b.0" as its segments; an empty path or segment gives an empty list.
std::vector<std::string> split_path(std::string_view path);

// Sets the origin of a node and all below it.
void set_origin(Node& node, const Origin& origin);

}  // namespace holdfast::runner::config
