// The points are enumerated like the numbers of an odometer, the last path turning fastest.
#include "experiments/config/sweep.hpp"

#include <algorithm>

#include "experiments/config/nearest.hpp"
#include "experiments/config/override.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/validate.hpp"

namespace holdfast::runner::config {

namespace {

// One path of the sweep: that it may be swept, and that its values are right.
void check_entry(const Member& entry, const Node& document, Problems& problems) {
  const std::string pointer = pointer_to("/sweep", entry.key);
  const std::vector<std::string> path = split_path(entry.key);
  if (path.empty()) {
    problems.push_back(
        {entry.key_origin, pointer,
         "found " + quoted(entry.key) + "; expected a dotted path such as \"detector.order\""});
    return;
  }
  if (!check_path(path, entry.key_origin, pointer, problems)) return;
  if (schema_at({path.front()})->find("x-fixed") != nullptr) {
    problems.push_back(
        {entry.key_origin, pointer,
         quoted(path.front()) + " is the same in all of a run; expected another path"});
    return;
  }
  for (std::size_t i = 0; i < entry.value.items.size(); ++i) {
    validate(*schema_at(path), entry.value.items[i], pointer_to(pointer, std::to_string(i)),
             Completeness::parts, problems);
  }
  if (const auto why = why_no_path(document, path)) {
    problems.push_back({entry.key_origin, pointer, no_place(*why)});
  }
}

// A path within another one of the sweep would be overwritten by it, or would overwrite it.
void check_overlap(const Node& sweep, Problems& problems) {
  for (const Member& inner : sweep.members) {
    for (const Member& outer : sweep.members) {
      if (&inner == &outer || !lies_within(inner.key, outer.key)) continue;
      problems.push_back({inner.key_origin, pointer_to("/sweep", inner.key),
                          quoted(inner.key) + " lies within " + quoted(outer.key) +
                              ", which is swept too; sweep one of them"});
    }
  }
}

std::string value_text(const Node& value) {
  return value.is(NodeKind::string) ? value.text : to_json(value, -1);
}

}  // namespace

void check_sweep(const Node& document, Problems& problems) {
  const Node* sweep = document.find("sweep");
  if (sweep == nullptr || !sweep->is(NodeKind::object)) return;
  std::size_t points = 1;
  for (const Member& entry : sweep->members) {
    if (!entry.value.is(NodeKind::array)) continue;  // the schema's own check has reported it
    check_entry(entry, document, problems);
    points = std::min(points * std::max<std::size_t>(entry.value.items.size(), 1), kPointsMax + 1);
  }
  check_overlap(*sweep, problems);
  if (points > kPointsMax) {
    problems.push_back({sweep->origin, "/sweep",
                        "found more than " + std::to_string(kPointsMax) +
                            " combinations; expected at most that many"});
  }
}

void for_each_point(const Node& document,
                    const std::function<bool(Node point, const SweptValues& values)>& visit) {
  Node base = document;
  base.erase("sweep");
  const Node* sweep = document.find("sweep");
  std::vector<const Member*> entries;
  if (sweep != nullptr) {
    for (const Member& entry : sweep->members) entries.push_back(&entry);
  }
  std::vector<std::size_t> choice(entries.size(), 0);
  for (;;) {
    Node point = base;
    SweptValues values;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Node& value = entries[i]->value.items[choice[i]];
      Node& where = make_path(point, split_path(entries[i]->key));
      where = value;
      where.origin.swept = true;
      values.emplace_back(entries[i]->key, value_text(value));
    }
    if (!visit(std::move(point), values)) return;
    std::size_t digit = entries.size();
    while (digit > 0 && ++choice[digit - 1] == entries[digit - 1]->value.items.size()) {
      choice[--digit] = 0;
    }
    if (digit == 0) return;
  }
}

bool is_swept(const Node& document, std::string_view path) {
  const Node* sweep = document.find("sweep");
  return sweep != nullptr && std::any_of(sweep->members.begin(), sweep->members.end(),
                                         [&](const Member& m) { return lies_within(path, m.key); });
}

}  // namespace holdfast::runner::config
