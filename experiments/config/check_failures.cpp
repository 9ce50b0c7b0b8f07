// Whether what fails exists, and can fail so.
#include <charconv>
#include <optional>

#include "experiments/config/checker.hpp"
#include "experiments/config/quantity.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/validate.hpp"

namespace holdfast::runner::config {

namespace {

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

void Checker::check_failures() {
  for (std::size_t i = 0; i < experiment_.failures.size(); ++i) {
    const FailureConfig& failure = experiment_.failures[i];
    const std::string pointer = "/failures/" + std::to_string(i);
    if (!check_kind(failure, pointer)) continue;
    if (failure.model) {
      check_model(failure, pointer);
      continue;
    }
    const bool lasts = failure.action != FaultKind::crash && failure.action != FaultKind::repair;
    if (lasts && failure.lasts == Duration{0}) need(pointer, "lasts");
    const Duration end = experiment_.duration;
    if (end.ns > 0 && failure.at >= Time{} + end) {
      report({pointer + "/at", "/duration"},
             "found a failure at " + format_duration(failure.at - Time{}) +
                 "; expected one before the end at " + format_duration(end));
    }
    if (failure.which == kDrawnParts) {
      check_drawn(failure, pointer);
    } else if (failure.what == FaultTarget::process) {
      check_process(failure, pointer);
    } else if (failure.what == FaultTarget::node) {
      check_host(failure.which, pointer + "/which", ", or random");
    }
  }
}

// Not everything happens to every part, or everywhere.
bool Checker::check_kind(const FailureConfig& failure, const std::string& pointer) {
  const bool of_job = is_of_job(failure.what);
  const std::vector<std::string> action = {pointer + "/action", pointer + "/what"};
  const std::size_t before = problems_.size();
  if (!of_job && (failure.action == FaultKind::pause || failure.action == FaultKind::slow)) {
    report(action,
           "found a part of the fabric that stands still or is slow; expected \"what\": "
           "\"process\" or \"node\"");
  } else if (failure.action == FaultKind::impair) {
    check_impairment(failure, pointer);
  }
  if (failure.rail) check_rail(failure, pointer);
  check_real_fault(failure, pointer);
  if (of_job || failure.model) return problems_.size() == before;
  if (failure.which == kDrawnParts || failure.count > 1) {
    report({pointer + "/which", pointer + "/count"},
           "found random or several parts of the fabric; expected the name of one");
  }
  return problems_.size() == before;
}

// Of links frames are lost; between processes anything may happen to them that may in `fabric`.
void Checker::check_impairment(const FailureConfig& failure, const std::string& pointer) {
  const std::vector<std::string> action = {pointer + "/action", pointer + "/what"};
  if (failure.what == FaultTarget::leaf) {
    report(action,
           "found an impairment of a common cause; expected \"what\": \"process\", \"node\", "
           "\"link\", \"adapter\", \"switch\", \"spine\", \"board\" or \"chassis\"");
    return;
  }
  const bool of_job = is_of_job(failure.what);
  const std::string_view other =
      of_job ? found_of(pointer, {"share", "per_bit"})
             : found_of(pointer, {"loss", "duplicate", "corrupt", "truncate", "reorder", "delay",
                                  "jitter", "to"});
  if (!other.empty()) {
    report({pointer + "/" + std::string(other), pointer + "/what"},
           of_job ? "found a fault of a link where frames between processes are impaired; expected "
                    "\"loss\", or the \"what\" of a link"
                  : "found a fault of frames between processes where a link is impaired; expected "
                    "\"share\" or \"per_bit\", or \"what\": \"process\" or \"node\"");
  } else if (of_job) {
    check_frames(failure, pointer);
  } else if (failure.share + failure.per_bit == 0.0) {
    report(action, "found an impairment of nothing; expected \"share\" or \"per_bit\" above 0");
  }
}

// One of several rails is a host's, or one by which frames go between processes.
void Checker::check_rail(const FailureConfig& failure, const std::string& pointer) {
  const FabricConfig& fabric = experiment_.fabric;
  const std::string rail = pointer + "/rail";
  if (fabric.target == Target::simulated) {
    report({rail, "/fabric/kind"},
           "found one rail on the simulated fabric, where a process has no other; expected no "
           "\"rail\", or \"kind\": \"udp\", \"tcp\" or \"verbs\"");
  } else if (*failure.rail >= fabric.rails) {
    report({rail, "/fabric/rails"},
           "found the rail " + std::to_string(*failure.rail) + "; expected " +
               (fabric.rails == 1 ? "0, as there is one; \"rails\" in \"fabric\" says how many"
                                  : "0 to " + std::to_string(fabric.rails - 1)));
  } else if (is_of_job(failure.what) && failure.action != FaultKind::impair) {
    report({rail, pointer + "/what", pointer + "/action"},
           "found a rail of a process that ends or stands still; expected \"what\": \"adapter\" or "
           "\"link\", or \"action\": \"impair\"");
  }
}

void Checker::check_frames(const FailureConfig& failure, const std::string& pointer) {
  const FrameFaults& frames = failure.frames;
  if (frames.reorder > 0.0 && !frames.delays() && !experiment_.fabric.faults.delays()) {
    report({pointer + "/reorder"},
           "found frames that overtake others where none is late; expected a \"delay\" or a "
           "\"jitter\" above 0 s, or 0");
  } else if (!frames.any() && frames.reorder == 0.0) {
    report({pointer + "/action", pointer + "/what"},
           "found an impairment of nothing; expected \"loss\", \"duplicate\", \"corrupt\", "
           "\"truncate\", \"delay\" or \"jitter\" above 0");
  }
  if (frames.corrupt > 0.0 && experiment_.seal.kind == "none") {
    report({pointer + "/corrupt", "/seal/kind", "/fabric/kind"},
           "found frames with wrong bits and nothing to tell them by; expected \"seal\": "
           "{\"kind\": \"siphash128\"}, or 0");
  }
  if (failure.to.empty()) return;
  const Node* one_way = at_pointer(document_, pointer + "/one_way");
  if (one_way != nullptr && !one_way->boolean) {
    report({pointer + "/one_way", pointer + "/to"},
           "found both directions of frames that go \"to\" somebody; expected a line for each, or "
           "no \"one_way\"");
  }
}

std::string_view Checker::found_of(const std::string& pointer,
                                   std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys)
    if (at_pointer(document_, pointer + "/" + std::string(key)) != nullptr) return key;
  return {};
}

// What can be done to the processes of a real job, and to the rails of their hosts.
void Checker::check_real_fault(const FailureConfig& failure, const std::string& pointer) {
  const FabricConfig& fabric = experiment_.fabric;
  if (fabric.target == Target::simulated) return;
  const bool of_job = is_of_job(failure.what);
  const bool of_rail = failure.what == FaultTarget::adapter || failure.what == FaultTarget::link;
  if ((!of_job && !of_rail) || failure.action == FaultKind::slow) {
    report({pointer + "/what", "/fabric/kind"},
           "found a fault of a switch, or a slow part, on a real fabric; expected \"process\", "
           "\"node\", \"adapter\" or \"link\", or \"kind\": \"native\"");
  } else if (of_rail && !fabric.separate_hosts) {
    report({pointer + "/what", "/fabric/hosts", "/fabric/kind"},
           "found a fault of a link where all hosts are this machine; expected \"hosts\": "
           "\"namespaces\" in \"fabric\", or \"kind\": \"native\"");
  } else if (of_rail && failure.model && failure.what == FaultTarget::link) {
    report({pointer + "/what", "/fabric/kind"},
           "found a model of all links on a real fabric; expected \"adapter\", whose links are the "
           "only real ones");
  } else if (of_rail && failure.action == FaultKind::impair &&
             (failure.share < 1 || failure.per_bit > 0)) {
    report({pointer + "/action", "/fabric/kind"},
           "found a link that loses some of its frames on a real fabric; expected \"share\": 1, or "
           "\"kind\": \"native\"");
  }
}

// "repair" is an end by itself: a script's action that a model does not have. All others end by
// the model's repair.
void Checker::check_model(const FailureConfig& failure, const std::string& pointer) {
  if (failure.action == FaultKind::repair) {
    report({pointer + "/action", pointer + "/model"},
           "found an action that no model draws; expected \"crash\", \"pause\", \"slow\" or "
           "\"impair\", and \"repair\" with the time that a repair takes");
    return;
  }
  const bool has_repair = failure.model->repair.has_value();
  if (failure.repaired_after && !failure.every) {
    report({pointer + "/repaired_after"},
           "found a model that is \"repaired_after\"; expected \"repair\", or \"every\" beside it: "
           "a flap");
  }
  if (failure.every && !has_repair) need(pointer, "repair");
  if (failure.action == FaultKind::crash) return;
  if (failure.lasts == Duration{0} && !has_repair) need(pointer, "lasts");
  if (failure.lasts == Duration{0} || !has_repair) return;
  report({pointer + "/lasts", pointer + "/repair"},
         "found both \"lasts\" and \"repair\"; expected one of them");
}

// The key is missing in a failure.
void Checker::need(const std::string& pointer, std::string_view key) {
  const Node* item = experiment_schema_node().find("properties")->find("failures")->find("items");
  problems_.push_back(missing_key(*item, key, at_pointer(document_, pointer)->origin, pointer));
}

// How many parts of the kind there are; kPartsMax before the topology's file is read.
std::uint64_t Checker::parts(FaultTarget what) const {
  const std::uint64_t nodes =
      experiment_.processes.nodes.value_or(static_cast<std::uint32_t>(hosts_));
  const std::uint64_t each = what == FaultTarget::process ? experiment_.processes.per_node : 1;
  return nodes > 0 ? nodes * each : kPartsMax;
}

void Checker::check_drawn(const FailureConfig& failure, const std::string& pointer) {
  if (failure.action == FaultKind::repair) {
    report({pointer + "/which", pointer + "/action"},
           "found a repair of random parts; expected the parts that are down, or "
           "\"repaired_after\" where they crash");
  }
  const std::uint64_t limit = parts(failure.what);
  if (failure.count <= limit) return;
  report({pointer + "/count", "/processes/per_node", "/processes/nodes", "/topology/down"},
         "found a count of " + std::to_string(failure.count) + "; expected at most " +
             std::to_string(limit) + ", as many as there are");
}

void Checker::check_process(const FailureConfig& failure, const std::string& pointer) {
  const auto rank = as_number(failure.which);
  const std::uint64_t limit = parts(FaultTarget::process);
  if (!rank || *rank >= limit) {
    report({pointer + "/which", "/processes/per_node", "/processes/nodes", "/topology/down"},
           "found the process " + failure.which + "; expected a rank from 0 to " +
               std::to_string(limit - 1) + ", or random");
  } else if (failure.count > limit - *rank) {
    report({pointer + "/count", pointer + "/which"},
           "found a count of " + std::to_string(failure.count) + " from the process " +
               failure.which + " on; expected at most " + std::to_string(limit - *rank));
  }
}

// A host is named by its index, its GUID or its name; the names are known only with the topology.
void Checker::check_host(const std::string& which, const std::string& pointer,
                         const std::string& otherwise) {
  const bool digits = which.find_first_not_of("0123456789") == std::string::npos;
  if (digits) {
    const auto index = as_number(which);
    const std::uint64_t limit = hosts_ > 0 ? hosts_ : kPartsMax;
    if (index && *index < limit) return;
    report({pointer, "/topology/down"}, "found the node " + which +
                                            "; expected an index from 0 to " +
                                            std::to_string(limit - 1) + otherwise);
  } else if (which.starts_with("0x")) {
    const std::string_view hex = std::string_view(which).substr(2);
    const bool guid = !hex.empty() && hex.size() <= 16 &&
                      hex.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (guid) return;
    report({pointer},
           "found the node " + which + "; expected a GUID: 0x and up to 16 digits in base 16");
  }
}

}  // namespace holdfast::runner::config
