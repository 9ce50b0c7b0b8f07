// Optimal string alignment with three rows; candidates in the schema's order, so that ties are
// always broken alike.
#include "experiments/config/nearest.hpp"

#include <algorithm>

namespace holdfast::runner::config {

namespace {

constexpr std::size_t kWordBytesMax = 64;
constexpr std::size_t kPrefixBytesMin = 3;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t length = 0;
  while (length < a.size() && length < b.size() && lower(a[length]) == lower(b[length])) ++length;
  return length;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: a swap of neighbours looks back two rows.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kWordBytesMax) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  std::size_t best_prefix = 0;
  const std::size_t furthest = std::max<std::size_t>(2, word.size() / 3);
  for (const std::string& candidate : candidates) {
    const bool shortened = word.size() >= kPrefixBytesMin && candidate.starts_with(word);
    const std::size_t distance = shortened ? 1 : edit_distance(word, candidate);
    // A word that shares no letter with the candidate is not a misspelling of it.
    if (distance > furthest || distance == std::max(word.size(), candidate.size())) continue;
    const std::size_t prefix = common_prefix(word, candidate);
    if (best &&
        (distance > best_distance || (distance == best_distance && prefix <= best_prefix))) {
      continue;
    }
    best = candidate;
    best_distance = distance;
    best_prefix = prefix;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view quote) {
  const auto meant = nearest(word, candidates);
  if (!meant) return "";
  return "; did you mean " + std::string(quote) + *meant + std::string(quote) + "?";
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

std::string quoted(std::string_view word) {
  return "\"" + std::string(word) + "\"";
}

}  // namespace holdfast::runner::config
