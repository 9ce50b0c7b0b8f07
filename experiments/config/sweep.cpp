// The points are enumerated like the numbers of an odometer, the last path turning fastest.
#include "experiments/config/sweep.hpp"

#include <algorithm>

#include "experiments/config/nearest.hpp"
#include "experiments/config/override.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/validate.hpp"

namespace holdfast::runner::config {

namespace {

// One path of the sweep at `sweep_pointer`: that it may be swept, and that its values are right.
void check_entry(const Member& entry, const std::string& sweep_pointer, const Node& document,
                 Problems& problems) {
  const std::string pointer = pointer_to(sweep_pointer, entry.key);
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
void check_overlap(const Node& sweep, const std::string& sweep_pointer, Problems& problems) {
  for (const Member& inner : sweep.members) {
    for (const Member& outer : sweep.members) {
      if (&inner == &outer || !lies_within(inner.key, outer.key)) continue;
      const bool outer_was_chosen = outer.key_origin.insistence() > inner.key_origin.insistence();
      problems.push_back({outer_was_chosen ? outer.key_origin : inner.key_origin,
                          pointer_to(sweep_pointer, inner.key),
                          quoted(inner.key) + " lies within " + quoted(outer.key) +
                              ", which is swept too; sweep one of them"});
    }
  }
}

// All sets of combinations vary the same paths, or the tables would have no columns for them.
void check_same_paths(const Node& first, const Node& other, const std::string& pointer,
                      Problems& problems) {
  for (const Member& entry : first.members) {
    if (other.find(entry.key) != nullptr) continue;
    problems.push_back(
        {other.origin, pointer,
         "the path " + quoted(entry.key) + " is missing; expected those of the first of the list"});
  }
  for (const Member& entry : other.members) {
    if (first.find(entry.key) != nullptr) continue;
    problems.push_back({entry.key_origin, pointer_to(pointer, entry.key),
                        "found " + quoted(entry.key) +
                            ", which the first of the list does not vary; expected the same "
                            "paths in each"});
  }
}

// Combinations of one set; kPointsMax + 1 where there are more than kPointsMax.
std::size_t count_points(const Node& sweep) {
  std::size_t points = 1;
  for (const Member& entry : sweep.members) {
    if (!entry.value.is(NodeKind::array)) continue;  // the schema's own check has reported it
    points = std::min(points * std::max<std::size_t>(entry.value.items.size(), 1), kPointsMax + 1);
  }
  return points;
}

// Where the sweep was written, or the part of it that the command line has put there last.
Origin origin_of_sweep(const Node& document) {
  Origin origin = document.find("sweep")->origin;
  for (const SweepPart& part : parts_of_sweep(document)) {
    for (const Member& entry : part.sweep->members) {
      if (entry.value.origin.override_index > origin.override_index) origin = entry.value.origin;
    }
  }
  return origin;
}

std::string value_text(const Node& value) {
  return value.is(NodeKind::string) ? value.text : to_json(value, -1);
}

}  // namespace

std::vector<SweepPart> parts_of_sweep(const Node& document) {
  const Node* sweep = document.find("sweep");
  std::vector<SweepPart> parts;
  if (sweep == nullptr) return parts;
  if (sweep->is(NodeKind::object)) parts.push_back({sweep, "/sweep"});
  if (!sweep->is(NodeKind::array)) return parts;
  for (std::size_t i = 0; i < sweep->items.size(); ++i) {
    if (!sweep->items[i].is(NodeKind::object)) continue;  // the schema's own check reports it
    parts.push_back({&sweep->items[i], pointer_to("/sweep", std::to_string(i))});
  }
  return parts;
}

void check_sweep(const Node& document, Problems& problems) {
  const std::vector<SweepPart> parts = parts_of_sweep(document);
  std::size_t points = 0;
  for (const auto& [sweep, pointer] : parts) {
    for (const Member& entry : sweep->members) {
      if (entry.value.is(NodeKind::array)) check_entry(entry, pointer, document, problems);
    }
    check_overlap(*sweep, pointer, problems);
    check_same_paths(*parts.front().sweep, *sweep, pointer, problems);
    points += count_points(*sweep);
  }
  if (points > kPointsMax) {
    problems.push_back({origin_of_sweep(document), "/sweep",
                        "found more than " + std::to_string(kPointsMax) +
                            " combinations; expected at most that many"});
  }
}

namespace {

// The points of one set, its paths in the order of `first`. False: stopped by `visit`.
bool visit_points(const Node& base, const Node& first, const Node& sweep,
                  const std::function<bool(Node point, const SweptValues& values)>& visit) {
  std::vector<const Member*> entries;
  for (const Member& path : first.members) {
    const auto same = [&](const Member& m) { return m.key == path.key; };
    entries.push_back(&*std::find_if(sweep.members.begin(), sweep.members.end(), same));
  }
  std::vector<std::size_t> choice(entries.size(), 0);
  for (;;) {
    Node point = base;
    SweptValues values;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Node value = entries[i]->value.items[choice[i]];
      value.origin.swept = true;
      values.emplace_back(entries[i]->key, value_text(value));
      put(point, split_path(entries[i]->key), std::move(value));
    }
    if (!visit(std::move(point), values)) return false;
    std::size_t digit = entries.size();
    while (digit > 0 && ++choice[digit - 1] == entries[digit - 1]->value.items.size()) {
      choice[--digit] = 0;
    }
    if (digit == 0) return true;
  }
}

}  // namespace

void for_each_point(const Node& document,
                    const std::function<bool(Node point, const SweptValues& values)>& visit) {
  Node base = document;
  base.erase("sweep");
  const std::vector<SweepPart> parts = parts_of_sweep(document);
  if (parts.empty()) {
    visit(std::move(base), {});
    return;
  }
  for (const SweepPart& part : parts) {
    if (!visit_points(base, *parts.front().sweep, *part.sweep, visit)) return;
  }
}

bool is_swept(const Node& document, std::string_view path) {
  for (const SweepPart& part : parts_of_sweep(document)) {
    for (const Member& entry : part.sweep->members) {
      if (lies_within(path, entry.key)) return true;
    }
  }
  return false;
}

}  // namespace holdfast::runner::config
