// The page is read here by a reader of the format that knows nothing of how it was written
// (https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).
#include "hw/status/prometheus_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/unit/hw_status/sample_status.hpp"

namespace holdfast::hw {
namespace {

struct Metric {
  std::string type;
  std::map<std::string, double> samples;  // by labels
};

// Each metric is announced, once, and its samples stand together after that; no sample twice.
std::map<std::string, Metric> read(const std::string& page) {
  static const std::regex help("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
  static const std::regex type("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)");
  static const std::regex sample(
      R"(([a-zA-Z_:][a-zA-Z0-9_:]*)\{)"
      R"(((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (\S+))");
  std::map<std::string, Metric> metrics;
  std::string helped, current;
  EXPECT_TRUE(page.ends_with('\n'));
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      helped = match[1];
      EXPECT_EQ(metrics.count(helped), 0u) << line;
    } else if (std::regex_match(line, match, type)) {
      current = match[1];
      EXPECT_EQ(current, helped);
      metrics[current].type = match[2];
    } else if (std::regex_match(line, match, sample)) {
      EXPECT_EQ(match[1], current) << line;
      char* end = nullptr;
      const std::string number = match[3];
      const double value = std::strtod(number.c_str(), &end);
      EXPECT_EQ(*end, '\0') << line;
      EXPECT_TRUE(metrics[current].samples.emplace(match[2], value).second) << line;
    } else {
      ADD_FAILURE() << "not a line of the format: " << line;
    }
  }
  return metrics;
}

const std::string kCommon = R"(job_id="00a1b2c3",process="1")";

TEST(PrometheusText, EverySampleIsOfAnAnnouncedMetricAndNamesItsProcess) {
  const auto metrics = read(prometheus_text(sample_status()));
  EXPECT_EQ(metrics.size(), 28u);
  for (const auto& [name, metric] : metrics) {
    EXPECT_EQ(name.ends_with("_total"), metric.type == "counter") << name;
    EXPECT_FALSE(metric.samples.empty()) << name;
    for (const auto& [labels, value] : metric.samples) {
      EXPECT_TRUE(labels.starts_with(kCommon)) << labels;
      EXPECT_GE(value, 0) << name;
    }
  }
}

TEST(PrometheusText, EveryCounterIsThereWithItsUnit) {
  auto metrics = read(prometheus_text(sample_status()));
  const auto at = [&](const std::string& name, const std::string& labels) {
    const auto& samples = metrics[name].samples;
    const auto found = samples.find(kCommon + (labels.empty() ? "" : "," + labels));
    return found == samples.end() ? -1 : found->second;
  };
  EXPECT_EQ(at("holdfast_members", R"(state="alive")"), 3);
  EXPECT_EQ(at("holdfast_members", R"(state="failed")"), 1);
  EXPECT_EQ(at("holdfast_verdicts_total", R"(source="own")"), 11);
  EXPECT_EQ(at("holdfast_verdicts_refuted_total", R"(source="own")"), 12);
  EXPECT_EQ(at("holdfast_verdicts_total", R"(source="heard")"), 13);
  EXPECT_EQ(at("holdfast_verdicts_refuted_total", R"(source="heard")"), 14);
  EXPECT_EQ(at("holdfast_refutations_total", ""), 15);
  EXPECT_EQ(at("holdfast_frames_sent_total", R"(purpose="heartbeat")"), 21);
  EXPECT_EQ(at("holdfast_frames_sent_total", R"(purpose="difference")"), 27);
  EXPECT_EQ(at("holdfast_frames_dropped_total", R"(reason="malformed")"), 31);
  EXPECT_EQ(at("holdfast_frames_dropped_total", R"(reason="copies")"), 36);
  EXPECT_EQ(at("holdfast_frames_dropped_total", R"(reason="refused")"), 37);
  const std::string rail = R"(rail="0",kind="udp")";
  EXPECT_EQ(at("holdfast_rail_info", rail + R"(,address="127.0.0.1:4000")"), 1);
  EXPECT_EQ(at("holdfast_rail_up", rail), 0);
  EXPECT_EQ(at("holdfast_rail_frames_total", rail + R"(,direction="sent")"), 41);
  EXPECT_EQ(at("holdfast_rail_bytes_total", rail + R"(,direction="received")"), 44);
  EXPECT_EQ(at("holdfast_rail_frames_lost_total", rail + R"(,reason="truncated")"), 46);
  const std::string messages = R"(rail="0",kind="tcp")";
  EXPECT_EQ(at("holdfast_message_rail_info", messages + R"(,address="127.0.0.1:5000")"), 1);
  EXPECT_EQ(at("holdfast_message_rail_up", messages), 1);
  EXPECT_EQ(at("holdfast_message_rail_up", R"(rail="1",kind="udp")"), 0);
  EXPECT_EQ(at("holdfast_message_rail_frames_total", messages + R"(,direction="received")"), 62);
  EXPECT_EQ(at("holdfast_message_rail_bytes_total", messages + R"(,direction="sent")"), 63);
  EXPECT_EQ(at("holdfast_message_rail_frames_lost_total", messages + R"(,reason="unsent")"), 65);
  const std::string peers = "holdfast_message_rail_peers";
  EXPECT_EQ(at(peers, messages + R"(,state="up")"), 71);
  EXPECT_EQ(at(peers, messages + R"(,state="suspect")"), 72);
  EXPECT_EQ(at(peers, messages + R"(,state="down")"), 73);
  EXPECT_EQ(at(peers, messages + R"(,state="probation")"), 74);
  const std::string round_trip = "holdfast_message_rail_round_trip_seconds";
  EXPECT_EQ(at(round_trip, messages + R"(,of_peers="median")"), 81e-6);
  EXPECT_EQ(at(round_trip, messages + R"(,of_peers="max")"), 82e-6);
  EXPECT_EQ(metrics[round_trip].samples.size(), 2u) << "of the other rail nothing was measured";
  EXPECT_EQ(at("holdfast_message_rail_fragments_given_up_total", messages), 83);
  EXPECT_EQ(at("holdfast_turns_total", ""), 51);
  EXPECT_EQ(at("holdfast_control_cpu_seconds_total", ""), 0.75);
  EXPECT_EQ(at("process_cpu_seconds_total", ""), 1.25);
  EXPECT_EQ(at("process_start_time_seconds", ""), 1'000'100);
  EXPECT_EQ(at("holdfast_emitter_heard_timestamp_seconds", ""), 1'000'129.5);
}

TEST(PrometheusText, WhatCouldEndAQuoteOrALineIsEscaped) {
  EXPECT_EQ(escaped_label_value("a\"b\\c\nd"), R"(a\"b\\c\nd)");
  EXPECT_EQ(escaped_help("a\"b\\c\nd"), R"(a"b\\c\nd)");
  ProcessStatus status = sample_status();
  status.rails[0].address = "shm:\"} 1\nforged{x=\"\\";
  status.message_rails[0].rail.address = status.rails[0].address;
  const auto metrics = read(prometheus_text(status));
  EXPECT_EQ(metrics.count("forged"), 0u);
}

}  // namespace
}  // namespace holdfast::hw
