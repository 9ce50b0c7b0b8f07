// One view, compared with the truth, after all digests were found equal.
#include "sim/oracle/truth.hpp"

#include "sim/oracle/text.hpp"

namespace holdfast::sim {

std::string untruth(std::uint32_t processes, const EngineOf& engine_of) {
  const Membership* some = nullptr;
  // Digests first: they differ nearly always as long as anything is untrue.
  for (std::uint32_t i = 0; i < processes; ++i) {
    const Engine* engine = engine_of({i});
    if (engine == nullptr) continue;
    const Membership& membership = engine->membership();
    const std::string who = "process " + std::to_string(i);
    if (membership.fenced()) return who + " is fenced";
    if (membership.joining()) return who + " is still joining";
    if (some != nullptr && membership.view().digest() != some->view().digest()) {
      return who + " has another view than the first live process";
    }
    if (some == nullptr) some = &membership;
  }
  if (some == nullptr) return "";
  for (std::uint32_t i = 0; i < processes; ++i) {
    const Engine* engine = engine_of({i});
    const Record believed = some->view().of({i});
    const std::string what = "all believe " + text(believed) + " of process " + std::to_string(i);
    if (engine == nullptr) {
      if (is_live(believed)) return what + ", which is down";
    } else if (believed != Record{engine->membership().incarnation(), MemberState::alive}) {
      return what + ", which runs as " +
             text({engine->membership().incarnation(), MemberState::alive});
    }
  }
  return "";
}

}  // namespace holdfast::sim
