// What was found out about the machine: facts in groups. A fact is read from the kernel, or tried
// out, and never guessed: what could not be found out has the reason in place of a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::hw {

using FactValue = std::variant<bool, std::int64_t, std::string>;

struct Fact {
  std::string name;  // a word of JSON, without the unit
  std::string unit;  // "bytes", "Mb/s"; empty: none
  std::optional<FactValue> value;
  std::string why_not;  // without a value: why there is none
};

// Facts about one thing, or about several of a kind.
struct FactGroup {
  std::string name;
  std::vector<Fact> facts;
  std::vector<FactGroup> parts;

  // The fact of this name, or null.
  const Fact* find(const std::string& fact) const;
  // The part of this name, or null.
  const FactGroup* part(const std::string& name_of_part) const;
  // Whether there is such a fact, and it is true.
  bool is_true(const std::string& fact) const;

  void add(std::string fact, FactValue value, std::string unit = "") {
    facts.push_back({std::move(fact), std::move(unit), std::move(value), ""});
  }
  void add_unknown(std::string fact, std::string why_not) {
    facts.push_back({std::move(fact), "", std::nullopt, std::move(why_not)});
  }
};

// Where the kernel's files are; tests have trees of their own.
struct KernelFiles {
  std::string sys = "/sys";
  std::string proc = "/proc";
};

}  // namespace holdfast::hw
