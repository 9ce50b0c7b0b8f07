// What the roles of launched processes have in common.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <holdfast/holdfast.hpp>

namespace holdfast {

constexpr std::chrono::seconds kPatience{20};  // so long that a test which waits for it has failed

// Ends this process, whose part has gone wrong.
[[noreturn]] void fail(const char* what);
void expect(bool as_expected, const char* what);

Job joined();

// The next verdict on `process`, all of them being of that state.
void await(Job& job, std::uint32_t process, State state);

// Until `process` is believed to be of that state; verdicts are left where they are.
void look_until(const Job& job, std::uint32_t process, State state);

// Everybody has sent everybody a message before anybody goes on.
void meet(Job& job, std::uint64_t tag);

// Stops this process, and starts a child without a part in the job that lets it go on.
void sleep_for(std::chrono::milliseconds time);

// Roles of messages whose memory is not in one piece (segment_roles.cpp).
int exchange_segments();
int refuse_segments();

// Roles of a life that ends while ends of its requests lie unread (last_turn_roles.cpp).
int end_in_last_turn();
int end_many_in_last_turn();
int begin_without_descriptors();

// Roles of messages (message_roles.cpp); false: there is none of that name.
bool run_message_role(const char* role, int& exit_status);

}  // namespace holdfast
