// The schema's words and the registers of the stack and simulator: whatever a file may say exists,
// and whatever exists may be said. What the schema offers editors as examples exists too.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "experiments/config/schema.hpp"
#include "sim/topology/presets.hpp"
#include "stack/detect/detector.hpp"
#include "stack/propagate/propagation.hpp"
#include "stack/seal/seal.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::runner {
namespace {

using Words = std::set<std::string>;

// The words that the schema allows for `key` of `section`, or those that it has as examples.
Words words(const char* section, const char* key, const char* list = "enum") {
  const config::Node* node = &config::experiment_schema_node();
  for (const char* name : {"properties", section, "properties", key, list}) {
    node = node->find(name);
    if (node == nullptr) {
      ADD_FAILURE() << "the schema has no " << section << '.' << key;
      return {};
    }
  }
  Words found;
  for (const config::Node& word : node->items) found.insert(word.text);
  return found;
}

TEST(Registry, PropagationsAreThoseOfTheSchema) {
  Words registered;
  for (const PropagationEntry& entry : propagations()) registered.emplace(entry.name);
  EXPECT_EQ(words("propagation", "kind"), registered);
  for (const std::string& offered : words("propagation", "kind", "examples"))
    EXPECT_TRUE(registered.contains(offered)) << offered;
}

TEST(Registry, DetectorsAreThoseOfTheSchema) {
  Words registered;
  for (const DetectorEntry& entry : detectors()) registered.emplace(entry.name);
  EXPECT_EQ(words("detector", "kind"), registered);
  for (const std::string& offered : words("detector", "kind", "examples"))
    EXPECT_TRUE(registered.contains(offered)) << offered;
}

TEST(Registry, RingOrdersAreThoseOfTheSchema) {
  Words known;
  for (const auto& [name, order] : kRingOrders) known.emplace(name);
  EXPECT_EQ(words("detector", "order"), known);
}

TEST(Registry, PresetsAreThoseOfTheSchema) {
  Words known;
  for (const std::string_view name : sim::preset_names()) known.emplace(name);
  EXPECT_EQ(words("topology", "name"), known);
}

TEST(Registry, SealsOfTheSchemaExist) {
  const Words allowed = words("seal", "kind");
  EXPECT_FALSE(allowed.empty());
  for (const std::string& word : allowed) EXPECT_NE(find_seal(word), nullptr) << word;
}

}  // namespace
}  // namespace holdfast::runner
