// Wrong experiment files and what the program says about each, byte for byte:
// tests/golden/config/NAME.json (with the overrides of NAME.sets, if there is such a file: a line
// for each, what --set takes or another option with its value) and NAME.txt. A file that is named
// after a key, such as detector.period.json, is that key's wrong example; every key has one.
//
// HOLDFAST_WRITE_GOLDEN=1 writes the .txt files anew; the tests then fail, so that it is never done
// unseen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/config/load.hpp"

namespace holdfast::runner {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<Assignment> overrides_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<Assignment> result;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("--")) {
      result.emplace_back(line);
      continue;
    }
    const std::size_t space = line.find(' ');
    for (const Assignment& each :
         overrides_of_option(line.substr(0, space), line.substr(space + 1)))
      result.push_back(each);
  }
  return result;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(HOLDFAST_GOLDEN)) {
    if (entry.path().extension() == ".json") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The examples are loaded by their bare names, so that no folder of the machine is in the messages.
class WrongExamples : public testing::Test {
 protected:
  void SetUp() override { fs::current_path(HOLDFAST_GOLDEN); }
  void TearDown() override { fs::current_path(before_); }

  static std::string messages(const std::string& name) {
    const LoadResult result =
        load_experiment(name + ".json", overrides_of(contents(name + ".sets")));
    EXPECT_FALSE(result.experiment.has_value()) << name;
    std::string text;
    for (const std::string& line : result.errors) text += line + "\n";
    return text;
  }

 private:
  fs::path before_ = fs::current_path();
};

TEST_F(WrongExamples, SayWhatIsWrongAndHowToMendIt) {
  const bool write = std::getenv("HOLDFAST_WRITE_GOLDEN") != nullptr;
  const std::vector<std::string> names = example_names();
  ASSERT_GT(names.size(), 50u);
  for (const std::string& name : names) {
    const std::string found = messages(name);
    if (write) std::ofstream(name + ".txt", std::ios::binary) << found;
    EXPECT_FALSE(found.empty()) << name;
    EXPECT_EQ(found, contents(name + ".txt")) << name << ".json; HOLDFAST_WRITE_GOLDEN=1 rewrites";
  }
  EXPECT_FALSE(write) << "the golden files were written anew: look at the difference";
}

TEST_F(WrongExamples, HaveNoMessageWithoutItsExample) {
  for (const auto& entry : fs::directory_iterator(HOLDFAST_GOLDEN)) {
    EXPECT_TRUE(fs::exists(entry.path().stem().string() + ".json")) << entry.path();
  }
}

// Dotted paths of all keys, read from the schema file itself: "failures.at" for those of a list's
// entries.
void collect_keys(const nlohmann::json& schema, const std::string& path,
                  std::vector<std::string>& keys) {
  if (schema.contains("items")) collect_keys(schema["items"], path, keys);
  if (!schema.contains("properties")) return;
  for (const auto& [key, property] : schema["properties"].items()) {
    const std::string inner = path.empty() ? key : path + "." + key;
    keys.push_back(inner);
    collect_keys(property, inner, keys);
  }
}

TEST_F(WrongExamples, CoverEveryKeyOfTheSchema) {
  const auto schema = nlohmann::json::parse(
      contents(fs::path(HOLDFAST_CONFIGS) / "schema" / "experiment.schema.json"));
  std::vector<std::string> keys;
  collect_keys(schema, "", keys);
  ASSERT_GT(keys.size(), 45u);
  for (const std::string& key : keys) {
    ASSERT_TRUE(fs::exists(key + ".json")) << "no wrong example of " << key;
    const std::string name = key.substr(key.rfind('.') + 1);
    EXPECT_NE(contents(key + ".txt").find(name), std::string::npos)
        << key << ".txt does not mention the key";
  }
}

}  // namespace
}  // namespace holdfast::runner
