// Places of values, and texts that a parser might misread. Messages: see tests/golden/config.
#include "experiments/config/read_json.hpp"

#include <gtest/gtest.h>

namespace holdfast::runner::config {
namespace {

void expect_at(const Node* node, std::uint32_t line, std::uint32_t column) {
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->origin.line, line);
  EXPECT_EQ(node->origin.column, column);
}

TEST(ReadJson, KnowsThePlaceOfEveryValue) {
  const ReadJson read = read_json(
      "{\"a\" : 12,\n"
      "  \"b\":[true , -1.5e3,null,\n"
      "       \"x\\\"y\"],\"c\":{\"d\":{}, \"e\" :[] ,\"f\":7}\n"
      "}");
  ASSERT_TRUE(read.node.has_value()) << read.error;
  const Node& root = *read.node;
  expect_at(&root, 1, 1);
  expect_at(at_pointer(root, "/a"), 1, 8);
  expect_at(at_pointer(root, "/b"), 2, 7);
  expect_at(at_pointer(root, "/b/0"), 2, 8);
  expect_at(at_pointer(root, "/b/1"), 2, 15);
  expect_at(at_pointer(root, "/b/2"), 2, 22);
  expect_at(at_pointer(root, "/b/3"), 3, 8);
  expect_at(at_pointer(root, "/c"), 3, 20);
  expect_at(at_pointer(root, "/c/d"), 3, 25);
  expect_at(at_pointer(root, "/c/e"), 3, 34);
  expect_at(at_pointer(root, "/c/f"), 3, 42);
  EXPECT_EQ(root.members[1].key_origin.line, 2u);
  EXPECT_EQ(root.members[1].key_origin.column, 3u);
  EXPECT_EQ(at_pointer(root, "/b/3")->text, "x\"y");
  EXPECT_EQ(at_pointer(root, "/b/1")->real, -1500.0);
  EXPECT_EQ(at_pointer(root, "/b/1")->integer, -1500);
}

TEST(ReadJson, CountsColumnsInCharacters) {
  const ReadJson read = read_json("{\"µs…\": 1}");
  ASSERT_TRUE(read.node.has_value());
  expect_at(&read.node->members[0].value, 1, 9);
}

TEST(ReadJson, SkipsAByteOrderMark) {
  const ReadJson read = read_json("\xef\xbb\xbf{\"a\": 1}");
  ASSERT_TRUE(read.node.has_value()) << read.error;
  EXPECT_EQ(read.node->members[0].value.integer, 1);
  expect_at(&*read.node, 1, 1);
  EXPECT_EQ(read.node->members[0].key_origin.column, 2u);
  expect_at(&read.node->members[0].value, 1, 7);
}

TEST(ReadJson, ReadsScalarsAlone) {
  EXPECT_EQ(read_json("12").node->integer, 12);
  EXPECT_EQ(read_json(" \"x\" ").node->text, "x");
  EXPECT_TRUE(read_json("true").node->boolean);
}

TEST(ReadJson, KeepsLargeNumbersApart) {
  EXPECT_EQ(read_json("9223372036854775807").node->integer, 9'223'372'036'854'775'807);
  EXPECT_TRUE(read_json("9223372036854775808").node->is(NodeKind::real));
}

TEST(ReadJson, RefusesAZeroByteThoughTheParserStopsThere) {
  const ReadJson read = read_json(std::string_view("{}\0x", 4));
  EXPECT_FALSE(read.node.has_value());
  EXPECT_EQ(read.where.column, 3u);
}

TEST(ReadJson, RefusesTooDeepNesting) {
  const std::string ok = std::string(kNestingMax, '[') + std::string(kNestingMax, ']');
  EXPECT_TRUE(read_json(ok).node.has_value());
  EXPECT_FALSE(read_json("[" + ok + "]").node.has_value());
  EXPECT_FALSE(read_json(std::string(1'000'000, '[')).node.has_value());
}

TEST(ReadJson, RefusesTooManyKeys) {
  std::string text = "{\"k\":0";
  for (std::size_t i = 1; i < kKeysMax; ++i) text += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_TRUE(read_json(text + "}").node.has_value());
  EXPECT_FALSE(read_json(text + ",\"one more\":0}").node.has_value());
}

TEST(Node, ComparesAsJson) {
  const auto same = [](const char* a, const char* b) {
    return same_value(*read_json(a).node, *read_json(b).node);
  };
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same(R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(same("1", "\"1\""));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same("[1]", "[1,1]"));
  EXPECT_FALSE(same("true", "false"));
}

TEST(Node, CutsLongTextBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "µ";
  const std::string shown = short_json(string_node(text));
  EXPECT_LE(shown.size(), 64u);
  // A cut within a character would not be JSON text any more.
  EXPECT_TRUE(read_json(shown.substr(0, shown.size() - 3) + "\"").node.has_value());
}

TEST(Node, EscapesPointers) {
  EXPECT_EQ(pointer_to("/a", "b/c~d"), "/a/b~1c~0d");
}

}  // namespace
}  // namespace holdfast::runner::config
