// What each file of this folder with a decoder's name is: one thing of the product that decodes
// bytes or text from outside, what real ones of these look like, and what must hold whatever comes.
//
// Two drivers play it. libfuzzer.cpp hands it to libFuzzer, in the build of the preset `fuzz`;
// mutations.cpp plays the seeds and some thousands of their mutations, the same in every run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/base/assert.hpp"

namespace holdfast::fuzz {

using Bytes = std::vector<std::byte>;
using Input = std::span<const std::byte>;

// What a target promises, beside ending no process: no crash, no hang, no memory by the gigabyte.
// It stays on in every build, as an assertion does.
#define FUZZ_CHECK(condition) HOLDFAST_ASSERT(condition)

// What has been said by real encoders, or is what people and other programs write. Not empty; made
// once.
std::vector<Bytes> seeds();

// Decodes `input` and checks what is promised of it; the process ends where a promise is broken.
// What it does depends on the input alone.
void play(Input input);

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}
inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// A message to a person is one line with something in it, and nothing that a terminal obeys.
inline void check_sentence(std::string_view message) {
  FUZZ_CHECK(!message.empty());
  for (const char c : message) FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}
// Of those that tell of several wrong lines at once, each line.
inline void check_sentences(std::string_view message) {
  std::size_t end = 0;
  for (; (end = message.find('\n')) != std::string_view::npos; message.remove_prefix(end + 1)) {
    check_sentence(message.substr(0, end));
  }
  check_sentence(message);
}

}  // namespace holdfast::fuzz
