// What a person probably meant: the valid word nearest to a wrong one, and lists of words in prose.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner::config {

// How many insertions, deletions, replacements and swaps of neighbours turn one word into the other
// (optimal string alignment). Letters that differ only in case count nothing.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that is meant: the one of the smallest distance, of several the one that begins
// most like the word. Far ones are not meant: more than 2 edits, or a third of the word, unless the
// word is the candidate's beginning. Words of absurd length are near to nothing.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

// `; did you mean "nearest"?`, or nothing. `quote` stands around the candidate.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view quote = "\"");

// "a, b or c", where `last` is "or".
std::string listed(const std::vector<std::string>& words, std::string_view last);

// "\"word\"".
std::string quoted(std::string_view word);

}  // namespace holdfast::runner::config
