// Comparing results folders that are written here: which points belong together, when replicates
// are pairs, what is called real, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/compare/comparison.hpp"
#include "experiments/compare/describe.hpp"
#include "tests/unit/runner/temporary_folder.hpp"

namespace holdfast::compare {
namespace {

using runner::test::TemporaryFolder;

// What one replicate found; text, so that it may be empty or wrong.
struct Row {
  std::string point, replicate, order, detection, notices, mistake = {};
};

class Folders : public testing::Test {
 protected:
  // A folder of a run that swept detector.order.
  std::string write(const std::string& name, const std::vector<Row>& rows,
                    const std::string& seed = "1", const std::string& period = "100 ms") {
    const std::string folder = temporary_.file(name);
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/resolved.json")
        << R"({"name": "t", "seed": )" << seed << R"(, "replicates": 12, "detector": {"period": ")"
        << period << R"(", "order": "rank"}, "sweep": {"detector.order": ["rank", "spread"]}})";
    std::ofstream csv(folder + "/results.csv");
    csv << "point,replicate,detector.order,processes,failures,detection_max_s,mistake_max_s,"
           "notices,state_hash\n";
    for (const Row& row : rows)
      csv << row.point << "," << row.replicate << "," << row.order << ",48,1," << row.detection
          << "," << row.mistake << "," << row.notices << ",00ff\n";
    return folder;
  }

  // Twelve replicates of two points; the second detects `later` seconds later, by and large.
  static std::vector<Row> rows(double later) {
    std::vector<Row> all;
    for (const std::string point : {"0", "1"})
      for (int r = 0; r < 12; ++r)
        all.push_back({point, std::to_string(r), point == "0" ? "rank" : "spread",
                       std::to_string(0.9 + 0.008 * ((r * 5) % 12) +
                                      (point == "1" ? later + 0.001 * (r % 3) : 0.0)),
                       "100"});
    return all;
  }

  Comparison compared(const std::string& a, const std::string& b) {
    Comparison comparison;
    const Status status = compare(a, b, comparison);
    EXPECT_TRUE(status.is_ok()) << status.message();
    return comparison;
  }

  std::string refusal(const std::string& a, const std::string& b) {
    Comparison comparison;
    const Status status = compare(a, b, comparison);
    EXPECT_FALSE(status.is_ok());
    return status.is_ok() ? "" : status.message();
  }

  TemporaryFolder temporary_;
};

TEST_F(Folders, PointsOfOneFolderArePaired) {
  const std::string folder = write("a", rows(0.05));
  const Comparison found =
      compared(folder + "#detector.order=rank", folder + "#detector.order=spread");
  ASSERT_EQ(found.points.size(), 1u);
  const PointComparison& point = found.points[0];
  EXPECT_TRUE(point.paired);
  ASSERT_EQ(point.settings.size(), 1u);
  EXPECT_EQ(point.settings[0].path, "detector.order");
  EXPECT_EQ(point.settings[0].b, "spread");
  ASSERT_EQ(point.measures.size(), 1u);
  const Measure& detection = point.measures[0];
  EXPECT_EQ(detection.name, "detection_max_s");
  EXPECT_NEAR(detection.difference.estimate, 0.051, 1e-9);
  EXPECT_NEAR(detection.difference.interval->first, 0.050, 1e-9);
  EXPECT_NEAR(detection.difference.interval->second, 0.052, 1e-9);
  EXPECT_NEAR(detection.p_corrected, 2.0 / 4096, 1e-12);
  EXPECT_TRUE(detection.real);
  EXPECT_EQ(point.equal, (std::vector<std::string>{"failures", "notices"}));
  EXPECT_EQ(found.tests, 1u);
}

// The spread between replicates is larger than the difference: only pairs can show it.
TEST_F(Folders, OtherSeedsAreIndependent) {
  const std::string a = write("a", rows(0.005)), b = write("b", rows(0.005), "2");
  const Comparison paired = compared(a + "#0", a + "#1");
  const Comparison independent = compared(a + "#0", b + "#1");
  EXPECT_TRUE(paired.points[0].measures[0].real);
  EXPECT_FALSE(independent.points[0].paired);
  EXPECT_FALSE(independent.points[0].measures[0].real);
  EXPECT_NE(describe(independent).find("independent samples: seeds 1 and 2"), std::string::npos);
  EXPECT_NE(describe(paired).find("paired: both have seed 1"), std::string::npos);
}

TEST_F(Folders, FoldersAreComparedPointByPoint) {
  const std::string a = write("a", rows(0.05)), b = write("b", rows(0.08), "1", "50 ms");
  const Comparison found = compared(a, b);
  ASSERT_EQ(found.points.size(), 2u);
  EXPECT_EQ(found.points[1].label, "detector.order=spread");
  EXPECT_TRUE(found.points[0].measures.empty());
  ASSERT_EQ(found.points[1].measures.size(), 1u);
  EXPECT_NEAR(found.points[1].measures[0].difference.estimate, 0.03, 1e-9);
  EXPECT_EQ(found.points[1].settings[0].path, "detector.period");
  EXPECT_EQ(compared(a, write("c", rows(0.05))).tests, 0u);
  EXPECT_NE(describe(compared(a, temporary_.file("c"))).find("Nothing differs."),
            std::string::npos);
}

