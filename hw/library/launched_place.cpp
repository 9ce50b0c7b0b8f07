// A place that the launcher gives: assignment, table of processes, and the word that all are ready.
#include <fcntl.h>

#include <array>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/launch/ground.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "hw/library/place.hpp"

namespace holdfast::hw {

namespace {

Outcome outcome_of(const HandOver& given) {
  switch (given.fault) {
    case HandOverFault::none:
      return {};
    case HandOverFault::gone:
      return {HOLDFAST_ABANDONED, given.message};
    case HandOverFault::late:
      return {HOLDFAST_TIMED_OUT, given.message + "; has another process joined in this place?"};
    case HandOverFault::spoilt:
      return {HOLDFAST_BAD_ASSIGNMENT, given.message};
    case HandOverFault::other_version:
      return {HOLDFAST_WRONG_VERSION, given.message};
  }
  return {HOLDFAST_BAD_ASSIGNMENT, given.message};
}

class MessageAddresses final : public AddressBook {
 public:
  MessageAddresses(const Assignment& assignment, const ProcessTable& table)
      : assignment_(assignment), table_(table) {}
  Address address(std::size_t rail, ProcessId process) const override {
    const Address& address = assignment_.message_addresses[rail][process.value];
    if (assignment_.fabric != JobFabric::verbs) return address;
    return at_queue_pair(address, table_.message_queue_pair(process, rail));
  }

 private:
  const Assignment& assignment_;
  const ProcessTable& table_;
};

class LaunchedPlace final : public Place {
 public:
  LaunchedPlace(int control, int table) : control_(control), table_(table) {
    // Not for programs that this one starts.
    for (const int descriptor : {control, table}) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }

  Outcome take(Time until, std::unique_ptr<NodeProgram>& program) override {
    if (HandOver given = receive_assignment(control_.get(), assignment_, until); !given.is_ok()) {
      return outcome_of(given);
    }
    const int table = ::fcntl(table_.get(), F_DUPFD_CLOEXEC, 0);  // the ground takes it over
    if (Status opened = ground_.open(assignment_, table); !opened.is_ok()) {
      return {HOLDFAST_SYSTEM, opened.message()};
    }
    const NodeStart start = start_of(assignment_, ground_.rails, ground_.book());
    if (Status made = make_engine_program(start, program); !made.is_ok()) {
      return {HOLDFAST_BAD_ASSIGNMENT, made.message()};
    }
    return {};
  }

  Outcome wait_for_start(Time until, Time& start_at) override {
    if (Status sent = say_ready(); !sent.is_ok()) {
      return {HOLDFAST_ABANDONED, sent.message()};
    }
    std::array<std::byte, 8> bytes;
    const HandOver given = receive_bytes(control_.get(), bytes, until);
    if (given.fault == HandOverFault::late) {
      return {HOLDFAST_TIMED_OUT, "not all of the " + std::to_string(assignment_.processes()) +
                                      " processes of the job have joined in time"};
    }
    start_at = {static_cast<std::int64_t>(load_le<std::uint64_t>(bytes.data()))};
    return outcome_of(given);
  }

  // A launcher that is gone need not know.
  void left() override { (void)send_word(control_.get(), {kLeft, 0}).is_ok(); }

  std::span<Fabric* const> rails() const override { return ground_.rails; }
  std::uint32_t job() const override { return assignment_.job; }
  std::vector<CountingFabric*> counted_rails() override { return ground_.counted_rails(); }
  JobKey key() const override { return assignment_.key; }
  int lifeline() const override { return control_.get(); }

  Status open_message_rails(std::vector<std::unique_ptr<Fabric>>& rails) override {
    kept_queues_.resize(assignment_.message_addresses.size());
    for (std::size_t i = 0; i < assignment_.message_addresses.size(); ++i) {
      if (Status status = open_message_rail(assignment_, assignment_.message_addresses[i],
                                            kept_queues_[i], rails.emplace_back());
          !status.is_ok()) {
        return status;
      }
    }
    message_places_ = local_addresses(rails);
    return Status::ok();
  }
  const AddressBook& message_addresses() const override { return message_addresses_; }

 private:
  Status say_ready() const {
    if (Status sent = say_queue_pairs(control_.get(), kMessagesPlaced, message_places_);
        !sent.is_ok()) {
      return sent;
    }
    return ground_.say_ready(control_.get());
  }

  Descriptor control_, table_;
  Assignment assignment_;
  Ground ground_;
  MessageAddresses message_addresses_{assignment_, ground_.table};
  // Of verbs, by rail: the others know the numbers of the queue pairs, which therefore stay.
  std::vector<KeptQueue> kept_queues_;
  std::vector<Address> message_places_;  // of the rails, likewise
};

}  // namespace

std::unique_ptr<Place> place_of_launcher(int control, int table) {
  return std::make_unique<LaunchedPlace>(control, table);
}

}  // namespace holdfast::hw
