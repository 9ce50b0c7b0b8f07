// A promise that is a bound on one value, and what was found.
#pragma once

#include <cstddef>
#include <string>

namespace holdfast::bench {

struct LimitShow {
  std::string show;       // what is bounded, for people; with its unit
  std::string contender;  // whose it is
  std::string fault;      // of what
  std::size_t samples = 0;
  double value = 0;
  double limit = 0;
  bool is_least = false;  // `limit` is the least that is promised, else the most

  // Of the same contender, fault and samples.
  LimitShow at_least(const std::string& what, double found, double promised) const {
    return {what, contender, fault, samples, found, promised, true};
  }
  LimitShow at_most(const std::string& what, double found, double promised) const {
    return {what, contender, fault, samples, found, promised, false};
  }
  bool kept() const { return is_least ? value >= limit : value <= limit; }
};

}  // namespace holdfast::bench
