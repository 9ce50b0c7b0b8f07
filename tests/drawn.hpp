// How many of the histories, trees or files that a test draws at random this build plays.
// Sanitizers look at each access, and ten times as many of one kind show them no more: they get a
// tenth, as they make a program many times slower. What the full number is for is what the release
// build says.
#pragma once

namespace holdfast::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Also of what is counted over all of them, where a test asks for a least number.
template <class Count>
constexpr Count drawn(Count full) {
  return kSanitized ? (full + Count{9}) / Count{10} : full;
}

}  // namespace holdfast::tests
