// Eight bytes at a time, and what is less than eight in the end.
#include "tests/content.hpp"

#include <cstring>

#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"

namespace holdfast::tests {

namespace {

constexpr std::size_t kWord = 8;

// Eight bytes from the word's place on; `key` is the mixed number of the message.
std::uint64_t content_word(std::uint64_t number, std::uint64_t key, std::uint64_t word) {
  return word == 0 ? number : mix64(key + word);
}

}  // namespace

void fill_content(std::uint64_t number, std::span<std::byte> bytes) {
  const std::uint64_t key = mix64(number);
  const std::size_t words = bytes.size() / kWord, rest = bytes.size() % kWord;
  std::byte* at = bytes.data();
  for (std::size_t w = 0; w < words; ++w, at += kWord) {
    const std::uint64_t word = content_word(number, key, w);
    std::memcpy(at, &word, kWord);
  }
  const std::uint64_t last = content_word(number, key, words);
  if (rest > 0) std::memcpy(at, &last, rest);
}

std::optional<std::size_t> first_wrong(std::uint64_t number, std::span<const std::byte> bytes) {
  const std::uint64_t key = mix64(number);
  const std::size_t words = bytes.size() / kWord, rest = bytes.size() % kWord;
  const std::byte* at = bytes.data();
  std::size_t w = 0;
  for (; w < words; ++w, at += kWord) {
    std::uint64_t word;
    std::memcpy(&word, at, kWord);
    if (word != content_word(number, key, w)) break;
  }
  const std::uint64_t word = content_word(number, key, w);
  const auto* expected = reinterpret_cast<const std::byte*>(&word);
  const std::size_t count = w < words ? kWord : rest;
  for (std::size_t i = 0; i < count; ++i) {
    if (at[i] != expected[i]) return w * kWord + i;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(std::span<const std::byte> bytes) {
  if (bytes.size() < kWord) return std::nullopt;
  return load_le<std::uint64_t>(bytes.data());
}

bool same_bytes(std::span<const std::byte> some, std::span<const std::byte> others) {
  if (some.size() != others.size()) return false;
  return some.empty() || std::memcmp(some.data(), others.data(), some.size()) == 0;
}

}  // namespace holdfast::tests
