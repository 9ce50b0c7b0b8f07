// What somebody can send who does not hold the job's key, and what somebody can send again who has
// seen every frame of the job.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "stack/base/random.hpp"
#include "tests/hostile/live_job.hpp"

namespace holdfast::hostile {

enum class Weapon : std::uint8_t {
  random,       // bytes
  shaped,       // a real frame's header, then bytes
  truncated,    // a real frame
  extended,     // a real frame
  flipped,      // a real frame, one to eight bits of it
  replayed,     // what this life of the victim has handled
  former,       // what its earlier lives were sent
  misdirected,  // what others were sent, the victim's own frames among them
  forged,       // whole and sensible, sealed with another key
  unsealed,     // whole and sensible, without a seal
  other_job,    // whole and sensible, sealed with the right key, of a job that had the same
};
constexpr std::size_t kWeapons = 11;
constexpr std::array<std::string_view, kWeapons> kWeaponNames{
    "random", "shaped",      "truncated", "extended", "flipped",  "replayed",
    "former", "misdirected", "forged",    "unsealed", "other job"};

class Arsenal {
 public:
  Arsenal(const LiveJob& job, ProcessId victim, const JobKey& key, Random& random)
      : job_(job), victim_(victim), key_(key), random_(random) {}

  // The next frame of a kind, at most kFrameBytesMax + 200 bytes. Never one that the victim would
  // be right to take.
  Bytes draw(Weapon weapon);

 private:
  Bytes noise(std::size_t bytes);
  const Bytes& heard(bool by_this_life);
  Bytes composed(Weapon weapon);

  const LiveJob& job_;
  ProcessId victim_;
  JobKey key_;
  Random& random_;
};

}  // namespace holdfast::hostile
