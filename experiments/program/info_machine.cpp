// holdfast info machine: the facts of hw/probe as text for people, or as JSON for scripts.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/commands.hpp"
#include "experiments/program/info.hpp"
#include "hw/probe/machine.hpp"
#include "hw/probe/use.hpp"

namespace holdfast::program {
namespace {

using Json = nlohmann::ordered_json;

// Rows of a few columns, so that names of one group stand below each other.
constexpr int kNameColumns = 28;

std::string text_of(const hw::Fact& fact) {
  if (!fact.value) return "not known: " + fact.why_not;
  const std::string unit = fact.unit.empty() ? "" : " " + fact.unit;
  if (const bool* yes = std::get_if<bool>(&*fact.value)) return *yes ? "yes" : "no";
  if (const auto* number = std::get_if<std::int64_t>(&*fact.value))
    return std::to_string(*number) + unit;
  return std::get<std::string>(*fact.value) + unit;
}

void print_group(const hw::FactGroup& group, int depth) {
  const int columns = kNameColumns - 2 * depth;
  std::printf("%*s%s\n", 2 * depth, "", group.name.c_str());
  for (const hw::Fact& fact : group.facts)
    std::printf("%*s%-*s %s\n", 2 * depth + 2, "", columns, fact.name.c_str(),
                text_of(fact).c_str());
  for (const hw::FactGroup& part : group.parts) print_group(part, depth + 1);
  if (group.facts.empty() && group.parts.empty()) std::printf("%*snone\n", 2 * depth + 2, "");
}

// A software's facts are one line: the one that is missing is what a person looks for.
void print_software(const hw::FactGroup& software) {
  std::printf("software\n");
  for (const hw::FactGroup& one : software.parts) {
    const bool here = one.is_true("present");
    std::printf("  %-*s %s (%s)%s%s\n", kNameColumns, one.name.c_str(), here ? "here" : "not here",
                text_of(*one.find("use")).c_str(),
                here ? "" : "; Debian: ", here ? "" : text_of(*one.find("package")).c_str());
  }
}

Json json_of(const hw::FactGroup& group) {
  Json object = Json::object();
  for (const hw::Fact& fact : group.facts) {
    Json& entry = object[fact.name];
    if (!fact.value) {
      entry = {{"not_known", fact.why_not}};
      continue;
    }
    Json value;
    std::visit([&](const auto& known) { value = known; }, *fact.value);
    if (fact.unit.empty()) {
      entry = value;
    } else {
      entry = {{"value", value}, {"unit", fact.unit}};
    }
  }
  for (const hw::FactGroup& part : group.parts) object[part.name] = json_of(part);
  return object;
}

}  // namespace

int info_machine(const Arguments& arguments) {
  const char* const path = std::getenv("PATH");
  const hw::FactGroup machine = hw::probe_machine(path == nullptr ? "" : path);
  const std::vector<hw::Use> uses = hw::uses_of(machine);
  if (arguments.has("--json")) {
    Json object = json_of(machine);
    object["uses"] = Json::array();
    for (const hw::Use& use : uses)
      object["uses"].push_back({{"what", use.what}, {"used", use.used}, {"why", use.why}});
    std::printf("%s\n", object.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
    return kDone;
  }
  for (const hw::FactGroup& group : machine.parts) {
    if (group.name == "software") {
      print_software(group);
    } else {
      print_group(group, 0);
    }
  }
  std::printf("Holdfast uses\n");
  for (const hw::Use& use : uses)
    if (use.used) std::printf("  %s: %s\n", use.what.c_str(), use.why.c_str());
  std::printf("and does not use\n");
  for (const hw::Use& use : uses)
    if (!use.used) std::printf("  %s: %s\n", use.what.c_str(), use.why.c_str());
  return kDone;
}

}  // namespace holdfast::program
