// The states of a member, shared by the views that hold them and the wire that carries them.
#pragma once

#include <cstdint>

namespace holdfast {

// In the order in which one life of a process may proceed.
enum class MemberState : std::uint8_t {
  joining,  // started, has not yet heard from anyone
  alive,
  suspected,  // a verdict is held back; counts as live; in no view and on no wire as yet (4.9)
  failed,     // a verdict; the process itself may refute it with a higher incarnation
  left,       // the process itself said that it takes no further part
  committed,  // final: the survivors agreed; the process is fenced
};
constexpr MemberState kLastMemberState = MemberState::committed;

}  // namespace holdfast
