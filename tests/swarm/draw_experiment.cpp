// One JSON text, key by key.
#include "tests/swarm/draw_experiment.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "tests/swarm/dice.hpp"

namespace holdfast::swarm {

namespace {

constexpr std::uint64_t kExperimentStream = 0x6578706572;

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}
std::string text_of(Duration duration) {
  return quoted(std::to_string(duration.ns) + " ns");
}

// The members of a JSON object.
class Object {
 public:
  Object& add(std::string_view key, const std::string& json) {
    text_ += (text_.empty() ? "" : ", ") + quoted(key) + ": " + json;
    return *this;
  }
  Object& word(std::string_view key, std::string_view word) { return add(key, quoted(word)); }
  Object& time(std::string_view key, Duration duration) { return add(key, text_of(duration)); }
  Object& number(std::string_view key, std::uint64_t number) {
    return add(key, std::to_string(number));
  }
  Object& real(std::string_view key, double number) { return add(key, std::to_string(number)); }
  std::string json() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

class ExperimentDraw {
 public:
  explicit ExperimentDraw(std::uint64_t seed) : dice_(seed, kExperimentStream, 0), seed_(seed) {}

  std::string text() {
    packets_ = !dice_.one_in(3);
    traffic_ = packets_ && dice_.one_in(2);
    period_ = microseconds(dice_.between(2'000, 20'000));
    timeout_ = period_ * dice_.between(2, 10) + dice_.up_to(period_);
    duration_ = period_ * (traffic_ ? dice_.between(20, 60) : dice_.between(60, 1'000));
    per_node_ = dice_.between(1, 3);
    Object experiment;
    experiment.word("name", "drawn").number("seed", seed_).time("duration", duration_);
    experiment.add("topology", topology());
    experiment.add("fabric", fabric());
    Object processes;
    processes.number("per_node", per_node_).word("placement", pick({"by_slot", "by_node"}));
    processes.add("agents", dice_.one_in(3) ? "false" : "true");
    experiment.add("processes", processes.json());
    Object detector;
    detector.time("period", period_).time("timeout", timeout_);
    detector.word("order", pick({"rank", "shuffled", "spread"}));
    if (dice_.one_in(4)) detector.time("hold", dice_.up_to(period_ * 2));
    experiment.add("detector", detector.json());
    Object propagation;
    propagation.word("kind", pick({"bmg", "chord", "flood", "hba", "neighbours"}));
    if (dice_.one_in(8)) propagation.word("backstop", "off");
    experiment.add("propagation", propagation.json());
    if (traffic_) experiment.add("traffic", list(dice_.between(1, 2), &ExperimentDraw::traffic));
    experiment.add("failures", list(dice_.between(1, 5), &ExperimentDraw::failure));
    return experiment.json();
  }

 private:
  std::string_view pick(std::initializer_list<std::string_view> words) {
    return words.begin()[dice_.below(words.size())];
  }

  std::string list(std::uint32_t count, std::string (ExperimentDraw::*item)()) {
    std::string items;
    for (std::uint32_t i = 0; i < count; ++i) items += (i == 0 ? "" : ", ") + (this->*item)();
    return '[' + items + ']';
  }

  std::string topology() {
    hosts_per_leaf_ = dice_.between(2, 5);
    leaves_ = dice_.between(1, 4);
    spines_ = dice_.between(1, 3);
    hosts_ = hosts_per_leaf_ * leaves_;
    const auto both = [&](std::uint32_t first, std::uint32_t second) {
      const std::string one = std::to_string(first);
      return leaves_ == 1 ? '[' + one + ']' : '[' + one + ", " + std::to_string(second) + ']';
    };
    Object topology;
    topology.add("down", both(hosts_per_leaf_, leaves_)).add("up", both(1, spines_));
    topology.add("parallel", both(1, 1));
    return topology.json();
  }

  // Links so slow that a packet of traffic takes a 50th of a period or less.
  std::string fabric() {
    Object fabric;
    const Duration packet = period_ / static_cast<std::int64_t>(dice_.between(50, 500));
    const std::int64_t rate = traffic_ ? (kPayloadMax + 34) * 8'000'000'000 / packet.ns
                                       : 10'000'000'000 * dice_.between(1, 20);
    Object link;
    link.word("rate", std::to_string(rate) + " b/s");
    fabric.add("link", link.time("latency", dice_.up_to(nanoseconds(500))).json());
    if (dice_.one_in(3)) fabric.add("loss", "0.01");
    Object routing;
    routing.word("kind", pick({"dmodk", "balanced"})).number("lmc", dice_.below(3));
    fabric.add("routing", routing.json());
    Object manager;
    manager.add("sweep_on_trap", dice_.one_in(4) ? "false" : "true");
    manager.time("sweep_interval", milliseconds(dice_.between(10, 500)));
    fabric.add("subnet_manager", manager.json());
    if (!packets_) return fabric.json();
    Object packet_options;
    packet_options.word("switching", pick({"cut_through", "store_and_forward"}));
    packet_options.word("flow_control", pick({"credits", "credits", "drop_tail"}));
    packet_options.number("buffer", 4'224u << dice_.below(4));
    packet_options.time("head_lifetime", dice_.one_in(2) ? Duration{0} : packet * 20);
    packet_options.number("service_level", dice_.below(2));
    return fabric.word("fidelity", "packet").add("packet", packet_options.json()).json();
  }

  std::string traffic() {
    Object traffic;
    const bool incast = hosts_ > 2 && dice_.one_in(3);
    traffic.word("pattern", incast ? "incast" : pick({"uniform", "permutation", "all_to_all"}));
    traffic.real("load", dice_.one_in(3) ? 1.0 : 0.01 + 0.9 * dice_.unit() * dice_.unit());
    traffic.number("bytes", dice_.between(1, kPayloadMax));
    traffic.number("service_level", dice_.below(2)).number("shift", dice_.between(1, hosts_ - 1));
    traffic.number("target", dice_.between(0, hosts_ - 1));
    if (hosts_ > 2) traffic.number("senders", dice_.between(1, hosts_ - 2));
    return traffic.number("victim_service_level", dice_.below(2)).json();
  }

  std::string failure() {
    Object failure;
    if (dice_.one_in(5)) {
      model(failure);
      return failure.json();
    }
    failure.time("at", dice_.up_to(duration_ - nanoseconds(1)));
    switch (dice_.below(4)) {
      case 0:
        stand_still(failure);
        break;
      case 1:
        impair(failure);
        break;
      default:
        crash(failure);
        break;
    }
    return failure.json();
  }

  Duration length() { return nanoseconds(1) + dice_.up_to(timeout_ * (dice_.one_in(2) ? 1 : 6)); }
  std::string leaf() { return "leaf-" + std::to_string(dice_.between(0, leaves_ - 1)); }
  std::string host() { return "host-" + std::to_string(dice_.between(0, hosts_ - 1)); }
  std::string link() {
    const std::uint32_t ports = hosts_per_leaf_ + (leaves_ == 1 ? 0 : spines_);
    return leaf() + '[' + std::to_string(dice_.between(1, ports)) + ']';
  }
  std::string spine() { return "spine-" + std::to_string(dice_.between(0, spines_ - 1)); }
  // The tree is one chassis if it has two levels; see sim/topology/modules.hpp.
  std::string board() {
    if (dice_.one_in(2)) return "chassis-0/line-" + std::to_string(dice_.between(0, leaves_ - 1));
    return "chassis-0/spine-0";
  }

  // A piece of the fabric, or several with a cause in common.
  void of_the_fabric(Object& failure, bool with_nodes) {
    const bool two_levels = leaves_ > 1;
    switch (dice_.below(two_levels ? 7 : 4)) {
      case 0:
        failure.word("what", "adapter").word("which", host());
        break;
      case 1:
        failure.word("what", "link").word("which", link());
        break;
      case 2:
        failure.word("what", "switch").word("which", leaf());
        break;
      case 3:
        failure.word("what", with_nodes ? "leaf" : "switch").word("which", leaf());
        break;
      case 4:
        failure.word("what", "spine").word("which", spine());
        break;
      case 5:
        failure.word("what", "board").word("which", board());
        break;
      default:
        failure.word("what", "chassis").word("which", "chassis-0");
        break;
    }
  }

  // Processes or nodes, drawn for each replicate or named.
  void of_the_job(Object& failure) {
    const bool process = dice_.one_in(2);
    const std::uint32_t parts = process ? hosts_ * per_node_ : hosts_;
    failure.word("what", process ? "process" : "node");
    if (dice_.one_in(2)) {
      failure.word("which", "random").number("count", dice_.between(1, std::min(parts, 5u)));
    } else {
      failure.number("which", dice_.between(0, parts - 1));
    }
  }

  void crash(Object& failure) {
    if (dice_.one_in(4)) {
      of_the_job(failure);
    } else {
      of_the_fabric(failure, true);
    }
    if (dice_.one_in(3)) return;
    const Duration down = length();
    failure.time("repaired_after", down);
    if (dice_.one_in(4)) failure.time("every", down + microseconds(1) + length());
  }

  void stand_still(Object& failure) {
    of_the_job(failure);
    failure.time("lasts", length());
    if (dice_.one_in(2)) {
      failure.word("action", "pause");
    } else {
      failure.word("action", "slow").time("delay", nanoseconds(1) + dice_.up_to(timeout_ / 2));
    }
  }

  void impair(Object& failure) {
    failure.time("lasts", length());
    if (dice_.one_in(2)) {
      of_the_job(failure);
      frames(failure);
    } else {
      of_the_fabric(failure, false);
      impairment(failure);
    }
  }

  // Of processes or nodes: something happens to the frames between them and all others.
  void frames(Object& failure) {
    failure.word("action", "impair").add("one_way", dice_.one_in(2) ? "true" : "false");
    failure.real("loss", dice_.one_in(3) ? 1.0 : 0.9 * dice_.unit()).real("duplicate", 0.1);
    if (dice_.one_in(2)) failure.real("truncate", 0.1);
    if (dice_.one_in(2)) return;
    failure.time("delay", nanoseconds(1) + dice_.up_to(period_)).time("jitter", period_ / 2);
    failure.real("reorder", 0.1);
  }

  void impairment(Object& failure) {
    failure.word("action", "impair").add("one_way", dice_.one_in(2) ? "true" : "false");
    if (dice_.one_in(2)) {
      failure.real("share", dice_.one_in(2) ? 1.0 : 0.01 + 0.9 * dice_.unit());
    } else {
      failure.real("per_bit", 0.0001);
    }
  }

  // About three failures in the run of all parts together: of the job, which stand still, are slow
  // or end or whose frames are impaired, or of the fabric, which end, flap or lose frames.
  void model(Object& failure) {
    const bool job = dice_.one_in(2);
    failure.word("model", pick({"exponential", "weibull", "lognormal"}));
    failure.time("mtbf", duration_ * hosts_ / 3).add("shape", "0.7").add("sigma", "1.2");
    const std::uint64_t effect = dice_.below(3);
    const bool impairs = !job && effect == 1;
    if (job) {
      failure.word("what", pick({"process", "node"}));
    } else if (leaves_ == 1 || impairs) {
      failure.word("what", pick({"adapter", "link", "switch"}));
    } else {
      failure.word("what", pick({"adapter", "link", "leaf", "spine", "board", "chassis"}));
    }
    const bool frames_of_job = job && effect == 1 && dice_.one_in(2);
    if (frames_of_job) frames(failure);
    if (job && effect == 1 && !frames_of_job) failure.word("action", "pause");
    if (job && effect == 2) failure.word("action", "slow").time("delay", timeout_ / 3);
    if (impairs) impairment(failure);
    if (!job && effect == 2) {
      const Duration down = nanoseconds(1) + dice_.up_to(period_);
      failure.time("repaired_after", down).time("every", down + microseconds(1) + length());
    }
    Object repair;
    failure.add("repair", repair.time("mean", length()).json());
  }

  static constexpr std::int64_t kPayloadMax = 4'096;

  Dice dice_;
  std::uint64_t seed_;
  bool packets_ = false;
  bool traffic_ = false;
  Duration period_;
  Duration timeout_;
  Duration duration_;
  std::uint32_t per_node_ = 1;
  std::uint32_t hosts_per_leaf_ = 1;
  std::uint32_t leaves_ = 1;
  std::uint32_t spines_ = 1;
  std::uint32_t hosts_ = 1;
};

}  // namespace

std::string draw_experiment(std::uint64_t seed) {
  return ExperimentDraw(seed).text();
}

}  // namespace holdfast::swarm
