// Messages of ours: an endpoint over rails of one kind.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/netpipe/end.hpp"
#include "experiments/netpipe/places.hpp"
#include "hw/run/sleeper.hpp"
#include "stack/address_book.hpp"
#include "stack/impair/impaired_fabric.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::netpipe {

// What is compared: of one kind of network, how it is cut and protected.
struct RailPlan {
  std::string target;  // udp, tcp, shm, verbs
  std::uint32_t rails = 1;
  std::uint32_t fragment_bytes = 0;  // of payload, in a frame
  std::string checksum;              // registered; empty: none
  std::string seal;                  // registered
  bool sleeps = false;               // else it polls
  reliable::Timers timers = reliable::Timers::measured;
  // What happens to the frames that either end sends; absent: the rails are used as they are.
  std::optional<FrameFaults> faults = {};
  std::uint64_t faults_seed = 0;
};

// By rail, then by process. The rails of both are opened before they part, but at RDMA adapters,
// where each opens its own (verbs_rails.hpp).
struct OpenRails {
  std::vector<std::array<std::unique_ptr<Fabric>, 2>> rails;
  std::vector<std::array<Address, 2>> addresses;
};
// Not of verbs. An error names what could not be opened. Shared memory takes processes on one host.
Status open_rails(const RailPlan& plan, const Places& places, OpenRails& opened);
// Of either process.
reliable::EndpointOptions options_of(const RailPlan& plan, bool is_first);

class HoldfastEnd final : public End, private AddressBook {
 public:
  // In the process that uses it. `rails` must outlive it. Throws EndFailed.
  HoldfastEnd(const RailPlan& plan, const OpenRails& rails, bool is_first);

  void ping_pong(bool is_first, const Messages& out, const Messages& in) override;
  void stream_out(const Messages& out) override;
  void stream_in(const Messages& in) override;
  void settle() override;
  void progress() override { turn(); }
  Traffic traffic() const override;
  double round_trip_s() const override;

 private:
  Address address(std::size_t rail, ProcessId process) const override;
  void send(std::span<const std::byte> message);
  void receive(std::span<std::byte> message);
  void turn();
  // Until so many more messages have been received, or sent ones delivered.
  void wait_for(const std::uint64_t& count, std::uint64_t goal);

  const OpenRails& open_;
  std::string name_;
  std::vector<std::unique_ptr<ImpairedFabric>> impaired_;  // around those; empty: there is no plan
  std::vector<Fabric*> rails_;                             // of this process
  ProcessId peer_;
  std::unique_ptr<reliable::Endpoint> endpoint_;
  hw::Sleeper sleeper_;
  bool sleeps_;
  unsigned turns_ = 0;  // since the clock had to be read
  Time now_, next_;     // of turns: the latest, and when another one is due
  std::array<reliable::Completed, 32> some_;
  std::uint64_t sends_ = 0, delivered_ = 0, received_ = 0;
};

}  // namespace holdfast::netpipe
