// Where the processes of a job are that have met. The last rail watches
// processes, those before it carry frames.
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
    return rail < member.addresses.size() ? member.addresses[rail] : to_address(member.process);
  }

 private:
  const std::vector<JobMember>& members_;
};

}  // namespace holdfast::hw
