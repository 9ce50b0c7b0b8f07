// The configuration of a process as text: what engines take for granted is checked before one is
// built, wherever the text has been in between.
#include "hw/launch/engine_program.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast::hw {
namespace {

using nlohmann::json;

json good_configuration() {
  NodeConfiguration configuration;
  configuration.roster.nodes = 4;
  configuration.roster.per_node = 2;
  return json::parse(text_of(configuration));
}

Status made_of(const json& document) {
  const std::string text = document.dump();
  FakeFabric fabric;
  Fabric* rail = &fabric;
  const FakeAddresses addresses;
  const NodeStart start{text, {1}, 8, 0, 5, 77, {}, {&rail, 1}, addresses};
  std::unique_ptr<NodeProgram> program;
  return make_engine_program(start, program);
}

TEST(EngineProgram, TextOfAConfigurationIsTaken) {
  const Status status = made_of(good_configuration());
  EXPECT_TRUE(status.is_ok()) << status.message();
}

TEST(EngineProgram, ValuesThatNoEngineHasAreRefused) {
  const std::vector<std::pair<const char*, json>> wrong = {
      {"nodes", 0},
      {"nodes", -4},
      {"nodes", 4.5},
      {"nodes", 4'294'967'300},
      {"per_node", 3},
      {"period_ns", 0},
      {"period_ns", -1},
      {"period_ns", 600'000'000},
      {"period_ns", 1e30},
      {"timeout_ns", INT64_MAX},
      {"hold_ns", -1},
      {"hold_ns", INT64_MAX},
      {"retransmission_timeout_ns", 0},
      {"retransmission_timeout_ns", "1 s"},
      {"detector", "none such"},
      {"propagation", ""},
      {"seal", "wax"},
      {"order", "alphabetical"},
      {"order", "spread"},  // without leaves
      {"order_key", -1},
  };
  for (const auto& [key, value] : wrong) {
    json document = good_configuration();
    document[key] = value;
    const Status status = made_of(document);
    ASSERT_FALSE(status.is_ok()) << key << " " << value;
    EXPECT_NE(status.message().find("configuration of a process"), std::string::npos);
  }
  // A timeout of more periods than are counted.
  json document = good_configuration();
  document["period_ns"] = 1;
  document["timeout_ns"] = 10'000'000'000;
  EXPECT_FALSE(made_of(document).is_ok());
  // Fewer leaves than nodes, and one that is no number.
  for (const json& leaves : {json{0, 0, 1}, json{0, 0, 1, -1}}) {
    document = good_configuration();
    document["order"] = "spread";
    document["leaf_of_node"] = leaves;
    EXPECT_FALSE(made_of(document).is_ok());
  }
}

}  // namespace
}  // namespace holdfast::hw
