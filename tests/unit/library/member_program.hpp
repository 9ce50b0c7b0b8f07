// The program that the tests of the public interface launch as the processes of a job: themselves.
// What a process does is named by its first argument; its exit status says what went wrong.
#pragma once

namespace holdfast {

// The exit status of a member that found everything as expected.
constexpr int kAsExpected = 0;

int run_member(const char* role);

}  // namespace holdfast
