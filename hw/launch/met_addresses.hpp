// Where the processes of a job are that have met. Rail 0 carries frames, rail 1 watches processes.
#pragma once

#include <cstddef>
#include <vector>

#include "hw/launch/meeting.hpp"
#include "hw/watch/watch_fabric.hpp"
#include "stack/engine.hpp"

namespace holdfast::hw {

class MetAddresses final : public AddressBook {
 public:
  // By rank; must outlive this.
  explicit MetAddresses(const std::vector<JobMember>& members) : members_(members) {}
  Address address(std::size_t rail, ProcessId process) const override {
    const JobMember& member = members_[process.value];
    return rail == 0 ? member.address : to_address(member.process);
  }

 private:
  const std::vector<JobMember>& members_;
};

}  // namespace holdfast::hw