TEST_F(Folders, ATimeThatNeverCameIsLaterAndWhatWasNotThereIsLeftOut) {
  std::vector<Row> never = rows(0.05);
  for (std::size_t i = 12; i < 24; ++i) never[i].detection = "";
  const std::string folder = write("a", never);
  const Comparison found = compared(folder + "#0", folder + "#1");
  ASSERT_EQ(found.points[0].measures.size(), 1u);  // and not mistake_max_s, of no mistakes
  EXPECT_TRUE(std::isinf(found.points[0].measures[0].b));
  EXPECT_TRUE(found.points[0].measures[0].real);
  EXPECT_NE(describe(found).find("never"), std::string::npos);
  EXPECT_NE(to_json(found).find("\"median_b\": null"), std::string::npos);
}

TEST_F(Folders, FewReplicatesShowNothing) {
  std::vector<Row> few = rows(0.05);
  std::erase_if(few, [](const Row& row) { return std::stoi(row.replicate) > 4; });
  const std::string folder = write("a", few);
  const Comparison found = compared(folder + "#0", folder + "#1");
  EXPECT_FALSE(found.can_be_real);
  EXPECT_FALSE(found.points[0].measures[0].real);
  EXPECT_NE(describe(found).find("too few"), std::string::npos);
  EXPECT_NE(describe(found).find("run more of them"), std::string::npos);
}

TEST_F(Folders, OnlyCommonReplicatesArePairs) {
  std::vector<Row> uneven = rows(0.05);
  uneven.resize(22);
  const std::string folder = write("a", uneven);
  const Comparison found = compared(folder + "#0", folder + "#1");
  EXPECT_EQ(found.points[0].measures[0].a_count, 10u);
  EXPECT_NE(describe(found).find("10 pairs (A has 12 replicates, B 10)"), std::string::npos);
}

// Its median is one of fewer replicates than the others', which has to be seen.
TEST_F(Folders, AMeasureThatSomeReplicatesLackSaysOfHowMany) {
  std::vector<Row> some = rows(0.05);
  for (std::size_t i = 0; i < some.size(); ++i)
    if (i != 3) some[i].mistake = i < 12 ? "0.5" : "0.75";
  const std::string a = write("a", some);
  EXPECT_NE(describe(compared(a + "#0", a + "#1")).find("mistake_max_s (in 11 pairs)"),
            std::string::npos);
  const std::string c = write("c", some, "3");
  EXPECT_EQ(describe(compared(a + "#0", a + "#1")).find("detection_max_s (in"), std::string::npos);
  EXPECT_NE(describe(compared(a + "#1", c + "#0")).find("mistake_max_s (in 12 and 11)"),
            std::string::npos);
}

// Two of three cuts that healed: the third never was.
TEST_F(Folders, ACutThatWasNotReconciledIsLaterThanAllThatWere) {
  const std::string folder = write("a", rows(0.0));
  RecordedResults results;
  ASSERT_TRUE(read_results(folder, results).is_ok());
  results.columns = {"reconciled", "reconcile_max_s"};
  EXPECT_TRUE(std::isinf(*measured(results, {"2", ""}, 1)));
  EXPECT_FALSE(measured(results, {"0", ""}, 1).has_value());
}

TEST_F(Folders, AFolderMayHaveAMarkInItsName) {
  const std::string folder = write("run#2", rows(0.05));
  EXPECT_EQ(compared(folder, write("b", rows(0.06))).points.size(), 2u);
  EXPECT_EQ(compared(folder + "#0", folder + "#1").points.size(), 1u);
}

TEST_F(Folders, AForeignRunJsonIsNoReasonToStop) {
  const std::string a = write("a", rows(0.05)), b = write("b", rows(0.06));
  std::ofstream(b + "/run.json") << R"({"version": 3, "git": null})";
  EXPECT_EQ(compared(a, b).points.size(), 2u);
}

TEST_F(Folders, SayWhyTheyCannotBeCompared) {
  const std::string a = write("a", rows(0.05));
  EXPECT_NE(refusal(a, a).find("would be compared with itself"), std::string::npos);
  EXPECT_NE(refusal(a + "#0", a + "#detector.order=rank").find("with itself"), std::string::npos);
  EXPECT_EQ(refusal(a + "#2", a), a + "#2: there is no point 2; expected 0 to 1");
  EXPECT_EQ(refusal(a + "#99999999999", a),
            a + "#99999999999: there is no point 99999999999; expected 0 to 1");
  EXPECT_EQ(refusal(a + "#detector.order=random", a),
            a + "#detector.order=random: there is no sweep point with detector.order=random; "
                "expected rank or spread");
  EXPECT_EQ(refusal(a + "#seed=1", a),
            a + "#seed=1: \"seed\" is not swept; expected detector.order");
  EXPECT_NE(refusal(a + "#", a).find("nothing follows the '#'"), std::string::npos);
  EXPECT_NE(refusal(a + "#0", a).find("no point of the one"), std::string::npos);
  EXPECT_NE(refusal(temporary_.file("none"), a).find("is no folder"), std::string::npos);
  EXPECT_NE(refusal(temporary_.path(), a).find("resolved.json"), std::string::npos);
  const std::string empty = write("empty", {});
  EXPECT_NE(refusal(a, empty).find("no finished replicate yet"), std::string::npos);
  const std::string endless = write("endless", {{"0", "0", "rank", "nan", "1"}});
  EXPECT_NE(refusal(a, endless).find("holds \"nan\"; expected a number"), std::string::npos);
  const std::string wrong = write("wrong", {{"0", "0", "rank", "soon", "1"}});
  EXPECT_EQ(refusal(a, wrong),
            wrong +
                "/results.csv:2: column detection_max_s holds \"soon\"; expected a number or "
                "nothing; give the folder of a run, or run the experiment again");
}

}  // namespace
}  // namespace holdfast::compare
