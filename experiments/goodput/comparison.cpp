// A pair of processes for each fault, which sleep while it is not their turn. A round measures each
// of them once, and begins with another one than the round before.
#include "experiments/goodput/comparison.hpp"

#include <memory>
#include <vector>

#include "experiments/bench/alternation.hpp"
#include "experiments/netpipe/comparison.hpp"
#include "experiments/netpipe/holdfast_end.hpp"
#include "experiments/netpipe/pair.hpp"
#include "experiments/netpipe/raw_ends.hpp"
#include "stack/reliable/message_frame.hpp"

namespace holdfast::goodput {
namespace {

using netpipe::Pair;

// To learn the round trip: one of them may be of a moment in which something else ran.
constexpr std::uint32_t kStepsBefore = 7;

struct Contender {
  std::string name;
  Fault fault;
  bool is_ours = true;
  std::unique_ptr<netpipe::OpenRails> rails;  // outlives the processes
  std::unique_ptr<netpipe::RawPair> raw;
  std::unique_ptr<Pair> pair;
  std::vector<Step> steps;
};

class Contest {
 public:
  Contest(const Plan& plan, Findings& findings) : plan_(plan), findings_(findings) {}

  Status run() {
    for (const Fault& fault : losses()) {
      if (Status status = open_ours(fault); !status.is_ok()) return status;
    }
    if (Status status = learn_round_trip(); !status.is_ok()) return status;
    const auto round_trip = static_cast<std::int64_t>(1e9 * findings_.round_trip_s);
    if (Status status = open_ours(lateness(nanoseconds(round_trip))); !status.is_ok())
      return status;
    if (Status status = open_raw(); !status.is_ok()) return status;
    for (std::uint32_t round = 0; round < plan_.rounds; ++round) {
      plan_.before_each("round " + std::to_string(round + 1) + " of " +
                        std::to_string(plan_.rounds));
      for (std::size_t turn = 0; turn < contenders_.size(); ++turn) {
        Contender& contender = contenders_[(round + turn) % contenders_.size()];
        if (Status status = take_step(contender); !status.is_ok()) return status;
      }
    }
    for (const Contender& each : contenders_) {
      const bool is_compared = each.is_ours && &each != &contenders_[0];
      findings_.rows.push_back(row_of(each.name, each.fault.name, each.steps,
                                      is_compared ? contenders_[0].steps : std::vector<Step>{}));
      if (!each.is_ours) continue;
      const auto shows = shows_of(each.fault, findings_.rows.back());
      findings_.shows.insert(findings_.shows.end(), shows.begin(), shows.end());
    }
    return Status::ok();
  }

 private:
  Status open_ours(const Fault& fault) {
    netpipe::RailPlan rail;
    rail.target = "udp";
    rail.fragment_bytes = netpipe::default_fragment_bytes(rail.target);
    rail.checksum = "crc32c";
    rail.seal = "none";
    rail.faults = fault.faults;
    rail.faults_seed = plan_.seed << 8 | contenders_.size();
    Contender& made = contenders_.emplace_back();
    made.name = "holdfast";
    made.fault = fault;
    made.rails = std::make_unique<netpipe::OpenRails>();
    if (Status status = open_rails(rail, netpipe::Places{}, *made.rails); !status.is_ok())
      return status;
    return Pair::fork(
        [&](bool is_first) {
          return std::make_unique<netpipe::HoldfastEnd>(rail, *made.rails, is_first);
        },
        made.pair);
  }

  Status open_raw() {
    Contender& made = contenders_.emplace_back();
    made.name = "raw udp";
    made.fault = losses()[0];
    made.is_ours = false;
    made.raw = std::make_unique<netpipe::RawPair>();
    const auto datagram = netpipe::default_fragment_bytes("udp") +
                          static_cast<std::uint32_t>(reliable::kMessageHeaderBytes);
    if (Status status = open_raw_udp(netpipe::Places{}, datagram, false, *made.raw);
        !status.is_ok())
      return status;
    return Pair::fork([&](bool is_first) { return std::move(made.raw->ends[is_first ? 0 : 1]); },
                      made.pair);
  }

  Status learn_round_trip() {
    plan_.before_each("the round trip");
    Contender& without = contenders_[0];
    std::vector<double> round_trips;
    for (std::uint32_t i = 0; i < kStepsBefore; ++i) {
      if (Status status = take_step(without); !status.is_ok()) return status;
      round_trips.push_back(round_trip_s_);
    }
    findings_.round_trip_s = bench::median(round_trips);
    if (!(findings_.round_trip_s > 0)) return Status::error("no round trip could be measured");
    without.steps.clear();
    return Status::ok();
  }

  Status take_step(Contender& contender) {
    if (plan_.is_over()) return Status::error("stopped by a signal");
    netpipe::Order order;
    order.pattern = netpipe::Pattern::stream;
    order.bytes = kMessageBytes;
    order.count = kMessages;
    order.batch = ++batches_;
    Pair::Measured measured;
    const std::string who = contender.name + ", " + contender.fault.name + ": ";
    if (Status status = contender.pair->measure(order, measured); !status.is_ok())
      return Status::error(who + status.message());
    if (measured.wrong > 0) {
      return Status::error(who + std::to_string(measured.wrong) + " of " +
                           std::to_string(kMessages) + " messages are not what was sent");
    }
    const netpipe::Traffic& traffic = measured.traffic[0];
    contender.steps.push_back({static_cast<double>(kMessages * kMessageBytes) / measured.seconds,
                               traffic.fragments_sent, traffic.fragments_resent,
                               traffic.frames_lost, traffic.frames_late});
    findings_.messages += kMessages;
    if (!contender.is_ours) return Status::ok();
    round_trip_s_ = measured.round_trip_s;
    ++findings_.steps;
    findings_.disturbed_steps += measured.processor_share < netpipe::kQuietShare ? 1u : 0u;
    return Status::ok();
  }

  const Plan& plan_;
  Findings& findings_;
  std::vector<Contender> contenders_;
  std::uint64_t batches_ = 0;
  double round_trip_s_ = 0;  // of the latest step of ours
};

}  // namespace

Status measure(const Plan& plan, Findings& findings) {
  return Contest(plan, findings).run();
}

}  // namespace holdfast::goodput
