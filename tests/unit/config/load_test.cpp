// From text to typed experiments: defaults, sweeps, overrides, and what is written back.
#include "experiments/config/load.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/config/sweep.hpp"

namespace holdfast::runner {
namespace {

constexpr const char* kTree = R"({"down": [4, 4], "up": [1, 2], "parallel": [1, 1]})";

std::string minimal(const std::string& more = "") {
  return R"({"name": "test", "duration": "60 s", "topology": )" + std::string(kTree) +
         (more.empty() ? "" : ", " + more) + "}";
}

LoadedExperiment load(const std::string& text, const std::vector<Assignment>& overrides = {}) {
  LoadResult result = parse_experiment(text, "test.json", "", overrides);
  for (const std::string& error : result.errors) ADD_FAILURE() << error;
  return result.experiment.value_or(LoadedExperiment{{SweepPoint{}}, "{}"});
}

std::string only_error(const std::string& text, const std::vector<Assignment>& overrides = {}) {
  const LoadResult result = parse_experiment(text, "test.json", "", overrides);
  EXPECT_FALSE(result.experiment.has_value());
  EXPECT_EQ(result.errors.size(), 1u);
  return result.errors.empty() ? "" : result.errors.front();
}

TEST(Load, FillsInTheDefaultsOfTheTypes) {
  const Experiment found = load(minimal()).points.at(0).experiment;
  const Experiment expected;
  EXPECT_EQ(found.name, "test");
  EXPECT_EQ(found.duration, seconds(60));
  EXPECT_EQ(found.seed, expected.seed);
  EXPECT_EQ(found.replicates, expected.replicates);
  EXPECT_FALSE(found.precision.has_value());
  EXPECT_EQ(found.skip_quiet_time, expected.skip_quiet_time);
  EXPECT_EQ(found.fabric.target, expected.fabric.target);
  EXPECT_EQ(found.fabric.fidelity, expected.fabric.fidelity);
  EXPECT_EQ(found.fabric.link.bits_per_second, expected.fabric.link.bits_per_second);
  EXPECT_EQ(found.fabric.link.latency, expected.fabric.link.latency);
  EXPECT_EQ(found.fabric.switch_latency, expected.fabric.switch_latency);
  EXPECT_EQ(found.fabric.local_latency, expected.fabric.local_latency);
  EXPECT_EQ(found.fabric.routing.kind, expected.fabric.routing.kind);
  EXPECT_EQ(found.fabric.routing.lmc, expected.fabric.routing.lmc);
  EXPECT_EQ(found.fabric.subnet_manager.sweep_on_trap,
            expected.fabric.subnet_manager.sweep_on_trap);
  EXPECT_EQ(found.fabric.subnet_manager.sweep_interval,
            expected.fabric.subnet_manager.sweep_interval);
  EXPECT_EQ(found.fabric.faults, expected.fabric.faults);
  EXPECT_EQ(found.topology.kind, expected.topology.kind);
  EXPECT_EQ(found.processes.per_node, expected.processes.per_node);
  EXPECT_EQ(found.processes.nodes, expected.processes.nodes);
  EXPECT_EQ(found.processes.placement, expected.processes.placement);
  EXPECT_EQ(found.processes.agents, expected.processes.agents);
  EXPECT_EQ(found.detector.kind, expected.detector.kind);
  EXPECT_EQ(found.detector.period, expected.detector.period);
  EXPECT_EQ(found.detector.timeout, expected.detector.timeout);
  EXPECT_EQ(found.detector.order, expected.detector.order);
  EXPECT_EQ(found.detector.hold, expected.detector.hold);
  EXPECT_EQ(found.propagation.kind, expected.propagation.kind);
  EXPECT_EQ(found.propagation.backstop, expected.propagation.backstop);
  EXPECT_EQ(found.propagation.retransmission_timeout, found.detector.period);
  EXPECT_EQ(found.seal.kind, expected.seal.kind);
  EXPECT_TRUE(found.failures.empty());
  EXPECT_FALSE(found.trace.has_value());
}

void expect_packets(const Experiment& e) {
  EXPECT_TRUE(e.fabric.separate_hosts);
  EXPECT_EQ(e.fabric.rails, 3u);
  EXPECT_TRUE(e.fabric.polls);
  EXPECT_EQ(e.fabric.fidelity, Fidelity::packet);
  const sim::PacketWireOptions& packet = e.fabric.packet;
  EXPECT_EQ(packet.switching, sim::Switching::store_and_forward);
  EXPECT_EQ(packet.flow_control, sim::FlowControl::drop_tail);
  EXPECT_EQ(packet.buffer_bytes, 8192u);
  EXPECT_EQ(packet.head_lifetime, milliseconds(2));
  ASSERT_EQ(packet.lanes.size(), 3u);
  EXPECT_EQ(packet.lanes[0].weight, 3u);
  EXPECT_FALSE(packet.lanes[0].high);
  EXPECT_EQ(packet.lanes[1].weight, 64u);
  EXPECT_TRUE(packet.lanes[1].high);
  EXPECT_EQ(packet.lane_of_service_level[14], 2);
  EXPECT_FALSE(packet.collapse);
  EXPECT_EQ(e.fabric.service_level, 4);
  ASSERT_EQ(e.traffic.size(), 2u);
  EXPECT_EQ(e.traffic[0].options.pattern, sim::TrafficPattern::permutation);
  EXPECT_EQ(e.traffic[0].options.load, 0.25);
  EXPECT_EQ(e.traffic[0].options.bytes, 1000u);
  EXPECT_EQ(e.traffic[0].options.service_level, 2);
  EXPECT_EQ(e.traffic[0].options.shift, 3u);
  EXPECT_EQ(e.traffic[1].options.pattern, sim::TrafficPattern::incast);
  EXPECT_EQ(e.traffic[1].target, "4");
  EXPECT_EQ(e.traffic[1].options.senders, 3u);
  EXPECT_EQ(e.traffic[1].options.victim_service_level, 5);
}

void expect_detector(const DetectorConfig& detector) {
  EXPECT_EQ(detector.period, milliseconds(10));
  EXPECT_EQ(detector.timeout, milliseconds(20));
  EXPECT_EQ(detector.order, "shuffled");
  EXPECT_EQ(detector.hold, milliseconds(5));
}

void expect_faults(const FrameFaults& faults) {
  const FrameFaults expected{.loss = 0.125,
                             .duplicate = 0.25,
                             .corrupt = 0.5,
                             .truncate = 0.375,
                             .reorder = 0.75,
                             .delay = microseconds(3),
                             .jitter = microseconds(4)};
  EXPECT_EQ(faults, expected);
}

void expect_processes(const ProcessesConfig& processes) {
  EXPECT_EQ(processes.per_node, 7u);
  EXPECT_EQ(processes.nodes, 5u);
  EXPECT_EQ(processes.placement, Placement::by_node);
  EXPECT_FALSE(processes.agents);
}

TEST(Load, ReadsEveryKey) {
  const Experiment e =
      load(R"({"$schema": "x", "name": "all", "seed": 9007199254740991, "replicates": 3,
    "duration": "2 min", "skip_quiet_time": false,
    "fabric": {"kind": "native", "hosts": "namespaces", "rails": 3,
               "idle": "poll", "fidelity": "packet",
               "packet": {"switching": "store_and_forward", "flow_control": "drop_tail",
                          "buffer": 8192, "head_lifetime": "2 ms", "service_level": 4,
                          "lanes": [{"weight": 3}, {"high": true}, {}], "collapse": false},
               "link": {"rate": "10 Mb/s", "latency": "2.5 us"},
               "switch_latency": "1 us", "local_latency": "2 us", "loss": 0.125,
               "duplicate": 0.25, "corrupt": 0.5, "truncate": 0.375, "reorder": 0.75,
               "delay": "3 us", "jitter": "4 us",
               "routing": {"kind": "balanced", "lmc": 2},
               "subnet_manager": {"sweep_on_trap": false, "sweep_interval": "3 s"}},
    "topology": {"kind": "fat_tree", "down": [2, 3], "up": [1, 4], "parallel": [1, 5]},
    "processes": {"per_node": 7, "nodes": 5, "placement": "by_node", "agents": false},
    "detector": {"kind": "ring", "period": "10 ms", "timeout": "20 ms", "order": "shuffled",
                 "hold": "5 ms"},
    "propagation": {"kind": "chord", "backstop": false, "retransmission_timeout": "3 ms"},
    "seal": {"kind": "siphash128"}, "events": {"replicates": 2, "rows": 77},
    "traffic": [{"pattern": "permutation", "load": 0.25, "bytes": 1000, "service_level": 2,
                 "shift": 3},
                {"pattern": "incast", "target": 4, "senders": 3, "victim_service_level": 5}],
    "failures": [{"at": "1 s", "what": "process", "which": 34},
                 {"at": "2 s", "what": "node", "which": "compute-3",
                  "repaired_after": "4 s"},
                 {"at": "3 s", "what": "node", "which": "0x0002c903000a0b0c",
                  "action": "repair"},
                 {"at": "4 s", "what": "process", "which": "0", "action": "pause",
                  "lasts": "5 s"}]})")
          .points.at(0)
          .experiment;
  EXPECT_EQ(e.seed, 9'007'199'254'740'991u);
  EXPECT_EQ(e.replicates, 3u);
  EXPECT_EQ(e.duration, seconds(120));
  EXPECT_FALSE(e.skip_quiet_time);
  EXPECT_EQ(e.fabric.link.bits_per_second, 10'000'000);
  EXPECT_EQ(e.fabric.link.latency, nanoseconds(2500));
  EXPECT_EQ(e.fabric.switch_latency, microseconds(1));
  EXPECT_EQ(e.fabric.local_latency, microseconds(2));
  expect_faults(e.fabric.faults);
  expect_packets(e);
  EXPECT_EQ(e.fabric.routing.kind, RoutingKind::balanced);
  EXPECT_EQ(e.fabric.routing.lmc, 2u);
  EXPECT_FALSE(e.fabric.subnet_manager.sweep_on_trap);
  EXPECT_EQ(e.fabric.subnet_manager.sweep_interval, seconds(3));
  EXPECT_EQ(e.topology.down, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(e.topology.up, (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(e.topology.parallel, (std::vector<std::uint32_t>{1, 5}));
  expect_processes(e.processes);
  expect_detector(e.detector);
  EXPECT_EQ(e.propagation.kind, "chord");
  EXPECT_FALSE(e.propagation.backstop);
  EXPECT_EQ(e.propagation.retransmission_timeout, milliseconds(3));
  EXPECT_EQ(e.seal.kind, "siphash128");
  EXPECT_EQ(e.events, (EventsConfig{2, 77}));
  ASSERT_EQ(e.failures.size(), 4u);
  EXPECT_EQ(e.failures[0].at, Time{} + seconds(1));
  EXPECT_EQ(e.failures[0].what, FaultTarget::process);
  EXPECT_EQ(e.failures[0].which, "34");
  EXPECT_EQ(e.failures[0].action, FaultKind::crash);
  EXPECT_EQ(e.failures[0].repaired_after, std::nullopt);
  EXPECT_EQ(e.failures[1].repaired_after, seconds(4));
  EXPECT_EQ(e.failures[1].which, "compute-3");
  EXPECT_EQ(e.failures[2].action, FaultKind::repair);
  EXPECT_EQ(e.failures[3].action, FaultKind::pause);
  EXPECT_EQ(e.failures[3].lasts, seconds(5));
}

TEST(Load, ReadsModels) {
  const Experiment e = load(minimal(R"("failures": [
      {"model": "exponential", "what": "process", "mtbf": "1 day"},
      {"model": "weibull", "what": "node", "mtbf": "10 years", "shape": 0.7, "age": "0 s",
       "count": 4, "repair": {"model": "lognormal", "median": "60 min", "sigma": 1.4}},
      {"model": "lognormal", "what": "node", "mtbf": "2 h", "sigma": 2, "action": "pause",
       "lasts": "3 s"},
      {"model": "exponential", "what": "node", "mtbf": "2 h", "repair": {"mean": "5 min"}}])"))
                           .points.at(0)
                           .experiment;
  ASSERT_EQ(e.failures.size(), 4u);
  const auto model = [&](std::size_t i) { return e.failures[i].model.value(); };
  EXPECT_EQ(model(0).life, (sim::LifeModel{sim::LifeKind::exponential, seconds(86'400), 1.0, 1.0}));
  EXPECT_FALSE(model(0).age.has_value());
  EXPECT_FALSE(model(0).repair.has_value());
  EXPECT_EQ(e.failures[0].what, FaultTarget::process);
  EXPECT_EQ(model(1).life,
            (sim::LifeModel{sim::LifeKind::weibull, seconds(315'576'000), 0.7, 1.0}));
  EXPECT_EQ(model(1).age, Duration{0});
  EXPECT_EQ(e.failures[1].count, 4u);
  EXPECT_EQ(model(1).repair, (sim::RepairModel{sim::RepairKind::lognormal, seconds(3600), 1.4}));
  EXPECT_EQ(model(2).life, (sim::LifeModel{sim::LifeKind::lognormal, seconds(7200), 1.0, 2.0}));
  EXPECT_EQ(e.failures[2].action, FaultKind::pause);
  EXPECT_EQ(e.failures[2].lasts, seconds(3));
  EXPECT_EQ(model(3).repair, (sim::RepairModel{sim::RepairKind::fixed, seconds(300), 1.0}));
}

TEST(Load, PresetsAndKAryTreesAreTrees) {
  const auto topology = [](const std::string& text) {
    return load(R"({"name": "t", "duration": "1 s", "topology": )" + text + "}")
        .points.at(0)
        .experiment.topology;
  };
  const TopologyConfig tree = topology(R"({"kind": "k_ary_n_tree", "k": 4, "n": 3})");
  EXPECT_EQ(tree.kind, TopologyKind::fat_tree);
  EXPECT_EQ(tree.down, (std::vector<std::uint32_t>{4, 4, 4}));
  EXPECT_EQ(tree.up, (std::vector<std::uint32_t>{1, 4, 4}));
  EXPECT_EQ(tree.parallel, (std::vector<std::uint32_t>{1, 1, 1}));
  const TopologyConfig preset = topology(R"({"kind": "preset", "name": "1944"})");
  EXPECT_EQ(preset.kind, TopologyKind::fat_tree);
  EXPECT_EQ(preset.down, (std::vector<std::uint32_t>{18, 18, 6}));
  EXPECT_EQ(preset.up, (std::vector<std::uint32_t>{1, 18, 3}));
  EXPECT_EQ(preset.parallel, (std::vector<std::uint32_t>{1, 1, 6}));
  EXPECT_EQ(topology(R"({"kind": "preset", "name": "ibnft-oversubscribed"})").kind,
            TopologyKind::composed);
}

TEST(Load, BackstopIsAlsoWrittenOnAndOff) {
  EXPECT_FALSE(load(minimal(R"("propagation": {"backstop": "off"})"))
                   .points[0]
                   .experiment.propagation.backstop);
  EXPECT_TRUE(load(minimal(R"("propagation": {"backstop": "on"})"))
                  .points[0]
                  .experiment.propagation.backstop);
}

TEST(Load, SealsOnRealFabricsUnlessToldOtherwise) {
  for (const char* fabric : {"udp", "tcp", "verbs"}) {
    const std::string change = std::string("fabric.kind=") + fabric;
    EXPECT_EQ(load(minimal(), {change}).points[0].experiment.seal.kind, "siphash128") << fabric;
  }
  EXPECT_EQ(load(minimal(), {"fabric.kind=udp", "seal.kind=none"}).points[0].experiment.seal.kind,
            "none");
}

TEST(Load, AcceptsTheLimitsAndRefusesWhatLiesBeyond) {
  // Pairs: the last value that passes, the first that does not.
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"detector.timeout=200 ms", "detector.timeout=199999999 ns"},
      {R"(topology={"down":[2,1,1,1,1,1,1,1],"up":[1,1,1,1,1,1,1,1],"parallel":[1,1,1,1,1,1,1,1]})",
       R"(topology={"down":[2,1,1,1,1,1,1,1,1],"up":[1,1,1,1,1,1,1,1,1],)"
       R"("parallel":[1,1,1,1,1,1,1,1,1]})"},
      {"fabric.loss=0.999", "fabric.loss=1"},
      {"fabric.loss=0", "fabric.loss=-0.001"},
      {"fabric.duplicate=1", "fabric.duplicate=1.001"},
      {"fabric.delay=0 s", "fabric.delay=-1 ns"},
      {"processes.nodes=16", "processes.nodes=17"},
      {"processes.per_node=4096", "processes.per_node=4097"},
      {"replicates=1", "replicates=0"},
      {R"(replicates={"until":"100 %"})", R"(replicates={"until":"100.0001 %"})"},
      {R"(replicates={"until":"0.0001 %"})", R"(replicates={"until":"0 %"})"},
      {R"(replicates={"until":"2 %","least":6})", R"(replicates={"until":"2 %","least":5})"},
      {R"(replicates={"until":"2 %","least":50,"most":50})",
       R"(replicates={"until":"2 %","least":50,"most":49})"},
      {"seed=0", "seed=-1"},
      {"duration=1000 days", "duration=1001 days"},
      {"duration=1 ns", "duration=0 s"},
      {"fabric.link.rate=1 kb/s", "fabric.link.rate=999 b/s"},
      {R"(failures=[{"at":"59.999999999 s","what":"process","which":15}])",
       R"(failures=[{"at":"60 s","what":"process","which":15}])"},
      {R"(failures=[{"at":"1 s","what":"node","which":15}])",
       R"(failures=[{"at":"1 s","what":"node","which":16}])"},
      {R"(topology={"down":[256,256,256],"up":[1,1,1],"parallel":[1,1,1]})",
       R"(topology={"down":[256,256,257],"up":[1,1,1],"parallel":[1,1,1]})"},
      {R"(topology={"down":[4,4],"up":[1,65536],"parallel":[1,64]})",
       R"(topology={"down":[4,4],"up":[1,65536],"parallel":[1,65]})"}};
  for (const auto& [passes, fails] : pairs) {
    EXPECT_TRUE(parse_experiment(minimal(), "t", "", {passes}).experiment.has_value()) << passes;
    EXPECT_FALSE(parse_experiment(minimal(), "t", "", {fails}).experiment.has_value()) << fails;
  }
}

// The words of the fabric; `delay` is that of frames, not of who is slow.
TEST(Load, ReadsWhatHappensToFramesBetweenProcesses) {
  const Experiment e =
      load(minimal(), {R"(failures=[{"at": "1 s", "what": "process", "which": 0, "to": 1,
                          "action": "impair", "lasts": "2 s", "rail": 1, "loss": 0.125,
                          "duplicate": 0.25, "corrupt": 0.5, "truncate": 0.375, "reorder": 0.75,
                          "delay": "3 us", "jitter": "4 us"}])",
                       "fabric.kind=udp", "fabric.rails=2", "seal.kind=siphash128"})
          .points[0]
          .experiment;
  const FailureConfig& line = e.failures.at(0);
  expect_faults(line.frames);
  EXPECT_EQ(line.delay, Duration{});
  EXPECT_EQ(line.to, "1");
  EXPECT_EQ(line.rail, 1);
  EXPECT_EQ(line.lasts, seconds(2));
  EXPECT_FALSE(e.fabric.faults.any());
}

TEST(Load, SeveralRailsNeedALongerTimeout) {
  const auto accepted = [](const std::string& rails, const std::string& timeout) {
    return parse_experiment(minimal(), "t", "",
                            {"fabric.kind=udp", "fabric.rails=" + rails, "detector.period=100 ms",
                             "detector.timeout=" + timeout})
        .experiment.has_value();
  };
  EXPECT_TRUE(accepted("1", "200 ms"));
  EXPECT_TRUE(accepted("2", "400 ms"));
  EXPECT_FALSE(accepted("2", "399999999 ns"));
  EXPECT_TRUE(accepted("8", "1600 ms"));
  EXPECT_FALSE(accepted("8", "1599999999 ns"));
  EXPECT_FALSE(accepted("9", "10 s"));
}

TEST(Load, ReadsAPrecision) {
  const Experiment standard =
      load(minimal(), {R"(replicates={"until": "2 %"})"}).points[0].experiment;
  ASSERT_TRUE(standard.precision.has_value());
  EXPECT_EQ(standard.precision->until_ppm, 20'000u);
  EXPECT_EQ(standard.precision->columns,
            (std::vector<std::string>{"detection_median_s", "propagation_median_s"}));
  EXPECT_EQ(standard.precision->least, PrecisionConfig{}.least);
  EXPECT_EQ(standard.replicates, 1000u);
  const LoadedExperiment all = load(
      minimal(R"("replicates": {"until": "0.5 %", "of": ["notices"], "least": 6, "most": 7})"));
  const Experiment& e = all.points[0].experiment;
  EXPECT_EQ(e.precision->until_ppm, 5'000u);
  EXPECT_EQ(e.precision->columns, std::vector<std::string>{"notices"});
  EXPECT_EQ(e.precision->least, 6u);
  EXPECT_EQ(e.replicates, 7u);
  EXPECT_EQ(load(all.resolved_json).resolved_json, all.resolved_json);
}

TEST(Load, ExpandsSweepsInTheFilesOrder) {
  const LoadedExperiment loaded = load(minimal(
      R"("sweep": {"propagation.kind": ["chord", "bmg"], "processes.per_node": [1, 2, 3],
                   "detector": [{"period": "10 ms"}]})"));
  ASSERT_EQ(loaded.points.size(), 6u);
  std::size_t i = 0;
  for (const std::string kind : {"chord", "bmg"}) {
    for (const std::uint32_t per_node : {1u, 2u, 3u}) {
      const SweepPoint& point = loaded.points[i++];
      EXPECT_EQ(point.experiment.propagation.kind, kind);
      EXPECT_EQ(point.experiment.processes.per_node, per_node);
      EXPECT_EQ(point.experiment.detector.period, milliseconds(10));
      EXPECT_EQ(point.experiment.detector.timeout, seconds(1));
      EXPECT_EQ(point.experiment.propagation.retransmission_timeout, milliseconds(10));
      const std::vector<std::pair<std::string, std::string>> values{
          {"propagation.kind", kind},
          {"processes.per_node", std::to_string(per_node)},
          {"detector", R"({"period":"10 ms"})"}};
      EXPECT_EQ(point.values, values);
    }
  }
}

TEST(Load, ASweepMaySupplyWhatTheFileLeavesOut) {
  const LoadedExperiment loaded =
      load(R"({"name": "t", "sweep": {"duration": ["1 s", "2 s"], "topology": [)" +
           std::string(kTree) + R"(, {"down": [8], "up": [1], "parallel": [1]}]}})");
  ASSERT_EQ(loaded.points.size(), 4u);
  EXPECT_EQ(loaded.points[3].experiment.duration, seconds(2));
  EXPECT_EQ(loaded.points[3].experiment.topology.down, (std::vector<std::uint32_t>{8}));
}

TEST(Load, SweepsEntriesOfLists) {
  const LoadedExperiment loaded =
      load(minimal(R"("failures": [{"at": "1 s", "what": "node", "which": 3}],
                      "sweep": {"failures.0.at": ["5 s", "6 s"], "topology.down.0": [8]})"));
  ASSERT_EQ(loaded.points.size(), 2u);
  EXPECT_EQ(loaded.points[1].experiment.failures[0].at, Time{} + seconds(6));
  EXPECT_EQ(loaded.points[1].experiment.topology.down[0], 8u);
}

TEST(Load, AListOfSweepsIsTheCombinationsOfEachAndNoneTwice) {
  const std::string text = minimal(
      R"("sweep": [{"propagation.kind": ["bmg", "chord"], "processes.per_node": [1, 2]},
                   {"processes.per_node": [2, 3], "propagation.kind": ["chord"]}])");
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const SweepPoint& point : load(text).points) {
    ASSERT_EQ(point.values.size(), 2u);
    EXPECT_EQ(point.values[0].first, "propagation.kind");  // the order of the first
    found.emplace_back(point.experiment.propagation.kind, point.experiment.processes.per_node);
  }
  EXPECT_EQ(found, (std::vector<std::pair<std::string, std::uint32_t>>{
                       {"bmg", 1}, {"bmg", 2}, {"chord", 1}, {"chord", 2}, {"chord", 3}}));
  EXPECT_EQ(load(text, {"propagation.kind=bmg"}).points.size(), 3u);
  EXPECT_EQ(load(text, {"processes.per_node=7"}).points.size(), 2u);
}

TEST(Load, TakesTheLargestSweepButNoLarger) {
  std::string hundred = "[0";
  for (int i = 1; i < 100; ++i) hundred += "," + std::to_string(i);
  const std::string sweep = R"("sweep": {"seed": )" + hundred + R"(], "processes.per_node": [1)";
  std::string per_node;
  for (int i = 2; i <= 100; ++i) per_node += "," + std::to_string(i);
  EXPECT_EQ(load(minimal(sweep + per_node + "]}")).points.size(), config::kPointsMax);
  EXPECT_NE(only_error(minimal(sweep + per_node + ",101]}")).find("10000"), std::string::npos);
  const std::string typed = "sweep.processes.per_node=[1" + per_node + ",101]";
  const std::string blamed = only_error(minimal(sweep + "]}"), {typed});
  EXPECT_TRUE(blamed.starts_with("--set " + typed + ": /sweep: ")) << blamed;
}

TEST(Overrides, ReadJsonElseText) {
  const Experiment e =
      load(minimal(R"("failures": [{"at": "1 s", "what": "node", "which": 3}])"),
           {"detector.period=50 ms", "detector.period=20 ms", "seed=7", "skip_quiet_time=false",
            "topology.down=[8,8]", "name=\"quoted\"", "failures.0.at=5 s"})
          .points[0]
          .experiment;
  EXPECT_EQ(e.detector.period, milliseconds(20));
  EXPECT_EQ(e.seed, 7u);
  EXPECT_FALSE(e.skip_quiet_time);
  EXPECT_EQ(e.topology.down, (std::vector<std::uint32_t>{8, 8}));
  EXPECT_EQ(e.name, "quoted");
  EXPECT_EQ(e.failures[0].at, Time{} + seconds(5));
}

TEST(Overrides, APlainNumberGivesWayToWhatIsSetWithinIt) {
  const std::string plain = minimal(R"("replicates": 3)");
  const LoadedExperiment until = load(plain, {"replicates.until=2 %", "replicates.most=50"});
  const Experiment& experiment = until.points[0].experiment;
  ASSERT_TRUE(experiment.precision);
  EXPECT_EQ(experiment.precision->least, 20u);
  EXPECT_EQ(experiment.replicates, 50u);
  EXPECT_FALSE(
      load(plain, {"replicates.until=2 %", "replicates=7"}).points[0].experiment.precision);
  EXPECT_NE(only_error(plain, {"replicates.most=50"}).find("until"), std::string::npos);
  // What has but one form stays as the file has it.
  const LoadResult other =
      parse_experiment(R"({"name": "a", "topology": 4})", "test.json", "", {"topology.k=4"});
  ASSERT_FALSE(other.errors.empty());
  EXPECT_NE(other.errors[0].find("/topology: found 4"), std::string::npos) << other.errors[0];
}

TEST(Overrides, TakeWhatTheySetOutOfTheSweep) {
  const std::string text = minimal(
      R"("sweep": {"detector.order": ["rank", "shuffled"], "propagation.kind": ["bmg", "chord"]})");
  const LoadedExperiment one = load(text, {"detector.order=shuffled"});
  ASSERT_EQ(one.points.size(), 2u);
  EXPECT_EQ(one.points[0].experiment.detector.order, "shuffled");
  EXPECT_EQ(one.points[0].values.size(), 1u);
  EXPECT_EQ(load(text, {"detector={}"}).points.size(), 2u);
  EXPECT_EQ(load(text, {"sweep={}"}).points.size(), 1u);
  EXPECT_EQ(load(text, {"sweep.detector.order=[\"rank\"]"}).points.size(), 2u);
  EXPECT_EQ(load(text, {"sweep.seed=[1,2,3]"}).points.size(), 12u);
}

TEST(Places, OfWhatIsFoundOutLater) {
  const std::string text = R"({"name": "t", "duration": "1 s",
"topology": {"down": [4], "up": [1], "parallel": [1]},
"failures": [{"at": "0 s", "what": "adapter", "which": "a"}],
"sweep": {"failures.0.which": ["b", "c"], "seed": [1, 2]}})";
  const auto placed = [&](const std::vector<Assignment>& overrides, std::size_t point,
                          const std::string& error) {
    const LoadedExperiment loaded = load(text, overrides);
    return with_place(error, loaded, loaded.points.at(point));
  };
  EXPECT_EQ(placed({}, 0, "/failures/0/what: wrong"), "test.json:3:36: /failures/0/what: wrong");
  EXPECT_EQ(placed({}, 1, "/failures/0/which: wrong"), "test.json:4:32: /failures/0/which: wrong");
  EXPECT_EQ(placed({}, 2, "/failures/0/which: wrong"), "test.json:4:37: /failures/0/which: wrong");
  EXPECT_EQ(placed({"failures.0.which=d"}, 1, "/failures/0/which: wrong"),
            "--set failures.0.which=d: /failures/0/which: wrong");
  EXPECT_EQ(placed({}, 0, "/failures/0/every: wrong"), "test.json:3:14: /failures/0/every: wrong");
  EXPECT_EQ(placed({}, 0, "fabric:3: wrong"), "test.json: fabric:3: wrong");
  EXPECT_EQ(placed({}, 0, "/fabric/a.txt:3: wrong"), "test.json: /fabric/a.txt:3: wrong");
}

TEST(Resolved, HasEveryDefaultInTheSchemasOrder) {
  const LoadedExperiment loaded = load(R"({"topology": )" + std::string(kTree) +
                                       R"(, "$schema": "x", "duration": "60 s", "name": "t"})");
  const auto resolved = nlohmann::ordered_json::parse(loaded.resolved_json);
  std::vector<std::string> keys;
  for (const auto& [key, value] : resolved.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"name", "seed", "replicates", "duration", "skip_quiet_time",
                                      "fabric", "topology", "processes", "detector", "propagation",
                                      "seal", "events", "traffic", "failures", "sweep"}));
  EXPECT_EQ(resolved["detector"].dump(),
            R"({"kind":"ring","period":"100 ms","timeout":"1 s","order":"rank","hold":"0 s"})");
  EXPECT_EQ(resolved["seal"]["kind"], "none");
  EXPECT_EQ(resolved["events"].dump(), R"({"replicates":0,"rows":100000})");
  EXPECT_EQ(resolved["propagation"]["retransmission_timeout"], "100 ms");
}

TEST(Resolved, LoadsToTheSamePoints) {
  const LoadedExperiment first = load(minimal(
      R"("sweep": {"fabric.kind": ["native", "udp"], "detector.period": ["10 ms", "20 ms"]})"));
  const LoadedExperiment second = load(first.resolved_json);
  EXPECT_EQ(first.resolved_json, second.resolved_json);
  ASSERT_EQ(first.points.size(), 4u);
  ASSERT_EQ(second.points.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Experiment& e = second.points[i].experiment;
    EXPECT_EQ(second.points[i].values, first.points[i].values);
    // What follows from a swept key must follow it in each point.
    EXPECT_EQ(e.seal.kind, i < 2 ? "none" : "siphash128");
    EXPECT_EQ(e.propagation.retransmission_timeout, e.detector.period);
  }
}

}  // namespace
}  // namespace holdfast::runner
