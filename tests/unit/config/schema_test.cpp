// The schema file against the program: its patterns, defaults and examples are what the program
// reads, and the defaults of the C++ types are the schema's.
#include "experiments/config/schema.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "experiments/config/load.hpp"
#include "experiments/config/nearest.hpp"
#include "experiments/config/quantity.hpp"
#include "experiments/config/validate.hpp"

namespace holdfast::runner {
namespace {

using config::Completeness;
using config::Node;
using config::Problems;

// Calls `visit` with every property of the schema.
template <class Visit>
void for_each_property(const Node& schema, const std::string& path, const Visit& visit) {
  if (const Node* items = schema.find("items")) {
    visit(*items, path + "[]");
    for_each_property(*items, path + "[]", visit);
  }
  const Node* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const config::Member& m : properties->members) {
    visit(m.value, path + "/" + m.key);
    for_each_property(m.value, path + "/" + m.key, visit);
  }
}

TEST(Schema, ItsDefaultsAndExamplesAreValid) {
  int checked = 0;
  for_each_property(config::experiment_schema_node(), "",
                    [&](const Node& schema, const std::string& path) {
                      std::vector<Node> values;
                      if (const Node* value = schema.find("default")) values.push_back(*value);
                      if (const Node* list = schema.find("examples")) {
                        values.insert(values.end(), list->items.begin(), list->items.end());
                      }
                      for (const Node& value : values) {
                        Problems problems;
                        validate(schema, value, path, Completeness::parts, problems);
                        for (const auto& p : problems) ADD_FAILURE() << path << ": " << p.message;
                        ++checked;
                      }
                    });
  EXPECT_GT(checked, 30);
}

TEST(Schema, DescribesEveryProperty) {
  for_each_property(config::experiment_schema_node(), "",
                    [](const Node& schema, const std::string& path) {
                      EXPECT_NE(schema.find("description"), nullptr) << path;
                    });
}

TEST(Schema, ItsPatternsAgreeWithTheProgram) {
  const auto schema = nlohmann::json::parse(experiment_schema());
  const std::regex time(schema["$defs"]["time"]["pattern"].get<std::string>());
  const std::regex rate(schema["$defs"]["rate"]["pattern"].get<std::string>());
  const std::regex percentage(
      schema["properties"]["replicates"]["properties"]["until"]["pattern"].get<std::string>());
  const std::regex name(schema["properties"]["name"]["pattern"].get<std::string>());
  const Node& name_schema = *config::schema_at({"name"});
  for (const char* number : {"1", "0", "12.5", "1.", ".5", "-1", "+1", "1e3", "", "0x1"}) {
    for (const char* space : {"", " ", "  "}) {
      for (const char* unit :
           {"ns",   "us",   "ms",   "s",    "min",  "h", "day", "days", "year", "years", "b/s",
            "kb/s", "Mb/s", "Gb/s", "Tb/s", "KB/s", "S", "m",   "",     "d",    "%"}) {
        const std::string text = std::string(number) + space + unit;
        // The patterns cannot know whether a fraction is whole in nanoseconds or bits per second.
        const bool fraction_of_one =
            text == "12.5ns" || text == "12.5 ns" || text == "12.5b/s" || text == "12.5 b/s";
        if (fraction_of_one) continue;
        EXPECT_EQ(std::regex_search(text, time), parse_duration(text).value.has_value()) << text;
        EXPECT_EQ(std::regex_search(text, percentage), parse_percentage(text).value.has_value())
            << text;
        EXPECT_EQ(std::regex_search(text, rate), parse_rate(text).value.has_value()) << text;
      }
    }
  }
  for (const std::string& text :
       {std::string("a"), std::string("a-b_c.9"), std::string("-a"), std::string(""),
        std::string("a/b"), std::string("a b"), std::string(100, 'x'), std::string(101, 'x')}) {
    Problems problems;
    validate(name_schema, config::string_node(text), "/name", Completeness::whole, problems);
    EXPECT_EQ(std::regex_search(text, name), problems.empty()) << text;
  }
}

TEST(Schema, RefusesKeysThatItDoesNotName) {
  // Editors see an unknown key only where additionalProperties says so.
  for_each_property(config::experiment_schema_node(), "",
                    [](const Node& schema, const std::string& path) {
                      if (schema.find("properties") == nullptr) return;
                      ASSERT_NE(schema.find("additionalProperties"), nullptr) << path;
                      EXPECT_FALSE(schema.find("additionalProperties")->boolean) << path;
                    });
}

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(config::edit_distance("", "abc"), 3u);
  EXPECT_EQ(config::edit_distance("perod", "period"), 1u);
  EXPECT_EQ(config::edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(config::edit_distance("crahs", "crash"), 1u);  // a swap of neighbours is one
  EXPECT_EQ(config::edit_distance("RANK", "rank"), 0u);
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> keys{"period", "timeout", "on", "off", "siphash128"};
  EXPECT_EQ(config::nearest("peroid", keys), "period");
  EXPECT_EQ(config::nearest("of", keys), "off");
  EXPECT_EQ(config::nearest("siphash", keys), "siphash128");
  EXPECT_EQ(config::nearest("mtbf", keys), std::nullopt);
  EXPECT_EQ(config::nearest("xy", keys), std::nullopt);
  EXPECT_EQ(config::nearest("", keys), std::nullopt);
  EXPECT_EQ(config::nearest(std::string(100'000, 'x'), keys), std::nullopt);
}

}  // namespace
}  // namespace holdfast::runner
