// What is shown comes back as it was, and nothing else is believed.
#include "hw/status/status_json.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/hw_status/sample_status.hpp"

namespace holdfast::hw {
namespace {

TEST(StatusJson, ComesBackAsItWas) {
  ProcessStatus status = sample_status();
  for (int i = 0; i < 2; ++i) {
    ProcessStatus back;
    const Status parsed = parse_status_json(status_json(status), back);
    ASSERT_TRUE(parsed.is_ok()) << parsed.message();
    EXPECT_EQ(back, status);
    status.heard_at.reset();
    status.verdict_at.reset();
    status.watches = status.watched_by = kNoProcess;
  }
}

std::string with(std::string text, const std::string& find, const std::string& put) {
  const std::size_t at = text.find(find);
  EXPECT_NE(at, std::string::npos) << find;
  return text.replace(at, find.size(), put);
}

TEST(StatusJson, WhatCouldMisleadIsRefused) {
  const std::string good = status_json(sample_status());
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[]"), good.substr(0, good.size() / 2),
        with(good, "\"format\":3", "\"format\":2"), with(good, "\"self\":1", "\"self\":4"),
        with(good, "[2,0,3,", "[4,0,3,"), with(good, "[2,0,3,", "[2,0,6,"),
        with(good, "[2,0,3,", "[2,0,-1,"), with(good, "\"per_node\":2", "\"per_node\":0"),
        with(good, "\"pid\":4711", "\"pid\":\"4711\""),
        with(good, "\"pid\":4711", "\"pid\":8.5e19"), with(good, "[[0,1],[3,3]]", "[[0,1],[4,3]]"),
        with(good, "[[0,1],[3,3]]", "[[0,1],[3,4]]"), with(good, "[[0,1],[3,3]]", "[[0,1],[3]]"),
        with(good, "[71,72,73,74]", "[71,72,73]"), with(good, "[71,72,73,74]", "{}"),
        with(good, "\"round_trip_max\":82000", "\"round_trip_max\":\"82\""),
        with(good, "\"message_rails\"", "\"rails_of_messages\"")}) {
    ProcessStatus status;
    EXPECT_FALSE(parse_status_json(bad, status).is_ok()) << bad;
  }
}

TEST(StatusJson, DamageIsSurvived) {
  std::mt19937 random(1);
  const std::string good = status_json(sample_status());
  for (int i = 0; i < 5'000; ++i) {
    std::string text = good;
    text[random() % text.size()] = static_cast<char>(random());
    ProcessStatus status;
    if (!parse_status_json(text, status).is_ok()) continue;
    for (const Belief& belief : status.beliefs) EXPECT_LT(belief.process.value, status.processes);
    for (const MessageRailStatus& rail : status.message_rails)
      for (const auto& [peer, health] : rail.not_up) EXPECT_LT(peer.value, status.processes);
  }
}

}  // namespace
}  // namespace holdfast::hw
