// Experiment files in folders: what their file names are relative to, and the experiments of this
// project.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/config/load.hpp"

namespace holdfast::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMinimal =
    R"({"name": "test", "duration": "60 s",
        "topology": {"down": [4, 4], "up": [1, 2], "parallel": [1, 1]}})";

class LoadFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("holdfast-config-" + std::string(info->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "inner");
    fs::create_directories(folder_ / "elsewhere");
    before_ = fs::current_path();
    fs::current_path(folder_ / "elsewhere");
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  LoadedExperiment load_file(const std::string& file, const std::vector<Assignment>& overrides) {
    LoadResult result = load_experiment(file, overrides);
    for (const std::string& error : result.errors) ADD_FAILURE() << error;
    return result.experiment.value_or(LoadedExperiment{{SweepPoint{}}, "{}"});
  }

  fs::path folder_;

 private:
  fs::path before_;
};

constexpr const char* kImported =
    R"({"name": "real", "topology": {"kind": "ibnetdiscover", "file": "fabric",
                                           "names": "../names"},
        "trace": {"file": "trace.csv"}})";

TEST_F(LoadFiles, FileNamesAreRelativeToTheFile) {
  write("inner/experiment.json", kImported);
  for (const char* name : {"inner/fabric", "names", "inner/trace.csv"}) write(name, "");
  const LoadedExperiment loaded = load_file("../inner/experiment.json", {});
  const Experiment& e = loaded.points[0].experiment;
  EXPECT_EQ(e.topology.file, "../inner/fabric");
  EXPECT_EQ(e.topology.names, "../names");
  ASSERT_TRUE(e.trace.has_value());
  EXPECT_EQ(e.trace->file, "../inner/trace.csv");
  EXPECT_EQ(e.duration, Duration{});  // until the trace ends
  // The resolved experiment can be loaded from anywhere.
  const auto resolved = nlohmann::json::parse(loaded.resolved_json);
  EXPECT_EQ(resolved["topology"]["file"], fs::canonical(folder_ / "inner/fabric").string());
}

TEST_F(LoadFiles, AFolderStandsForItsExperiment) {
  write("inner/experiment.json", kMinimal);
  EXPECT_EQ(load_file("../inner", {}).points[0].experiment.name, "test");
}

TEST_F(LoadFiles, FileNamesOfTheCommandLineAreRelativeToTheCurrentFolder) {
  write("inner/experiment.json",
        R"({"name": "real", "topology": {"kind": "ibnetdiscover"}, "trace": {"format": "lanl"}})");
  write("elsewhere/fabric", "");
  write("elsewhere/17", "");  // a name that is JSON must stay a name
  std::vector<Assignment> overrides;
  for (const auto& [option, value] :
       {std::pair("--topology", "fabric"), std::pair("--trace", "17"),
        std::pair("--trace-system", "18"), std::pair("--trace-year", "2004"),
        std::pair("--trace-month", "3")}) {
    for (const Assignment& entry : overrides_of_option(option, value)) overrides.push_back(entry);
  }
  const Experiment e = load_file("../inner", overrides).points[0].experiment;
  EXPECT_EQ(e.topology.kind, TopologyKind::ibnetdiscover);
  EXPECT_EQ(e.topology.file, "fabric");
  ASSERT_TRUE(e.trace.has_value());
  EXPECT_EQ(e.trace->file, "17");
  EXPECT_EQ(e.trace->format, TraceFormat::lanl);
  EXPECT_EQ(e.trace->system, 18u);
  EXPECT_EQ(e.trace->year, 2004u);
  EXPECT_EQ(e.trace->month, 3u);
  EXPECT_EQ(overrides_of_option("--target", "tcp").at(0).text, "fabric.kind=\"tcp\"");
  EXPECT_TRUE(overrides_of_option("--no-such-option", "x").empty());
}

TEST_F(LoadFiles, ATopologyOfTheCommandLineReplacesATree) {
  write("elsewhere/fabric", "");
  write("inner/experiment.json", kMinimal);
  const Experiment e =
      load_file("../inner", overrides_of_option("--topology", "fabric")).points[0].experiment;
  EXPECT_EQ(e.topology.kind, TopologyKind::ibnetdiscover);
  EXPECT_TRUE(e.topology.down.empty());
  // What the command line itself says beside the kind is not dropped but refused.
  const LoadResult both = load_experiment(
      "../inner", {"topology.kind=ibnetdiscover", "topology.file=fabric", "topology.down=[4]"});
  EXPECT_FALSE(both.experiment.has_value());
}

TEST_F(LoadFiles, SweepsFileNames) {
  write("inner/experiment.json", R"({"name": "t", "duration": "1 s",
      "topology": {"kind": "ibnetdiscover"}, "sweep": {"topology.file": ["a", "./b"]}})");
  write("inner/a", "");
  write("inner/b", "");
  const LoadedExperiment loaded = load_file("../inner", {});
  ASSERT_EQ(loaded.points.size(), 2u);
  EXPECT_EQ(loaded.points[1].experiment.topology.file, "../inner/b");
  EXPECT_EQ(loaded.points[1].values[0].second, "./b");
}

TEST_F(LoadFiles, SaysWhatIsWrongWithTheFileItself) {
  EXPECT_NE(load_experiment("missing.json", {}).errors.at(0).find("missing.json: "),
            std::string::npos);
  EXPECT_NE(load_experiment("..", {}).errors.at(0).find("../experiment.json: "), std::string::npos);
  write("elsewhere/large.json", std::string((16u << 20) + 1, ' '));
  EXPECT_NE(load_experiment("large.json", {}).errors.at(0).find("16 MiB"), std::string::npos);
}

TEST(Experiments, AreValidOrSayWhichOptionIsMissing) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator(HOLDFAST_EXPERIMENTS)) {
    if (!fs::exists(entry.path() / "experiment.json")) continue;
    ++found;
    const LoadResult result = load_experiment(entry.path().string(), {});
    for (const std::string& error : result.errors) {
      EXPECT_NE(error.find("on the command line"), std::string::npos) << error;
    }
  }
  EXPECT_GE(found, 2);
}

}  // namespace
}  // namespace holdfast::runner
