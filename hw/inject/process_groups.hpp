// The processes of a host as one group of the operating system, so that a fault of the host reaches
// all of them in one call: nobody of them acts, or starts another, between the signals to the
// others.
//
// A group is the first process that joins it and lives as long as any member has not been reaped;
// until then no other process can get its number.
#pragma once

#include <cstdint>
#include <vector>

namespace holdfast::hw {

class ProcessGroups {
 public:
  explicit ProcessGroups(std::uint32_t hosts) : groups_(hosts) {}

  // Of the host, for a new process to join; 0: there is none, the process is to found it.
  std::int32_t group(std::uint32_t host) const { return groups_[host].number; }
  // The process has founded or joined the group.
  void joined(std::uint32_t host, std::int32_t pid);
  // A member has been waited for.
  void reaped(std::uint32_t host);
  // To every process of the host. False if it has none.
  bool signal(std::uint32_t host, int number) const;

 private:
  struct Group {
    std::int32_t number = 0;
    std::uint32_t members = 0;  // not reaped
  };

  std::vector<Group> groups_;
};

}  // namespace holdfast::hw
