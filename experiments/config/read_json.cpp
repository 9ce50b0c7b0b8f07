// nlohmann's parser tells events, not places. Its input is read here through an iterator that
// reports how far the parser has come; from the end of the last token that is enough to find where
// the next one begins.
#include "experiments/config/read_json.hpp"

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/config/syntax_error.hpp"

namespace holdfast::runner::config {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Reads a text and keeps `consumed` at the number of bytes read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  std::size_t* consumed_;
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Turns offsets, asked for in rising order, into lines and columns in one pass.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {
    // No editor shows a byte order mark, so it is no column.
    if (text.starts_with(kByteOrderMark)) offset_ = kByteOrderMark.size();
  }

  Origin at(std::size_t offset) {
    for (; offset_ < offset && offset_ < text_.size(); ++offset_) {
      const char c = text_[offset_];
      if (c == '\n') {
        ++origin_.line;
        origin_.column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u) {
        ++origin_.column;  // a continuation byte of UTF-8 is part of the character before it
      }
    }
    return origin_;
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Origin origin_{1, 1};
};

// Builds the nodes from nlohmann's events; stops at the first error.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view text) : text_(text), places_(text) {
    if (text.starts_with(kByteOrderMark)) token_end_ = kByteOrderMark.size();
  }

  std::size_t* consumed() { return &consumed_; }
  ReadJson take() {
    if (result_.error.empty()) result_.node = std::move(root_);
    return std::move(result_);
  }

  bool null() override { return scalar(consumed_, Node{}); }
  bool boolean(bool value) override {
    Node node;
    node.kind = NodeKind::boolean;
    node.boolean = value;
    return scalar(consumed_, std::move(node));
  }
  bool number_integer(std::int64_t value) override { return whole_number(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (std::in_range<std::int64_t>(value)) return whole_number(static_cast<std::int64_t>(value));
    return fraction(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) override { return fraction(value); }
  bool string(std::string& value) override {
    return scalar(consumed_, string_node(std::move(value)));
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override { return open(NodeKind::object); }
  bool start_array(std::size_t) override { return open(NodeKind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override;
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) override;

 private:
  std::size_t token_begin() const;
  std::size_t number_end() const;
  bool whole_number(std::int64_t value);
  bool fraction(double value);
  bool scalar(std::size_t end, Node node);
  bool open(NodeKind kind);
  bool close();
  Node& place(Node node);
  bool fail(std::size_t offset, std::string error);

  std::string_view text_;
  Places places_;
  std::size_t consumed_ = 0;   // bytes the parser has read; may be one past the end of a number
  std::size_t token_end_ = 0;  // where the last token of an event ends
  Node root_;
  std::vector<Node*>
      open_;  // objects and lists not yet closed; outer ones do not move while inner grow
  bool after_key_ = false;    // the last event was a key
  bool after_value_ = false;  // the last event ended a value
  ReadJson result_;
};

// Between two tokens of events lie only spaces, commas and colons.
std::size_t Builder::token_begin() const {
  std::size_t at = token_end_;
  while (at < text_.size() && (is_space(text_[at]) || text_[at] == ',' || text_[at] == ':')) ++at;
  return at;
}

std::size_t Builder::number_end() const {
  const std::size_t end = text_.find_first_not_of("+-.0123456789eE", token_begin());
  return std::min(end, text_.size());
}

bool Builder::whole_number(std::int64_t value) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = value;
  node.real = static_cast<double>(value);
  return scalar(number_end(), std::move(node));
}

bool Builder::fraction(double value) {
  Node node;
  node.kind = NodeKind::real;
  node.real = value;
  // 1e3 is a whole number as well; beyond 2^53 that cannot be told.
  if (std::abs(value) <= 0x1p53) node.integer = static_cast<std::int64_t>(value);
  return scalar(number_end(), std::move(node));
}

bool Builder::scalar(std::size_t end, Node node) {
  place(std::move(node));
  token_end_ = end;
  after_key_ = false;
  after_value_ = true;
  return true;
}

bool Builder::open(NodeKind kind) {
  if (open_.size() == kNestingMax) {
    return fail(token_begin(), "objects and lists are nested more than " +
                                   std::to_string(kNestingMax) + " deep; no experiment needs that");
  }
  Node node;
  node.kind = kind;
  Node& placed = place(std::move(node));
  open_.push_back(&placed);
  token_end_ = token_begin() + 1;
  after_key_ = after_value_ = false;
  return true;
}

bool Builder::close() {
  open_.pop_back();
  token_end_ = token_begin() + 1;
  after_key_ = false;
  after_value_ = true;
  return true;
}

bool Builder::key(std::string& name) {
  const std::size_t begin = token_begin();
  const Origin origin = places_.at(begin);
  if (open_.back()->members.size() == kKeysMax) {
    return fail(begin, "this object has more than " + std::to_string(kKeysMax) + " keys");
  }
  for (const Member& member : open_.back()->members) {
    if (member.key != name) continue;
    return fail(begin, "the key \"" + name +
                           "\" occurs a second time in this object, first in line " +
                           std::to_string(member.key_origin.line) + "; remove one of the two");
  }
  open_.back()->members.push_back(Member{std::move(name), origin, Node{}});
  token_end_ = consumed_;
  after_key_ = true;
  after_value_ = false;
  return true;
}

// Puts a value where the text has it: into the last key's member, or at the end of the open list.
Node& Builder::place(Node node) {
  node.origin = places_.at(token_begin());
  Node* where = &root_;
  if (!open_.empty()) {
    Node& parent = *open_.back();
    where =
        parent.is(NodeKind::array) ? &parent.items.emplace_back() : &parent.members.back().value;
  }
  *where = std::move(node);
  return *where;
}

bool Builder::fail(std::size_t offset, std::string error) {
  result_.where = places_.at(offset);
  result_.error = std::move(error);
  return false;
}

bool Builder::parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) {
  SyntaxState state;
  state.token_end = token_end_;
  state.after_key = after_key_;
  state.after_value = after_value_;
  if (!open_.empty()) {
    state.within = open_.back()->kind;
    state.within_line = open_.back()->origin.line;
  }
  const SyntaxError error = explain_syntax_error(text_, state, e.what());
  return fail(error.offset, error.message);
}

}  // namespace

ReadJson read_json(std::string_view text) {
  Builder builder(text);
  // nlohmann's parser would take a zero byte for the end and not look at what follows.
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    return {std::nullopt, Places(text).at(zero), "the text holds a zero byte; it is no JSON"};
  }
  const CountingIterator begin(text.data(), builder.consumed());
  const CountingIterator end(text.data() + text.size(), builder.consumed());
  nlohmann::json::sax_parse(begin, end, &builder);
  return builder.take();
}

}  // namespace holdfast::runner::config
